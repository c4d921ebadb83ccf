/**
 * What becomes of the queue's message. It is acknowledged exactly when nothing of it is left to do by
 * it: everybody in it is settled, in doubt, or in the hands of another message. Everything else comes
 * again, and a message that comes for ever ends in the queue's own dead letters, in plain view.
 */
import {
  BACKOFF_MOST_SECONDS,
  MESSAGE_AGAIN_SECONDS,
  UNCOVERED_AGAIN_SECONDS,
} from "../domain/limits.ts";
import type { Declined, Skipped, Told } from "./campaign-port.ts";
import type { Invalid, Part } from "./message.ts";

export type DecisionReason =
  /** Everybody is settled: by this delivery, or by one before it. */
  | "settled"
  /** `limit` found nobody. */
  | "nothingDue"
  | "finished"
  | "cancelled"
  | "paused"
  | "notStarted"
  /** Another delivery holds the reservation, or its next attempt is not due. */
  | "inFlight"
  /** Nothing was accepted, and the same recipients are due later. */
  | "deferred"
  /** It may have been accepted; the same key is due later. */
  | "unknown"
  /** The lease went to another delivery meanwhile. */
  | "staleToken"
  /** The ledger neither reserves nor settles some of the recipients: see `uncovered`. */
  | "notCovered"
  /** The ledger was not reached, or refuses this consumer: see `detail`. */
  | "trouble";

type Evidence = {
  readonly reason: DecisionReason;
  readonly detail: string | null;
  /** Whom the ledger has left out, and why. */
  readonly skipped: readonly Skipped[];
  /** Whom nobody can mail. They are in no ledger, so this is the only place that names them. */
  readonly invalid: readonly Invalid[];
  /** Ids that the ledger has not heard of, since its enrolment is closed or the message's id was
   * used for other recipients before. */
  readonly uncovered: readonly string[];
};

export type Decision =
  | ({ readonly action: "ack" } & Evidence)
  | ({ readonly action: "retry"; readonly afterSeconds: number } & Evidence);

/** What became of one part of a message. `afterSeconds` null: nothing of it is left to do. */
export type PartEnd = {
  readonly reason: DecisionReason;
  readonly afterSeconds: number | null;
  readonly detail?: string;
  readonly skipped?: readonly Skipped[];
  readonly uncovered?: readonly string[];
};

/** The brought recipients of whom an answer says nothing. */
export function uncoveredIn(part: Part, named: readonly { readonly id: string }[]): string[] {
  if ("limit" in part.wanted) return [];
  const ids = new Set(named.map(({ id }) => id));
  return part.wanted.recipients.map(({ id }) => id).filter((id) => !ids.has(id as string));
}

/** @param attempts how often the message was delivered, from 1 */
export function endOfDeclined(part: Part, no: Declined, attempts: number): PartEnd {
  const { reason, skipped, retryAfterSeconds } = no;
  switch (reason) {
    case "paused":
    case "notStarted":
      // A queue gives a message up after so many deliveries, and a pause may take a night.
      return { reason, skipped, afterSeconds: longer(retryAfterSeconds, attempts) };
    case "inFlight":
      return { reason, skipped, afterSeconds: retryAfterSeconds };
    case "cancelled":
      return { reason, skipped, afterSeconds: null };
    case "nothingDue":
    case "settled":
    case "finished":
      return covered(part, { reason: settledReason(part, reason), skipped, afterSeconds: null });
    default: {
      // The ledger may be of a later release, which refuses for reasons of its own.
      const later: never = reason;
      return endOfTrouble(`the campaign refuses: ${String(later)}`, null, attempts);
    }
  }
}

/** Recipients that were brought along and are not due are settled, or another message's. */
function settledReason(
  part: Part,
  reason: "nothingDue" | "settled" | "finished",
): "nothingDue" | "settled" | "finished" {
  return reason === "nothingDue" && "recipients" in part.wanted ? "settled" : reason;
}

function covered(part: Part, end: PartEnd): PartEnd {
  const uncovered = uncoveredIn(part, end.skipped ?? []);
  if (uncovered.length === 0) return end;
  return { ...end, reason: "notCovered", uncovered, afterSeconds: UNCOVERED_AGAIN_SECONDS };
}

/** After an attempt, its results reported. `rest` null: everybody had one. */
export function endOfAttempt(
  rest: Exclude<Told, { kind: "results" }> | null,
  skipped: readonly Skipped[],
  uncovered: readonly string[],
): PartEnd {
  if (rest !== null) {
    const { kind, reason: detail, retryAfterSeconds } = rest;
    const afterSeconds = Math.max(
      retryAfterSeconds ?? MESSAGE_AGAIN_SECONDS,
      MESSAGE_AGAIN_SECONDS,
    );
    return { reason: kind, detail, skipped, uncovered, afterSeconds };
  }
  if (uncovered.length === 0) return { reason: "settled", skipped, afterSeconds: null };
  return { reason: "notCovered", skipped, uncovered, afterSeconds: UNCOVERED_AGAIN_SECONDS };
}

/** Somebody else has the lease by now, or soon will. */
export function endOfStale(skipped: readonly Skipped[]): PartEnd {
  return { reason: "staleToken", skipped, afterSeconds: MESSAGE_AGAIN_SECONDS };
}

/** @param retryAfterSeconds what the server asked for; null: nothing */
export function endOfTrouble(
  detail: string,
  retryAfterSeconds: number | null,
  attempts: number,
): PartEnd {
  const afterSeconds = retryAfterSeconds ?? longer(MESSAGE_AGAIN_SECONDS, attempts);
  return { reason: "trouble", detail, afterSeconds };
}

function longer(seconds: number, attempts: number): number {
  return Math.min(seconds * 2 ** Math.min(attempts - 1, 30), BACKOFF_MOST_SECONDS);
}

/** Comes again when the last of its parts is due: each delivery counts. */
export function decide(ends: readonly PartEnd[], invalid: readonly Invalid[]): Decision {
  const open = ends.filter((end) => end.afterSeconds !== null);
  const last = open.toSorted((a, b) => (b.afterSeconds ?? 0) - (a.afterSeconds ?? 0))[0];
  const told = last ?? ends[0];
  const evidence = {
    reason: told?.reason ?? "settled",
    detail: told?.detail ?? null,
    skipped: ends.flatMap((end) => end.skipped ?? []),
    uncovered: ends.flatMap((end) => end.uncovered ?? []),
    invalid,
  };
  if (last === undefined) return { action: "ack", ...evidence };
  return { action: "retry", afterSeconds: Math.ceil(last.afterSeconds ?? 0), ...evidence };
}
