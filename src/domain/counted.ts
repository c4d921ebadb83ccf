/** Numbers with their noun, in every sentence that tells one: never `1 recipients`. */

/**
 * `1 recipient`, `2 recipients`, `3 batches`, `4 replies`. The last word of the noun is the one that
 * is counted, and a regular one.
 * @param shown the number as it is to be written; none: its digits
 */
export function counted(number: number, noun: string, shown = String(number)): string {
  return `${shown} ${number === 1 ? noun : plural(noun)}`;
}

function plural(noun: string): string {
  if (/(?:[sx]|[cs]h)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The verb behind it: `1 recipient is`, `2 recipients are`. */
export function isOrAre(number: number): "is" | "are" {
  return number === 1 ? "is" : "are";
}
