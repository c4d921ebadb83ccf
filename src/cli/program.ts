/** The command line as a whole: what there is, and how one call of it runs. */
import { Command } from "@commander-js/extra-typings";
import manifest from "../../package.json" with { type: "json" };
import { SendonceClient } from "../client/client.ts";
import { addAuthorCommands } from "./commands/author.ts";
import { addDraftCommands } from "./commands/draft.ts";
import { addHistoryCommands } from "./commands/history.ts";
import { addPersonCommands } from "./commands/person.ts";
import { addRecipientCommands } from "./commands/recipients.ts";
import { addRepairCommands } from "./commands/repair.ts";
import { addRunCommands } from "./commands/run.ts";
import { addSuppressCommands } from "./commands/suppress.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { failureOf, INTERRUPTED } from "./failure.ts";
import type { Io } from "./io.ts";
import type { Act, Program, Session } from "./session.ts";
import { serverOf } from "./settings.ts";

const AFTER_HELP = `
The server and its token: --url and --token, SENDONCE_URL and SENDONCE_TOKEN, or
{ "url": "https://…", "token": "…" } in ~/.config/sendonce.json.

Exit codes: 0 done · 1 refused by the server · 2 wrong usage · 3 unreachable, ask again later ·
4 done, and somebody has to look (preflight errors, failures, doubts, cancelled) ·
70 a fault of sendonce, or a server of another version · 130 interrupted
`;

/** Runs one command. @returns its exit code */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  // Known before the arguments are parsed, since their own faults are told in this form too.
  const json = args.includes("--json");
  let code: ExitCode = EXIT.ok;
  const program = programOf(io, json, async (work) => {
    code = (await work(sessionOf(program, io))) ?? EXIT.ok;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    const failure = io.interrupted.aborted ? INTERRUPTED : failureOf(error);
    // Commander has told its part itself, unless a program reads.
    if (json && failure.code !== EXIT.ok) io.err(`${JSON.stringify(failure.json)}\n`);
    else if (failure.text !== null) io.err(`sendonce: ${failure.text}\n`);
    return failure.code;
  }
}

function sessionOf(program: Program, io: Io): Session {
  const { json = false, ...flags } = program.opts();
  return {
    client: new SendonceClient({
      ...serverOf(flags, io),
      signal: io.interrupted,
      surroundings: io.surroundings,
    }),
    io,
    json,
    tell: (result, text) => io.out(json ? `${JSON.stringify(result)}\n` : text()),
  };
}

function programOf(io: Io, json: boolean, act: Act): Program {
  const program = new Command()
    .name("sendonce")
    .description("Sends campaigns, each recipient once.")
    .version(manifest.version)
    .option("--url <url>", "origin of the server")
    .option("--token <token>", "OPERATOR_TOKEN, or VIEWER_TOKEN to look only")
    .option("--config <file>", "none: ~/.config/sendonce.json")
    .option("--json", "results as JSON on stdout, and errors on stderr")
    .addHelpText("after", AFTER_HELP)
    .showHelpAfterError("See sendonce --help, or --help after a command.")
    // Commands take these over when they are made, so they stand before them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.out(text),
      writeErr: (text) => (json ? undefined : io.err(text)),
    });
  addAuthorCommands(program, act);
  addDraftCommands(program, act);
  addRunCommands(program, act);
  addRecipientCommands(program, act);
  addHistoryCommands(program, act);
  addRepairCommands(program, act);
  addSuppressCommands(program, act);
  addPersonCommands(program, act);
  return program;
}
