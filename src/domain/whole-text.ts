/** Text of others as it can be kept: SQLite ends a text at a NUL here and there. */

/** At most `most` characters of it, none of them a NUL or half of one; U+FFFD stands for those. */
export function wholeText(text: string, most: number): string {
  return text.slice(0, most).toWellFormed().replaceAll("\0", "\ufffd");
}
