/** The columns of a CSV file's first line, so that a person can say which one holds the address. */

/** Reads RFC 4180 fields up to the first line break outside quotes; a BOM in front is passed over. */
export function csvColumns(text: string): string[] {
  const fields: string[] = [];
  let field = "";
  let isQuoted = false;
  for (const character of text.replace(/^\uFEFF/, "")) {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) field += character;
    else if (character === "\n" || character === "\r") break;
    else if (character === ",") {
      fields.push(field.trim());
      field = "";
    } else field += character;
  }
  return [...fields, field.trim()].filter((name) => name !== "");
}
