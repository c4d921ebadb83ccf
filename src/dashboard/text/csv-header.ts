/**
 * The columns of a CSV file's first line, so that a person can say which one holds the address. It
 * is read as the server reads it (src/audience/csv.ts): `,`, `;` or tab, whichever there is most of.
 */

const DELIMITERS = [",", ";", "\t"] as const;
/** What spreadsheets and other services call the column, where it is not `email`. */
const LIKE_EMAIL = /^(e-?mail|mail)([ _-]?(address|adresse))?$|^(address|adresse)$/i;

export type CsvHeader = {
  readonly columns: readonly string[];
  /** The column that holds the address, by all that its name says; null where none is named so. */
  readonly likelyEmail: string | null;
  /** Why the file can't be taken as it is; null: nothing that its first line tells. */
  readonly trouble: string | null;
};

export const NO_HEADER: CsvHeader = { columns: [], likelyEmail: null, trouble: null };

/** @param bytes the beginning of the file */
export function csvHeader(bytes: Uint8Array): CsvHeader {
  const text = decoded(bytes);
  if (text.startsWith("PK\u0003\u0004") || /[\0\ufffd]/.test(text)) {
    const trouble = "This is not a text file. Save the sheet as CSV (UTF-8), and choose that file.";
    return { ...NO_HEADER, trouble };
  }
  const columns = csvColumns(text);
  const exact = columns.find((name) => name.toLowerCase() === "email");
  const likelyEmail = exact ?? columns.find((name) => LIKE_EMAIL.test(name)) ?? null;
  if (likelyEmail !== null || columns.length === 0) return { columns, likelyEmail, trouble: null };
  const trouble = columns.some((name) => name.includes("@"))
    ? "The first line is a recipient already. Above it has to be one that names the columns."
    : "No column is called email. Choose the one that holds the addresses.";
  return { columns, likelyEmail, trouble };
}

/** UTF-8, or UTF-16 where the mark at its beginning says so; a bad byte becomes U+FFFD. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const decoder = new TextDecoder(isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8");
  // The last character of a piece of a file may be cut in two.
  return decoder.decode(bytes, { stream: true });
}

/** Reads RFC 4180 fields of the first line that is not blank; a BOM in front is passed over. */
export function csvColumns(text: string): string[] {
  const line = firstLine(text.replace(/^\uFEFF/, "").trimStart());
  const split = DELIMITERS.map((delimiter) => fieldsOf(line, delimiter));
  const most = split.reduce((best, each) => (each.length > best.length ? each : best));
  return most.map((name) => name.trim()).filter((name) => name !== "");
}

function firstLine(text: string): string {
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && (character === "\n" || character === "\r")) return text.slice(0, at);
  }
  return text;
}

function fieldsOf(line: string, delimiter: string): string[] {
  const fields: string[] = [];
  let field = "";
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      fields.push(field);
      field = "";
    } else field += character;
  }
  return [...fields, field];
}
