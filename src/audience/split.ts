/**
 * `npm run split -- list.csv 5`: cuts a list into parts, each for a campaign of its own, where one object
 * is too small for all of them (src/guide/limits-and-costs.md). Reads what an upload reads.
 *
 * The normal form of an address decides where it goes, so an address is in one part only, in whatever
 * spellings a list has it: no two parts mail the same person. The same list cut again, or a later one
 * cut into as many parts, puts everybody where they were. Rows that no upload would take are named by
 * line and are in no part.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { counted, isOrAre } from "../domain/counted.ts";
import type { Address } from "../domain/ids.ts";
import { MAX_PROBLEMS, SPLIT_FILE_BYTES, SPLIT_PARTS_AT_MOST } from "../domain/limits.ts";
import { readUpload, type InvalidRow, type UploadFormat } from "./read-upload.ts";

const FORMATS: Readonly<Record<string, UploadFormat>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".json": "json",
};

/** From 0; the same for every spelling of an address. */
export function partOf(address: Address, parts: number): number {
  return createHash("sha256").update(address).digest().readUInt32BE() % parts;
}

/** One part as NDJSON, in files that fit into one upload each. */
class PartFiles {
  readonly #name: (file: number) => string;
  readonly #bytesAtMost: number;
  #handle: FileHandle | null = null;
  #bytes = 0;
  readonly files: string[] = [];
  rows = 0;

  constructor(name: (file: number) => string, bytesAtMost: number) {
    this.#name = name;
    this.#bytesAtMost = bytesAtMost;
  }

  async add(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const text = lines.join("");
    const bytes = Buffer.byteLength(text);
    if (this.#handle === null || this.#bytes + bytes > this.#bytesAtMost) await this.#next();
    await this.#handle?.write(text);
    this.#bytes += bytes;
    this.rows += lines.length;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** @throws where a file of that name is there: a mixture of two lists would be mailed */
  async #next(): Promise<void> {
    await this.close();
    const name = this.#name(this.files.length + 1);
    this.#handle = await open(name, "wx");
    this.#bytes = 0;
    this.files.push(name);
  }
}

export type Split = {
  readonly parts: readonly { readonly rows: number; readonly files: readonly string[] }[];
  readonly invalid: number;
  /** The first of them. */
  readonly problems: readonly InvalidRow[];
};

/**
 * @param file CSV, NDJSON or JSON, by its name
 * @param folder where the parts go, as `list-1of5-1.ndjson`
 * @throws RangeError at a number of parts that makes no sense; UploadRefusal at a list that can't be read
 */
export async function splitList(
  file: string,
  parts: number,
  folder: string,
  bytesAtMost = SPLIT_FILE_BYTES,
): Promise<Split> {
  if (!Number.isInteger(parts) || parts < 2 || parts > SPLIT_PARTS_AT_MOST) {
    throw new RangeError(`The number of parts is a whole one from 2 to ${SPLIT_PARTS_AT_MOST}.`);
  }
  const extension = extname(file);
  const format = FORMATS[extension.toLowerCase()];
  if (format === undefined) throw new RangeError(`${file} ends with none of .csv, .ndjson, .json.`);
  const stem = join(folder, basename(file, extension));
  const written = Array.from(
    { length: parts },
    (_, at) => new PartFiles((nth) => `${stem}-${at + 1}of${parts}-${nth}.ndjson`, bytesAtMost),
  );
  const problems: InvalidRow[] = [];
  let invalid = 0;
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
  for await (const page of readUpload(body, format)) {
    invalid += page.invalid.length;
    problems.push(...page.invalid.slice(0, MAX_PROBLEMS - problems.length));
    const lines = written.map((): string[] => []);
    for (const { address, id, email, data } of page.enrolments) {
      lines[partOf(address, parts)]?.push(`${JSON.stringify({ id, email, data })}\n`);
    }
    for (const [at, part] of written.entries()) await part.add(lines[at] ?? []);
  }
  for (const part of written) await part.close();
  return { parts: written.map(({ rows, files }) => ({ rows, files })), invalid, problems };
}

async function main([file, parts, folder = "."]: readonly string[]): Promise<void> {
  if (file === undefined) throw new RangeError("npm run split -- <list> <parts> [folder]");
  const split = await splitList(file, Number(parts), folder);
  for (const { rows, files } of split.parts)
    console.log(`${counted(rows, "row")}: ${files.join(", ")}`);
  for (const { line, detail } of split.problems) console.error(`line ${line}: ${detail}`);
  if (split.invalid === 0) return;
  console.error(`${counted(split.invalid, "row")} ${isOrAre(split.invalid)} in no part.`);
  process.exitCode = 4;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  });
}
