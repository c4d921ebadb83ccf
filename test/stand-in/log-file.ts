/**
 * The append-only log on disk: one JSON object a line, written in groups.
 *
 * A group is what one request caused, goes to the file in one write, and ends with its `request`
 * line. The answer goes out only after that write, so a kill at any moment leaves either a whole
 * group or a torn one that nobody was told about; loading cuts a torn one off.
 *
 * In memory there are only the places of the lines, so a million mails cost a few megabytes here.
 */
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import type { Mail } from "./mail.ts";

/** One mail that was accepted. `to`: its bare addresses, joined with ", " if there are several. */
export type AcceptedLine = Omit<Mail, "to"> & {
  readonly kind: "accepted";
  /** Milliseconds since 1970 by the stand-in's clock; so in every line. */
  readonly at: number;
  readonly key: string | null;
  readonly endpoint: string;
  /** Its place in the request, from 0. */
  readonly index: number;
  readonly id: string;
  readonly to: string;
  readonly replay: false;
};

/** One send request. `status` is what was answered; null: the client was given no whole answer. */
export type RequestLine = {
  readonly kind: "request";
  readonly at: number;
  readonly key: string | null;
  readonly endpoint: string;
  readonly status: number | null;
  /** The `name` of an error answer. */
  readonly name: string | null;
  /** Emails in its body. */
  readonly count: number;
  /** SHA-256 of the raw body, in hex. */
  readonly bodyDigest: string;
  /** Answered from the memory of its key. */
  readonly replay: boolean;
  readonly fault: string | null;
};

/** What is remembered under a key. */
export type KeyLine = {
  readonly kind: "key";
  readonly at: number;
  readonly key: string;
  readonly endpoint: string;
  readonly bodyDigest: string;
  readonly status: number;
  readonly answer: string;
};

/** The clock was put forward by so many seconds. */
type ClockLine = { readonly kind: "clock"; readonly at: number; readonly seconds: number };

export type LogLine = AcceptedLine | RequestLine | KeyLine | ClockLine;
export type LogKind = LogLine["kind"];

/** Lines that end a group: everything up to one of these has happened. */
const ENDS_GROUP: readonly LogKind[] = ["request", "clock"];
const NEWLINE = 0x0a;
const READ_BYTES = 1 << 20;

type Places = { readonly starts: number[]; readonly lengths: number[] };

export class LogFile {
  readonly #descriptor: number;
  #end = 0;
  #places: Record<LogKind, Places>;

  /** @param path null: a file that nobody else sees, gone with the process */
  constructor(path: string | null) {
    const place = path ?? join(tmpdir(), `stand-in-${randomUUID()}.ndjson`);
    this.#descriptor = openSync(place, "a+");
    // POSIX keeps an unlinked file alive while it is open.
    if (path === null) unlinkSync(place);
    this.#places = emptyPlaces();
  }

  /** Reads every whole group there is, in order, and cuts off a torn one. Once, before `append`. */
  load(take: (line: LogLine) => void): void {
    let group: { line: LogLine; start: number; length: number }[] = [];
    let position = 0;
    for (const bytes of this.#linesOnDisk()) {
      const line = parsedLine(bytes);
      if (line === null) break;
      group.push({ line, start: position, length: bytes.length });
      position += bytes.length + 1;
      if (!ENDS_GROUP.includes(line.kind)) continue;
      for (const member of group) {
        this.#keepPlace(member.line.kind, member.start, member.length);
        take(member.line);
      }
      this.#end = position;
      group = [];
    }
    ftruncateSync(this.#descriptor, this.#end);
  }

  /** Writes one group; when it returns, the group survives a kill of this process. */
  append(group: readonly LogLine[]): void {
    const texts = group.map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
    const bytes = Buffer.concat(texts);
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    for (const [index, line] of group.entries()) {
      const length = texts[index]?.length ?? 0;
      this.#keepPlace(line.kind, this.#end, length - 1);
      this.#end += length;
    }
  }

  count(kind: LogKind): number {
    return this.#places[kind].starts.length;
  }

  /** The line of that kind with this number, from 0; null: there is none. */
  read(kind: LogKind, index: number): LogLine | null {
    const start = this.#places[kind].starts[index];
    const length = this.#places[kind].lengths[index];
    if (start === undefined || length === undefined) return null;
    const bytes = Buffer.alloc(length);
    readSync(this.#descriptor, bytes, 0, length, start);
    return JSON.parse(bytes.toString("utf8")) as LogLine;
  }

  clear(): void {
    ftruncateSync(this.#descriptor, 0);
    this.#end = 0;
    this.#places = emptyPlaces();
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #keepPlace(kind: LogKind, start: number, length: number): void {
    this.#places[kind].starts.push(start);
    this.#places[kind].lengths.push(length);
  }

  /** Whole lines without their newline; what stands after the last newline is left out. */
  *#linesOnDisk(): Generator<Buffer> {
    const chunk = Buffer.alloc(READ_BYTES);
    let rest = Buffer.alloc(0);
    for (let position = 0; ;) {
      const count = readSync(this.#descriptor, chunk, 0, READ_BYTES, position);
      if (count === 0) return;
      position += count;
      rest = Buffer.concat([rest, chunk.subarray(0, count)]);
      let start = 0;
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, start)) {
        yield rest.subarray(start, end);
        start = end + 1;
      }
      rest = rest.subarray(start);
    }
  }
}

function emptyPlaces(): Record<LogKind, Places> {
  return { accepted: noPlaces(), request: noPlaces(), key: noPlaces(), clock: noPlaces() };
}

function noPlaces(): Places {
  return { starts: [], lengths: [] };
}

/** null for a line that no write of ours has finished. */
function parsedLine(bytes: Buffer): LogLine | null {
  try {
    return JSON.parse(bytes.toString("utf8")) as LogLine;
  } catch {
    return null;
  }
}
