/**
 * `text/csv` (RFC 4180, with what spreadsheets make of it) to pages of enrolments.
 *
 * The first line that is not blank names the columns; `,`, `;` or tab separates them, whichever
 * it holds most. A row is taken only if it has exactly as many fields as there are columns, since
 * with one more or less nobody can say which value belongs where.
 */
import { counted } from "../domain/counted.ts";
import { trimUnseen } from "../domain/address.ts";
import { MAX_RECORD_BYTES } from "../domain/limits.ts";
import { assert } from "../domain/result.ts";
import type { Enrolment } from "../domain/enrolment.ts";
import { CsvRecords, type CsvRecord } from "./csv-records.ts";
import { enrolmentOf, invalidRow, PUNCTUATION_CHARACTERS, shorten } from "./recipient-row.ts";
import {
  PageInMaking,
  UploadRefusal,
  type ColumnMapping,
  type InvalidRow,
  type UploadPage,
} from "./upload.ts";

const DELIMITERS = [",", ";", "\t"] as const;
const QUOTE = 34;
const LF = 10;
const CR = 13;
/** What decoding leaves in place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

export async function* readCsv(
  slices: AsyncIterable<Uint8Array>,
  mapping: ColumnMapping,
): AsyncGenerator<UploadPage> {
  const page = new PageInMaking();
  let columns: Columns | null = null;
  let rows = 0;
  for await (const found of recordsOf(slices)) {
    for (const record of found) {
      if (columns === null) {
        columns = columnsOf(record, mapping);
        continue;
      }
      rows += 1;
      page.add("code" in record ? record : rowOf(columns, record), bytesOf(record));
      if (page.isFull) yield page.take();
    }
  }
  if (columns === null) throw new UploadRefusal("emptyUpload", "The file holds blank lines only.");
  if (rows === 0) {
    throw new UploadRefusal("noRecipients", "The file has a header line and no row below it.", 1);
  }
  if (!page.isEmpty) yield page.take();
}

function bytesOf(record: CsvRecord | InvalidRow): number {
  return "bytes" in record ? record.bytes : 0;
}

async function* recordsOf(
  slices: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly (CsvRecord | InvalidRow)[]> {
  let head: Uint8Array = new Uint8Array(0);
  let records: CsvRecords | null = null;
  for await (const slice of slices) {
    if (records !== null) {
      yield await records.feed(slice);
      continue;
    }
    head = head.length === 0 ? slice : Buffer.concat([head, slice]);
    const delimiter = delimiterOf(head);
    if (delimiter === null) continue;
    records = new CsvRecords(delimiter);
    yield await records.feed(head);
  }
  if (records === null) {
    records = new CsvRecords(delimiterOf(head, true) ?? ",");
    yield await records.feed(head);
  }
  yield await records.end();
}

/** Null while the header line is not complete. Characters inside quotes don't count. */
function delimiterOf(head: Uint8Array, isLast = false): string | null {
  const counts = new Map<number, number>(DELIMITERS.map((each) => [each.charCodeAt(0), 0]));
  let isQuoted = false;
  let isBlank = true;
  for (const byte of head) {
    if (byte === QUOTE) isQuoted = !isQuoted;
    const isEnd = (byte === LF || byte === CR) && !isQuoted;
    if (isEnd && !isBlank) return mostOf(counts);
    if (byte > 32) isBlank = false;
    const count = counts.get(byte);
    if (count !== undefined && !isQuoted) counts.set(byte, count + 1);
  }
  if (head.length > MAX_RECORD_BYTES) {
    const detail = `The header line has more than ${MAX_RECORD_BYTES} bytes, or an open quote.`;
    throw new UploadRefusal("brokenHeader", detail, 1);
  }
  return isLast ? mostOf(counts) : null;
}

function mostOf(counts: ReadonlyMap<number, number>): string {
  const count = (delimiter: string): number => counts.get(delimiter.charCodeAt(0)) ?? 0;
  return DELIMITERS.reduce((most, each) => (count(each) > count(most) ? each : most));
}

type Columns = {
  readonly count: number;
  readonly email: number;
  /** -1: there is none. */
  readonly id: number;
  readonly data: readonly { readonly name: string; readonly at: number }[];
  /** Columns without a name, which a spreadsheet adds at the right; their cells must be empty. */
  readonly unnamed: readonly number[];
  /** An upper bound of what the names add to the JSON of a row. */
  readonly nameCharacters: number;
};

function columnsOf(header: CsvRecord | InvalidRow, mapping: ColumnMapping): Columns {
  if ("code" in header) throw new UploadRefusal("brokenHeader", header.detail, header.line);
  const names = header.fields.map(trimUnseen);
  checkHeader(names, header.line);
  const wanted = [mapping.email ?? "email"].flat();
  const email = wanted.map((name) => columnAt(names, name, header.line)).find((at) => at !== -1);
  if (email === undefined) {
    throw noColumn("noEmailColumn", wanted.join(" or "), names, header.line);
  }
  const id = columnAt(names, mapping.id ?? "id", header.line);
  if (id === -1 && mapping.id !== undefined) {
    throw noColumn("noIdColumn", mapping.id, names, header.line);
  }
  if (id === email) {
    const detail = `Column "${shorten(names[id] ?? "")}" can't be both the email and the id.`;
    throw new UploadRefusal("duplicateColumn", detail, header.line);
  }
  const others = names
    .map((name, at) => ({ name, at }))
    .filter(({ at }) => at !== email && at !== id);
  const data = others.filter(({ name }) => name !== "");
  const unnamed = others.filter(({ name }) => name === "").map(({ at }) => at);
  const nameCharacters = data.reduce((sum, each) => sum + each.name.length, 0);
  return { count: names.length, email, id, data, unnamed, nameCharacters };
}

function checkHeader(names: readonly string[], line: number): void {
  if (names.some((name) => name.includes(REPLACEMENT) || name.includes("\0"))) {
    const detail = "The header line is not UTF-8; save the file as UTF-8, or UTF-16 with its mark.";
    throw new UploadRefusal("notUtf8", detail, line);
  }
  const twice = names.find((name, at) => name !== "" && names.indexOf(name) !== at);
  if (twice !== undefined) {
    const detail = `Two columns are called "${shorten(twice)}"; rename or remove one.`;
    throw new UploadRefusal("duplicateColumn", detail, line);
  }
}

/** By the exact name first, then in any case; -1 where there is none. */
function columnAt(names: readonly string[], wanted: string, line: number): number {
  const name = trimUnseen(wanted);
  const exact = names.indexOf(name);
  if (exact !== -1) return exact;
  const folded = names.map((each) => each.toLowerCase());
  const first = folded.indexOf(name.toLowerCase());
  if (first !== folded.lastIndexOf(name.toLowerCase())) {
    const detail = `More than one column could be "${shorten(name)}"; rename one.`;
    throw new UploadRefusal("duplicateColumn", detail, line);
  }
  return first;
}

function noColumn(
  code: "noEmailColumn" | "noIdColumn",
  wanted: string,
  names: readonly string[],
  line: number,
): UploadRefusal {
  const found = shorten(names.map((name) => `"${name}"`).join(", "));
  const how = code === "noEmailColumn" ? "?email=Name" : "?id=Name";
  const detail = `No column is called "${shorten(wanted)}". Found: ${found}. Name one by ${how}.`;
  return new UploadRefusal(code, detail, line);
}

function rowOf(columns: Columns, record: CsvRecord): Enrolment | InvalidRow {
  const { line, fields } = record;
  if (fields.length !== columns.count) return ragged(columns, record);
  const broken = fields.findIndex((field) => field.includes(REPLACEMENT));
  if (broken !== -1) {
    const detail = `Field ${broken + 1} holds bytes that are not UTF-8; save the file as UTF-8.`;
    return invalidRow(line, "notUtf8", detail);
  }
  const extra = columns.unnamed.find((at) => fields[at]?.trim() !== "");
  if (extra !== undefined) {
    const detail = `Field ${extra + 1} has a value, but its column has no name.`;
    return invalidRow(line, "unnamedColumn", detail);
  }
  // Object.fromEntries defines properties, so a column called __proto__ is one like any other.
  const data = Object.fromEntries(columns.data.map(({ name, at }) => [name, fieldAt(fields, at)]));
  const id = columns.id === -1 ? "" : trimUnseen(fieldAt(fields, columns.id));
  const characters = record.bytes + columns.nameCharacters + fields.length * PUNCTUATION_CHARACTERS;
  return enrolmentOf(line, { id, email: fieldAt(fields, columns.email), data }, characters);
}

function fieldAt(fields: readonly string[], at: number): string {
  const field = fields[at];
  assert(field !== undefined, "a row has as many fields as there are columns");
  return field;
}

function ragged(columns: Columns, record: CsvRecord): InvalidRow {
  const code = record.fields.length < columns.count ? "shortRow" : "longRow";
  const fields = counted(record.fields.length, "field");
  const detail = `The row has ${fields}, the header ${counted(columns.count, "column")}.`;
  return invalidRow(record.line, code, detail);
}
