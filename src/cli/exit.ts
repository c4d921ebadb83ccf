/** How the command line ends. Scripts branch on these numbers, so that each keeps its meaning. */
export const EXIT = {
  /** Done. */
  ok: 0,
  /** The server has refused; asking the same again gives the same. */
  refused: 1,
  /** Wrong usage: a flag, a file or the configuration. Nothing was asked. */
  usage: 2,
  /** No answer, or a server in trouble: the same may work later. */
  unreachable: 3,
  /** Done, and somebody has to look: errors in a preflight, rows left out, doubts, a cancelled run. */
  attention: 4,
  /** A fault of this program, or an answer of a server of another version (sysexits.h, EX_SOFTWARE). */
  fault: 70,
  /** Ctrl-C (128 + SIGINT). */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something about the command itself; its message says what to give instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
