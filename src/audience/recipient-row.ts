/**
 * From one row of any format to an enrolment, or to the reason why not.
 *
 * What leaves here has been checked: the address is in normal form, the id has 1 to 256
 * characters, and the data is an object within its bounds of size and depth.
 */
import { parseAddress } from "../domain/address.ts";
import { parseRecipientId } from "../domain/ids.ts";
import { isObject } from "../domain/is-object.ts";
import { MAX_DATA_BYTES, MAX_DATA_DEPTH, MAX_RECIPIENT_ID_CHARACTERS } from "../domain/limits.ts";
import type { Enrolment } from "../domain/enrolment.ts";
import type { InvalidRow, RowFaultCode } from "./upload.ts";

type Data = Readonly<Record<string, unknown>>;

/** JSON spends six bytes on a character at the most, as in `\u0000`. */
const MOST_BYTES_A_CHARACTER = 6;
/** Of JSON around one value: two quotes for it, two for its name, a colon and a comma. */
export const PUNCTUATION_CHARACTERS = 6;

export function invalidRow(line: number, code: RowFaultCode, detail: string): InvalidRow {
  return { line, code, detail };
}

/**
 * `id` empty: the address in its normal form is the id. `characters` is an upper bound of the
 * characters in the JSON of `data` where the caller knows one, which spares measuring small rows.
 */
export function enrolmentOf(
  line: number,
  row: { readonly id: string; readonly email: string; readonly data: Data },
  characters: number = Number.POSITIVE_INFINITY,
): Enrolment | InvalidRow {
  const parsed = parseAddress(row.email);
  if (!parsed.ok) return invalidRow(line, parsed.refusal.code, parsed.refusal.detail);
  const { address, email } = parsed.value;
  const id = parseRecipientId(row.id === "" ? address : row.id);
  if (id === null) {
    const detail = `The id has more than ${MAX_RECIPIENT_ID_CHARACTERS} characters.`;
    return invalidRow(line, "badId", detail);
  }
  // SQLite keeps text as UTF-8 and ends it at a NUL here and there; such ids would run together.
  if (!id.isWellFormed() || id.includes("\0")) {
    return invalidRow(line, "badId", "The id holds a NUL or half a character; leave it out.");
  }
  if (characters * MOST_BYTES_A_CHARACTER > MAX_DATA_BYTES && bytesOf(row.data) > MAX_DATA_BYTES) {
    const detail = `The data has more than ${MAX_DATA_BYTES} bytes as JSON; leave fields out.`;
    return invalidRow(line, "dataTooLarge", detail);
  }
  return { line, id, address, email, data: row.data };
}

/** Reads `{ "id"?, "email", "data"? }` (DESIGN §4). Null stands for a field that is missing. */
export function readRecipient(line: number, value: unknown): Enrolment | InvalidRow {
  if (!isObject(value)) {
    const detail = `A recipient is an object like {"email": "…"}; this is ${kindOf(value)}.`;
    return invalidRow(line, "notAnObject", detail);
  }
  const { id = null, email = null, data = null, ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    const detail = `A recipient has no field "${shorten(unknown)}"; put merge fields into "data".`;
    return invalidRow(line, "unknownField", detail);
  }
  if (typeof email !== "string") {
    return invalidRow(line, "badEmail", `"email" must be a string; it is ${kindOf(email)}.`);
  }
  if (id !== null && typeof id !== "string") {
    return invalidRow(line, "badId", `"id" must be a string; it is ${kindOf(id)}.`);
  }
  if (data !== null && !isObject(data)) {
    return invalidRow(line, "badData", `"data" must be an object; it is ${kindOf(data)}.`);
  }
  if (!isWithinDepth(data, MAX_DATA_DEPTH)) {
    const detail = `"data" nests deeper than ${MAX_DATA_DEPTH} levels.`;
    return invalidRow(line, "dataTooDeep", detail);
  }
  return enrolmentOf(line, { id: id ?? "", email, data: data ?? {} });
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

export function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

function bytesOf(data: Data): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

export function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithinDepth(inner, levels - 1));
}
