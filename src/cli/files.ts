/** Files of a command: `-` is stdin, and one that can't be read or written is a fault of usage. */
import { createReadStream, createWriteStream, readFileSync, statSync } from "node:fs";
import { extname } from "node:path";
import { Readable, Writable } from "node:stream";
import { tellingStream } from "../client/telling-stream.ts";
import type { UploadFormat } from "../client/types.ts";
import { UsageError } from "./exit.ts";
import type { Io } from "./io.ts";

export const STDIN = "-";

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): UsageError {
  return new UsageError(`${file} can't be read: ${(error as Error).message}`);
}

/** Writes a file. What breaks the content is thrown as it is, and leaves the file without its end. */
export async function writeFile(file: string, content: ReadableStream<Uint8Array>): Promise<void> {
  let brokenBy: unknown = null;
  const watched = tellingStream(content, (cause) => (brokenBy = cause));
  try {
    await watched.pipeTo(Writable.toWeb(createWriteStream(file)) as WritableStream<Uint8Array>);
  } catch (error) {
    if (brokenBy !== null) throw brokenBy;
    throw new UsageError(`${file} can't be written: ${(error as Error).message}`);
  }
}

export async function readTextOrStdin(file: string, io: Io): Promise<string> {
  return file === STDIN ? new Response(io.stdin()).text() : readText(file);
}

/** The file as it is read, and its bytes; null for stdin, whose end nobody knows. */
export function openFile(
  file: string,
  io: Io,
): { body: ReadableStream<Uint8Array>; bytes: number | null } {
  if (file === STDIN) return { body: io.stdin(), bytes: null };
  let size: number;
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw new Error("it is a folder");
    ({ size } = stat);
  } catch (error) {
    throw unreadable(file, error);
  }
  const content = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
  const body = tellingStream(content, (cause) => unreadable(file, cause));
  return { body, bytes: size };
}

export const FORMATS = ["csv", "ndjson", "json"] as const;
type Format = (typeof FORMATS)[number];

const MEDIA_TYPES: Readonly<Record<Format, UploadFormat>> = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  json: "application/json",
};
const EXTENSIONS: Readonly<Record<string, Format>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
};

/** @param format what was asked for; none: by the name of the file */
export function formatOf(file: string, format: Format | undefined): UploadFormat {
  const found = format ?? EXTENSIONS[extname(file).toLowerCase()];
  if (found !== undefined) return MEDIA_TYPES[found];
  const name = file === STDIN ? "stdin" : file;
  throw new UsageError(`the format of ${name} is unknown; give --format ${FORMATS.join(", ")}.`);
}
