/**
 * The states of a recipient and what may happen to it.
 *
 * `sent` can't be left: whoever has been accepted by the provider is never mailed again (SPEC G1).
 * It can be entered from anywhere, since an acceptance is a fact whenever it becomes known. The
 * ledger's triggers restate this table (ledger/schema-changes.ts), and a test compares the two.
 */
import { accept, refuse, type Result } from "./result.ts";

export const RECIPIENT_STATUSES = [
  "pending",
  "reserved",
  "sent",
  "failed",
  "suppressed",
  "inDoubt",
  "cancelled",
] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

export const RECIPIENT_COMMANDS = [
  "reserve", // a batch takes it
  "accept", // the provider has it: a report, a webhook, or a person who looked
  "fail", // the provider has definitely refused it
  "release", // its batch was definitely not accepted: back to the queue of the waiting
  "doubt", // it may have been accepted and can't be asked any more
  "suppress", // its address must not be mailed
  "withhold", // it would be put back, but its address was suppressed meanwhile
  "cancel", // the campaign was cancelled before it was mailed
  "replay", // an operator wants it mailed after all
] as const;
export type RecipientCommand = (typeof RECIPIENT_COMMANDS)[number];

export type RecipientRefusal = {
  readonly code: "notFromHere";
  readonly status: RecipientStatus;
  readonly command: RecipientCommand;
};

type Row = Readonly<Partial<Record<RecipientCommand, RecipientStatus>>>;

const TRANSITIONS: Readonly<Record<RecipientStatus, Row>> = {
  pending: { reserve: "reserved", accept: "sent", suppress: "suppressed", cancel: "cancelled" },
  // No `suppress` here: a reserved recipient may be with the provider already. Should its batch be
  // released, the suppression takes it in the same transaction (`withhold` instead of `release`).
  reserved: {
    accept: "sent",
    fail: "failed",
    release: "pending",
    withhold: "suppressed",
    doubt: "inDoubt",
    cancel: "cancelled",
  },
  sent: { accept: "sent" },
  failed: { accept: "sent", fail: "failed", replay: "pending", withhold: "suppressed" },
  suppressed: { accept: "sent", suppress: "suppressed" },
  // A doubt whose key is still remembered goes back to its own batch (`reserve`), others go
  // to a new one and risk a second mail, which the operator has to accept in words.
  inDoubt: {
    reserve: "reserved",
    accept: "sent",
    fail: "failed",
    replay: "pending",
    // By releases of before; now it stays in doubt, since it may have been mailed.
    withhold: "suppressed",
  },
  cancelled: { accept: "sent", cancel: "cancelled" },
};

export function recipientAfter(
  status: RecipientStatus,
  command: RecipientCommand,
): Result<RecipientStatus, RecipientRefusal> {
  const next = TRANSITIONS[status][command];
  return next === undefined ? refuse({ code: "notFromHere", status, command }) : accept(next);
}

/** The pairs of different states that some command leads between. */
export function recipientMoves(): readonly (readonly [RecipientStatus, RecipientStatus])[] {
  return RECIPIENT_STATUSES.flatMap((from) =>
    [...new Set(Object.values(TRANSITIONS[from]))]
      .filter((to) => to !== from)
      .map((to) => [from, to] as const),
  );
}
