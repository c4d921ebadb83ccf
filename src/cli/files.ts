/** Files that a command reads: `-` is stdin, and one that can't be read is a fault of usage. */
import { createReadStream, readFileSync, statSync } from "node:fs";
import { extname } from "node:path";
import { Readable } from "node:stream";
import type { UploadFormat } from "../client/types.ts";
import { UsageError } from "./exit.ts";
import type { Io } from "./io.ts";

export const STDIN = "-";

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${(error as Error).message}`);
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
    throw new UsageError(`${file} can't be read: ${(error as Error).message}`);
  }
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
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
