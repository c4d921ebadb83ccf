/**
 * The states of a batch: members frozen together under one idempotency key.
 *
 *   leased ──report──▶ settled            every member has its final state
 *     │ ├───report──▶ dissolved          definitely not accepted; members go back under new keys
 *     │ └───report──▶ waiting            to be repeated with the same key and the same bytes
 *     └────expire───▶ waiting | inDoubt   inDoubt once the provider has forgotten the key
 *
 * `unknownAttempts` counts the attempts that may have been accepted. While it is above zero the
 * batch is never dissolved, so that no recipient of it gets a new key (SPEC G3).
 */
import { accept, refuse, type Result } from "./result.ts";

export const BATCH_STATES = ["leased", "waiting", "settled", "dissolved", "inDoubt"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export const BATCH_COMMANDS = [
  "lease", // a consumer takes it, again
  "wait", // an attempt ended without a final answer
  "settle", // every member has reached a final state
  "dissolve", // nothing of it was accepted, and it will not be repeated
  "doubt", // something may have been accepted, and it can't be repeated
  "reopen", // an operator has it repeated while the provider still remembers its key
] as const;
export type BatchCommand = (typeof BATCH_COMMANDS)[number];

export type BatchRefusal = {
  readonly code: "notFromHere";
  readonly state: BatchState;
  readonly command: BatchCommand;
};

const TRANSITIONS: Readonly<
  Record<BatchState, Readonly<Partial<Record<BatchCommand, BatchState>>>>
> = {
  leased: { wait: "waiting", settle: "settled", dissolve: "dissolved", doubt: "inDoubt" },
  waiting: {
    wait: "waiting",
    lease: "leased",
    settle: "settled",
    dissolve: "dissolved",
    doubt: "inDoubt",
  },
  settled: { settle: "settled" },
  dissolved: { settle: "settled" },
  inDoubt: { settle: "settled", reopen: "waiting" },
};

export function batchAfter(
  state: BatchState,
  command: BatchCommand,
): Result<BatchState, BatchRefusal> {
  const next = TRANSITIONS[state][command];
  return next === undefined ? refuse({ code: "notFromHere", state, command }) : accept(next);
}

/** The pairs of different states that some command leads between. */
export function batchMoves(): readonly (readonly [BatchState, BatchState])[] {
  return BATCH_STATES.flatMap((from) =>
    [...new Set(Object.values(TRANSITIONS[from]))]
      .filter((to) => to !== from)
      .map((to) => [from, to] as const),
  );
}
