/**
 * All that the command line has of its surroundings, so that tests run it in their own process.
 * Results go to `out`, everything else to `err`: a pipe gets the result alone.
 */
import type { Surroundings } from "../client/surroundings.ts";

export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** Resolves when more may be written. */
  out(text: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Whether a person sees what is redrawn there. */
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** Columns of the terminal. */
  columns(): number;
  readonly stdin: () => ReadableStream<Uint8Array>;
  readonly interrupted: AbortSignal;
  now(): number;
  /** What the client is given instead of what it would find. */
  readonly surroundings: Partial<Surroundings>;
};
