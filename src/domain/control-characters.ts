/**
 * Characters that end or spoil a line: of a mail's header, of a log, of a CSV file. C0, DEL and C1,
 * which are Unicode's category Cc, and its own line ends.
 */
export const CONTROL_CHARACTER = /[\p{Cc}\u2028\u2029]/u;
/** Runs of them, to be replaced. */
export const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]+/gu;
