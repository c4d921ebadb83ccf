/**
 * A segment, which is a view of the operator's D1 database, to pages of enrolments.
 *
 * Nothing of a request reaches SQL as text: a name is looked up as a bound value, and the names that
 * stand in statements are the ones that the database itself has given, in quotes. The view is read
 * along its id, page by page. Where several rows have one id, a page goes on behind those that it
 * has read of them: none is skipped, none comes twice, and each page gets further.
 */
import { ENROL_PAGE, MAX_SEGMENT_TIES } from "../domain/limits.ts";
import type { Enrolment } from "../domain/enrolment.ts";
import {
  enrolmentOf,
  invalidRow,
  kindOf,
  PUNCTUATION_CHARACTERS,
  shorten,
} from "./recipient-row.ts";
import { PageInMaking, type InvalidRow, type UploadPage } from "./upload.ts";

/** What of D1 a segment is read with. */
export type SegmentDatabase = {
  prepare(sql: string): { bind(...values: string[]): { raw(): Promise<unknown[][]> } };
};

/** Names of the columns that hold the address and the id; nothing said: `email` and `id`. */
export type SegmentColumns = { readonly email?: string; readonly id?: string };

export type SegmentRefusalCode =
  | "notFound"
  /** It is there and can't be read as recipients. */
  | "unfit"
  /** The database did not answer; asking again may help. */
  | "unavailable";

export class SegmentRefusal extends Error {
  override readonly name = "SegmentRefusal";
  readonly code: SegmentRefusalCode;
  readonly detail: string;

  constructor(code: SegmentRefusalCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
  }
}

/**
 * Throws SegmentRefusal where the segment can't be read, or not any further; pages that were given
 * before stay valid. `line` of a row is its number. `mapping` names the columns that hold address
 * and id; the other columns become data.
 */
export async function* readSegment(
  database: SegmentDatabase,
  segment: string,
  mapping: SegmentColumns = {},
): AsyncGenerator<UploadPage> {
  const view = await findView(database, segment);
  const columns = columnsOf(view, await columnNames(database, view), mapping);
  const page = new PageInMaking();
  let place = START;
  let line = 0;
  for (;;) {
    const rows = await query(database, pageQuery(view, columns, place), ...place.id);
    for (const row of rows) {
      line += 1;
      const characters = charactersOf(row);
      page.add(rowOf(columns, row, line, characters), characters);
      if (page.isFull) yield page.take();
    }
    if (rows.length < ENROL_PAGE) break;
    place = placeBehind(place, rows);
  }
  if (!page.isEmpty) yield page.take();
}

async function findView(database: SegmentDatabase, segment: string): Promise<string> {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'view' AND name = ?1";
  const [row] = await query(database, sql, segment);
  if (typeof row?.[0] === "string") return row[0];
  throw new SegmentRefusal("notFound", `The audience has no view called "${shorten(segment)}".`);
}

async function columnNames(database: SegmentDatabase, view: string): Promise<string[]> {
  const rows = await query(database, "SELECT name FROM pragma_table_info(?1)", view);
  return rows.map(([name]) => String(name));
}

type Columns = {
  readonly id: string;
  readonly email: string;
  readonly data: readonly string[];
};

function columnsOf(view: string, names: readonly string[], mapping: SegmentColumns): Columns {
  const wanted = { id: mapping.id ?? "id", email: mapping.email ?? "email" };
  const id = columnCalled(names, wanted.id);
  const email = columnCalled(names, wanted.email);
  if (id !== undefined && email !== undefined && id !== email) {
    return { id, email, data: names.filter((name) => name !== id && name !== email) };
  }
  const found = names.map((name) => `"${name}"`).join(", ");
  const needs = `"${shorten(wanted.id)}" and "${shorten(wanted.email)}"`;
  const detail = `The view "${view}" needs two columns, ${needs}. It has ${shorten(found)}.`;
  throw new SegmentRefusal("unfit", detail);
}

/** SQLite tells no two columns apart by their case. */
function columnCalled(names: readonly string[], wanted: string): string | undefined {
  return names.find((name) => name.toLowerCase() === wanted.toLowerCase());
}

/** Behind which row to go on: its id, and how many rows with that id have been read. */
type Place = {
  readonly type: "start" | "null" | "integer" | "text";
  readonly id: readonly [] | readonly [string];
  readonly ties: number;
};
const START: Place = { type: "start", id: [], ties: 0 };

/**
 * Ids travel as text, since a whole number above 2^53 would come back as another. `+` takes the
 * affinity from the cast, by which texts that look like numbers would be compared as numbers, in
 * another order than they are sorted in (SQLite, "Datatypes", §4.2).
 */
const BEHIND: Readonly<Record<Place["type"], (id: string) => string>> = {
  start: () => "",
  // NULL sorts before everything, so that those rows are at the start.
  null: () => "",
  integer: (id) => `WHERE ${id} >= +CAST(?1 AS INTEGER)`,
  text: (id) => `WHERE ${id} >= ?1 COLLATE BINARY`,
};

function pageQuery(view: string, columns: Columns, { type, ties }: Place): string {
  const id = quoted(columns.id);
  const email = quoted(columns.email);
  const data = columns.data.map((name) => `, ${plain(quoted(name))}`).join("");
  return `SELECT CAST(${id} AS TEXT), typeof(${id}), ${email}${data} FROM ${quoted(view)}
    ${BEHIND[type](id)} ORDER BY ${id} COLLATE BINARY, ${email} LIMIT ${ENROL_PAGE} OFFSET ${ties}`;
}

/** SQLite, "Keywords": an identifier in double quotes, with a quote in it doubled. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A value as JSON can hold it: large numbers as text; bytes have no text, so that they are none. */
function plain(column: string): string {
  const most = Number.MAX_SAFE_INTEGER;
  return `CASE typeof(${column}) WHEN 'blob' THEN NULL WHEN 'integer' THEN
    CASE WHEN ${column} BETWEEN -${most} AND ${most} THEN ${column} ELSE CAST(${column} AS TEXT) END
    ELSE ${column} END`;
}

function placeBehind(before: Place, rows: readonly (readonly unknown[])[]): Place {
  const [id, type] = rows.at(-1) ?? [];
  const first = rows.findLastIndex((row) => row[0] !== id || row[1] !== type) + 1;
  const goesOn = first === 0 && isAt(before, id, type);
  const ties = rows.length - first + (goesOn ? before.ties : 0);
  if (ties > MAX_SEGMENT_TIES) {
    const detail = `More than ${MAX_SEGMENT_TIES} rows have the id ${shorten(String(id))}.`;
    throw new SegmentRefusal("unfit", `${detail} Give each row an id of its own.`);
  }
  if (type === "null") return { type, id: [], ties };
  if (type === "integer" || type === "text") return { type, id: [String(id)], ties };
  const detail = `An id is a value of type ${String(type)}; make it text or a whole number.`;
  throw new SegmentRefusal("unfit", detail);
}

function isAt(place: Place, id: unknown, type: unknown): boolean {
  if (place.type === "start") return type === "null";
  return place.type === type && (place.id[0] ?? null) === id;
}

function rowOf(
  columns: Columns,
  row: readonly unknown[],
  line: number,
  characters: number,
): Enrolment | InvalidRow {
  const [id, type, email, ...values] = row;
  if (type === "real" || type === "blob") {
    return invalidRow(line, "badId", `The id has to be text or a whole number; it is ${type}.`);
  }
  if (typeof email !== "string") {
    return invalidRow(line, "badEmail", `The email has to be text; it is ${kindOf(email)}.`);
  }
  // Object.fromEntries defines properties, so a column called __proto__ is one like any other.
  const data = Object.fromEntries(columns.data.map((name, at) => [name, values[at] ?? null]));
  const written = { id: typeof id === "string" ? id : "", email, data };
  return enrolmentOf(line, written, characters + namesLength(columns));
}

/** As many as the longest number has: -1.7976931348623157e+308. */
const NUMBER_CHARACTERS = 24;

/** An upper bound of what a row takes as JSON without the names of its columns. */
function charactersOf(row: readonly unknown[]): number {
  return row.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : NUMBER_CHARACTERS),
    0,
  );
}

function namesLength({ data }: Columns): number {
  return data.reduce((sum, name) => sum + name.length + PUNCTUATION_CHARACTERS, 0);
}

async function query(
  database: SegmentDatabase,
  sql: string,
  ...values: string[]
): Promise<unknown[][]> {
  try {
    return await database
      .prepare(sql)
      .bind(...values)
      .raw();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Such as a view over a table that is gone. What else goes wrong is the database's own trouble.
    const fault = /^D1_ERROR: (.*): SQLITE_ERROR/s.exec(message)?.[1];
    if (fault !== undefined) {
      throw new SegmentRefusal("unfit", `The view can't be read: ${fault}.`, error);
    }
    throw new SegmentRefusal("unavailable", "The audience's database did not answer.", error);
  }
}
