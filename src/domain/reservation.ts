/** The two calls of a consumer, reserve and report, and each no that they know (DESIGN §6). */
import type { Delivery } from "./draft.ts";
import type { Enrolment } from "./enrolment.ts";
import { withoutAddresses, type NameOf } from "./fault-text.ts";
import type { BatchNumber, DispatchNumber, Instant, RecipientId, Token } from "./ids.ts";
import type { AttemptOutcome, Member } from "./outcome.ts";
import { unreachable } from "./result.ts";

/** Who wants to mail. A managed consumer brings a dispatch, an external one its own id. */
export type ReserveRequest =
  | { readonly by: "dispatch"; readonly dispatch: DispatchNumber; readonly claim: string }
  | {
      readonly by: "recipients";
      readonly reservationId: string;
      readonly recipients: readonly Enrolment[];
      readonly claim: string | null;
    }
  | {
      readonly by: "limit";
      readonly reservationId: string;
      readonly limit: number;
      readonly claim: string | null;
    };

export const SKIP_REASONS = [
  "sent",
  "reserved",
  "failed",
  "suppressed",
  "duplicateAddress",
  "inDoubt",
  "cancelled",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export type Skipped = { readonly id: RecipientId; readonly reason: SkipReason };

export const RESERVE_REFUSAL_REASONS = [
  "paused",
  "notStarted",
  "finished",
  "cancelled",
  "inFlight",
  "settled",
  "nothingDue",
] as const;
export type ReserveRefusalReason = (typeof RESERVE_REFUSAL_REASONS)[number];

export type ReserveAnswer =
  | {
      readonly granted: true;
      readonly reservationId: string;
      readonly batch: BatchNumber;
      readonly token: Token;
      readonly expiresAt: Instant;
      /** The same span without a clock: what a consumer with another clock has left. */
      readonly leaseMilliseconds: number;
      readonly idempotencyKey: string;
      readonly contentId: string | null;
      readonly members: readonly Member[];
      readonly skipped: readonly Skipped[];
    }
  | {
      readonly granted: false;
      readonly reason: ReserveRefusalReason;
      readonly skipped: readonly Skipped[];
      readonly retryAfterSeconds: number;
    };

/** The no of a reserve. */
export type Declined = Extract<ReserveAnswer, { granted: false }>;

export type ReserveRefusal =
  | { readonly code: "notFound" }
  /** A dispatch for an external campaign, or a reservation for a managed one. */
  | { readonly code: "wrongDelivery"; readonly delivery: Delivery };

/** An external report names people by their ids, a managed one by their places. */
export type ReportRequest = {
  readonly batch: { readonly number: BatchNumber } | { readonly reservationId: string };
  readonly token: Token;
  readonly outcome: AttemptOutcome | ExternalOutcome;
  /** How long the provider's call took, to be measured; missing: nobody says. */
  readonly callMilliseconds?: number;
};

export type ExternalOutcome = {
  readonly kind: "results";
  readonly results: readonly (
    | { readonly id: RecipientId; readonly outcome: "sent"; readonly providerId: string }
    | { readonly id: RecipientId; readonly outcome: "failed"; readonly reason: string }
  )[];
};

/**
 * What another queue's consumer tells, with no address in its texts but that of whom a reason is about.
 * A reason is kept with everybody it is told of, and would still name somebody when that one is erased
 * (SPEC R-erase). What our own consumer tells has been looked over where the provider said it
 * (provider/reason.ts).
 * @param addressOf asked for those alone in whose reason an address stands
 */
export function discreetReport(
  request: ReportRequest,
  addressOf: (id: RecipientId) => string | null,
  nameOf?: NameOf,
): ReportRequest {
  const { batch, outcome } = request;
  if ("number" in batch) return request;
  if (outcome.kind !== "results") return { ...request, outcome: aboutAll(outcome, nameOf) };
  const results = outcome.results.map((one) => {
    if (one.outcome === "sent" || withoutAddresses(one.reason) === one.reason) return one;
    return { ...one, reason: withoutAddresses(one.reason, nameOf, addressOf(one.id)) };
  });
  return { ...request, outcome: { ...outcome, results } };
}

/** Ids stay as they are, of mails as well: they are what a report is about. */
function aboutAll(outcome: AttemptOutcome, nameOf: NameOf | undefined): AttemptOutcome {
  const told = <One extends object>(one: One): One =>
    "reason" in one && typeof one.reason === "string"
      ? { ...one, reason: withoutAddresses(one.reason, nameOf) }
      : one;
  switch (outcome.kind) {
    case "answered":
      return { ...outcome, results: outcome.results.map(told) };
    case "rejected":
      return { ...told(outcome), faults: outcome.faults.map(told) };
    case "deferred":
    case "unknown":
      return told(outcome);
    default:
      return unreachable(outcome);
  }
}

export type ReportRefusal =
  | { readonly code: "notFound" }
  | { readonly code: "unknownReservation" }
  /** Only facts (`sent`) are taken from a stale token; this report held others. */
  | { readonly code: "staleToken"; readonly current: Token }
  /** Results that name somebody who is not in the batch; nothing of the report was taken. */
  | { readonly code: "notInBatch"; readonly ids: readonly string[] };
