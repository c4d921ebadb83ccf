/** One command on its way: the server it talks to, and how its result is told. */
import type { Command } from "@commander-js/extra-typings";
import type { SendonceClient } from "../client/client.ts";
import type { ExitCode } from "./exit.ts";
import type { Io } from "./io.ts";

export type GlobalOptions = {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly config?: string | undefined;
  readonly json?: true | undefined;
};

export type Program = Command<[], GlobalOptions>;

export type Session = {
  readonly client: SendonceClient;
  readonly io: Io;
  /** Whether a program reads: results are JSON on stdout. */
  readonly json: boolean;
  /** Writes the result in the form that was asked for. */
  readonly tell: (result: unknown, text: () => string) => Promise<void>;
};

/** Runs a command and keeps how it ends; nothing said is `ok`. */
export type Act = (work: (session: Session) => Promise<ExitCode | void>) => Promise<void>;

/** What each file of commands gives: it adds them to the program. */
export type AddCommands = (program: Program, act: Act) => void;
