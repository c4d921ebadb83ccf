/**
 * Characters that end or spoil a line: of a mail's header, of a log, of a CSV file. C0, DEL and C1, and
 * Unicode's own line ends.
 */
/* oxlint-disable no-control-regex -- they are what is looked for */

export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;
/** Runs of them, to be replaced. */
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu;
