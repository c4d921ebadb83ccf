#!/usr/bin/env node
/** `sendonce` as a process: its arguments, its streams and its signals, and nothing else. */
import { homedir } from "node:os";
import { Readable } from "node:stream";
import type { Io } from "./io.ts";
import { EXIT } from "./exit.ts";
import { run } from "./program.ts";

const INTERRUPTION_MILLISECONDS = 2_000;
const USUAL_COLUMNS = 80;

const interruption = new AbortController();
process.once("SIGINT", () => {
  interruption.abort();
  // For what has no end of its own, such as reading from a terminal.
  setTimeout(() => process.exit(EXIT.interrupted), INTERRUPTION_MILLISECONDS).unref();
  // A second one ends it at once, whatever it waits for.
  process.once("SIGINT", () => process.exit(EXIT.interrupted));
});
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  // Whoever reads has enough, as `head` has.
  if (code === "EPIPE") process.exit(EXIT.ok);
  process.stderr.write(`sendonce: the result can't be written: ${message}\n`);
  process.exit(EXIT.usage);
});
// What can't be told is lost; the exit code is still the truth.
process.stderr.on("error", () => undefined);

const io: Io = {
  env: process.env,
  home: homedir(),
  out: (text) =>
    new Promise((resolve) => {
      if (process.stdout.write(text)) resolve();
      else process.stdout.once("drain", resolve);
    }),
  err: (text) => void process.stderr.write(text),
  outIsTerminal: process.stdout.isTTY,
  errIsTerminal: process.stderr.isTTY,
  // Some terminals say that they have none.
  columns: () => process.stdout.columns || USUAL_COLUMNS,
  stdin: () => Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  interrupted: interruption.signal,
  now: () => Date.now(),
  surroundings: {},
};

// Not awaited at the top: the bundle for Node 20 is a CommonJS module.
void run(process.argv.slice(2), io).then((code) => {
  process.exitCode = code;
  return code;
});
