/** From whatever went wrong to words on stderr, and to the number that a script sees. */
import { CommanderError } from "commander";
import { SendonceProblem, SendonceUnreachable } from "../client/problem.ts";
import manifest from "../../package.json" with { type: "json" };
import { adviceFor } from "./advice.ts";
import { EXIT, UsageError, type ExitCode } from "./exit.ts";

export type Failure = {
  readonly code: ExitCode;
  /** Null where it has been told already. */
  readonly text: string | null;
  readonly json: Readonly<Record<string, unknown>>;
};

/** Whatever broke off by it: of what was under way, nobody here has heard how it ended. */
export const INTERRUPTED: Failure = {
  code: EXIT.interrupted,
  text: "interrupted. What was asked before may have been carried out.",
  json: { error: "interrupted" },
};

/** What is none of the known ways to fail is a bug, and looks like one: but not like a refusal. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return ofCommander(error);
  if (error instanceof UsageError) {
    const { message } = error;
    return { code: EXIT.usage, text: message, json: { error: "usage", detail: message } };
  }
  if (error instanceof SendonceProblem) return ofProblem(error);
  if (error instanceof SendonceUnreachable) {
    const { message } = error;
    const text = `${message}. Is the server up, and is --url its origin? It is safe to ask again.`;
    return { code: EXIT.unreachable, text, json: { error: "unreachable", detail: message } };
  }
  const stack = error instanceof Error ? error.stack : String(error);
  const text =
    "this is a fault of sendonce itself, or the server is of another version than " +
    `${manifest.version}, or no Sendonce.\n${stack}`;
  return { code: EXIT.fault, text, json: { error: "fault", detail: String(error) } };
}

/** Commander has written its message itself; help and the version are no failures. */
function ofCommander(error: CommanderError): Failure {
  const code = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return { code, text: null, json: { error: "usage", detail: error.message } };
}

function ofProblem(problem: SendonceProblem): Failure {
  const { status, message, errors, retryAfterSeconds } = problem;
  const others = errors.slice(1).map(({ path, detail }) => `  ${path} ${detail}`);
  const wait = retryAfterSeconds === null ? null : `Try again in ${retryAfterSeconds} s.`;
  const lines = [message, ...others, adviceFor(problem), wait].filter((line) => line !== null);
  return {
    // 429 is about now, as the 500s are.
    code: status >= 500 || status === 429 ? EXIT.unreachable : EXIT.refused,
    text: lines.join("\n"),
    json: { error: problem.body["code"], ...problem.body },
  };
}
