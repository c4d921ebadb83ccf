/**
 * What the consumer kit asks of a campaign: the two calls of DESIGN §6, whichever way they go. Every
 * implementation may be asked again when an answer was lost, since a reservation carries a claim and
 * a report changes nothing the second time.
 */
import type { Enrolment, ReserveRefusalReason, SkipReason } from "../campaign/rpc.ts";

export type { SkipReason };

/** Somebody to be mailed, as the ledger keeps them. */
export type Recipient = {
  readonly id: string;
  /** As it was written, for sending. */
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
};

export type Skipped = { readonly id: string; readonly reason: SkipReason };

/** Whom a message is about: those that it brings, or whoever is next. */
export type Wanted = { readonly recipients: readonly Enrolment[] } | { readonly limit: number };

export type ReservationAsk = {
  readonly reservationId: string;
  /** Names this delivery, so that the same ask again gets the same grant. */
  readonly claim: string;
  readonly wanted: Wanted;
};

export type Grant = {
  readonly granted: true;
  readonly token: number;
  /** What is left of the lease, as seen when the answer was made. */
  readonly leaseMilliseconds: number;
  readonly idempotencyKey: string;
  readonly recipients: readonly Recipient[];
  readonly skipped: readonly Skipped[];
};

export type Declined = {
  readonly granted: false;
  readonly reason: ReserveRefusalReason;
  readonly skipped: readonly Skipped[];
  readonly retryAfterSeconds: number;
};

/** What became of one recipient. */
export type SendResult =
  /** The provider has accepted the mail. Without an id of its own the batch's key stands for it. */
  | { readonly id: string; readonly outcome: "sent"; readonly providerId?: string }
  /** The provider will never accept this mail to this address. */
  | { readonly id: string; readonly outcome: "failed"; readonly reason: string };

export type Told =
  | { readonly kind: "results"; readonly results: readonly Required<SendResult>[] }
  | {
      /** `deferred`: nothing was accepted. `unknown`: perhaps something was. */
      readonly kind: "deferred" | "unknown";
      readonly reason: string;
      /** What the provider asked for; null: nothing. */
      readonly retryAfterSeconds: number | null;
    };

export type ReportAsk = {
  readonly reservationId: string;
  readonly token: number;
  readonly told: Told;
};

export interface CampaignPort {
  /** @throws CampaignTrouble where there was no answer of a ledger */
  reserve(ask: ReservationAsk): Promise<Grant | Declined>;
  /**
   * @returns false: somebody else holds the reservation now, and nothing was changed. A report with a
   *   `sent` in it is never refused for that, since such a fact is taken from anybody.
   * @throws CampaignTrouble where there was no answer of a ledger
   */
  report(ask: ReportAsk): Promise<boolean>;
}

/** The way to the ledger is blocked, or it refuses this consumer altogether. */
export class CampaignTrouble extends Error {
  override readonly name = "CampaignTrouble";
  /** Stable: a code of the API's problems, or `unreachable`. */
  readonly code: string;
  /** Asking again at once may help. */
  readonly isPassing: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(
    code: string,
    detail: string,
    options: {
      readonly isPassing: boolean;
      readonly retryAfterSeconds?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.isPassing = options.isPassing;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}
