/**
 * The JSON of the contract (DESIGN §4 to §6), for the client, the dashboard and the tests alike: the
 * one place where its shapes are written down. Times are RFC 3339 text in UTC, absent values null.
 *
 * The closed sets are the domain's own, so that a new state can't be forgotten here, and a test
 * compares each shape with what the server code makes (test/unit/client/contract.test.ts).
 */
import type { CampaignState, PauseReason } from "../domain/campaign.ts";
import type { Content, Delivery } from "../domain/draft.ts";
import type { Fate } from "../domain/feedback.ts";
import type { EventType } from "../domain/history.ts";
import type { AttemptOutcome } from "../domain/outcome.ts";
import type { Finding, PreflightReport } from "../domain/preflight.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import type { ReserveRefusalReason, SkipReason } from "../domain/reservation.ts";
import type { Settings } from "../domain/settings.ts";
import type { Feedback, Stats } from "../domain/status.ts";
import type { SuppressionReason } from "../domain/suppression.ts";

export type {
  CampaignState,
  EventType,
  Feedback,
  Finding,
  PauseReason,
  PreflightReport,
  RecipientStatus,
  ReserveRefusalReason,
  Settings,
  SkipReason,
  Stats,
  SuppressionReason,
};

/** `cursor` asks for the next page; null on the last one. */
export type Page<Item> = { readonly items: readonly Item[]; readonly cursor: string | null };

/** `limit` is the size of a page, 1…1,000 (1…25 for campaigns); `cursor` where to begin. */
export type PageQuery = { readonly cursor?: string | null; readonly limit?: number };

// Campaigns.

/** A campaign as its author writes it. `html` and `text` are Liquid templates. */
export type CampaignDraft = Partial<Content> & {
  /** `[A-Za-z0-9_-]{1,64}`. Without one the server draws it, and a create is not repeated. */
  readonly id?: string;
  readonly name: string;
  readonly delivery?: Delivery;
  readonly settings?: Partial<Settings>;
};

/** An answer, and the name of just this one (RFC 9110 §8.8.3), for a change of it alone. */
export type Tagged<Answer> = { readonly value: Answer; readonly etag: string };

/** What may still change before the start. Settings are laid over those that there are. */
export type CampaignChange = Partial<Omit<CampaignDraft, "id" | "delivery">>;

/** Content is there exactly where `delivery` is `managed`. */
export type Campaign = Partial<Content> & {
  readonly id: string;
  readonly name: string;
  readonly delivery: Delivery;
  readonly settings: Settings;
  readonly createdAt: string;
  readonly scheduledAt: string | null;
  readonly enrolmentClosed: boolean;
  readonly state: CampaignState;
  readonly status: DeliveryStatus;
};

export type CampaignEntry = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly status: DeliveryStatus;
};

/** When to begin: at once, at an RFC 3339 time with an offset, or on the clocks of a place. */
export type StartTime =
  | { readonly at?: string }
  | { readonly local: string; readonly zone: string };

export type DeliveryStatus = {
  readonly campaignId: string;
  readonly state: CampaignState;
  readonly pause: {
    readonly reason: PauseReason;
    readonly detail: string;
    readonly since: string;
  } | null;
  /** `total` is the sum of the others, always. */
  readonly stats: Stats;
  readonly feedback: Feedback;
  readonly duplicatesPrevented: number;
  readonly deadLetters: number;
  /** Accepted mails of the last ten seconds, a second. */
  readonly ratePerSecond: number;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly expectedFinishAt: string | null;
  /** Rises with every change. */
  readonly version: number;
};

// Recipients.

/** Somebody to enrol. Without an `id` the address is the id; `data` is what merge fields read. */
export type RecipientInput = {
  readonly id?: string;
  readonly email: string;
  readonly data?: Readonly<Record<string, unknown>>;
};

export type UploadFormat = "text/csv" | "application/x-ndjson" | "application/json";

export type UploadProblem = {
  readonly line: number;
  readonly code: string;
  readonly detail: string;
};

export type UploadReport = {
  readonly added: number;
  readonly duplicates: number;
  readonly suppressed: number;
  readonly invalid: number;
  /** Recipients of the campaign after the upload. */
  readonly total: number;
  /** The first hundred. */
  readonly problems: readonly UploadProblem[];
};

/** A view of the audience's database, and which of its columns hold the address and the id. */
export type Segment = {
  readonly segment: string;
  readonly email?: string;
  readonly id?: string;
};

/** `remaining` is what the numbers call those that are `pending`. */
export type StatusFilter = RecipientStatus | "remaining";
export type RecipientQuery = PageQuery & {
  readonly status?: StatusFilter;
  /** Nobody but the recipient with this address, in any spelling. */
  readonly email?: string;
};

export type Recipient = {
  readonly id: string;
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: RecipientStatus;
  /** Why it failed, is suppressed, is in doubt, or was put back. */
  readonly reason: string | null;
  readonly providerId: string | null;
  readonly batch: number | null;
  readonly updatedAt: string;
};

export type Attempt = {
  readonly token: number;
  readonly startedAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
  readonly outcome: AttemptOutcome["kind"] | "expired" | null;
  readonly reason: string | null;
};

export type RecipientStory = Recipient & {
  readonly idempotencyKey: string | null;
  readonly attempts: readonly Attempt[];
  readonly feedback: { readonly state: Fate; readonly at: string } | null;
  readonly suppression: { readonly reason: SuppressionReason; readonly at: string } | null;
};

// Before the start.

/** For whom: somebody of the campaign, somebody made up, or its first recipient. */
export type MailFor =
  | { readonly recipientId?: string; readonly recipient?: never }
  | { readonly recipient: RecipientInput; readonly recipientId?: never };

/** What of a mail could be rendered; null for a part that there is not. */
export type Preview = {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
};
export type MailPreview = Preview & {
  readonly recipient: { readonly id: string; readonly email: string };
  readonly from: string;
  readonly replyTo: string | null;
};

/** `to`: one to five addresses. */
export type TestRequest = MailFor & { readonly to: readonly string[] };
export type TestReport = {
  readonly subject: string;
  readonly sent: readonly { readonly to: string; readonly providerId: string }[];
  readonly failed: readonly { readonly to: string; readonly reason: string }[];
};

// The run, and afterwards.

/** The risk is only asked about where the campaign was restored from a backup. */
export type ResumeRequest = { readonly acceptDuplicateRisk?: boolean };

/** At most 1,000 `ids`. */
export type ReplayRequest =
  | { readonly recipients: "failed" | "deadLettered" }
  | { readonly recipients: "inDoubt"; readonly acceptDuplicateRisk: true }
  | { readonly ids: readonly string[]; readonly acceptDuplicateRisk?: boolean };

export type ReplayReport = {
  /** Will be mailed, under new keys. */
  readonly replayed: number;
  /** In batches that are repeated under their old key. */
  readonly reopened: number;
  /** Named, and left as they are. */
  readonly left: readonly { readonly id: string; readonly status: RecipientStatus }[];
  readonly status: DeliveryStatus;
};

/** At most 1,000 `ids`. */
export type ResolveRequest = { readonly ids: readonly string[]; readonly as: "sent" | "failed" };

/** An entry of the audit trail. `detail` is what belongs to its type. */
export type CampaignEvent = {
  readonly number: number;
  readonly at: string;
  readonly type: EventType;
  readonly detail: Readonly<Record<string, unknown>>;
};

export type DeadLetter = {
  readonly campaignId: string;
  readonly number: number;
  readonly at: string;
  readonly messageId: string;
  readonly dispatch: number | null;
  readonly error: string;
  readonly stack: string | null;
  readonly attempts: number;
  /** How many recipients its batch holds; 0 where no batch was formed. */
  readonly recipients: number;
  readonly replayedAt: string | null;
};

/** What the live stream says, each as one text message. */
export type LiveMessage =
  | { readonly type: "snapshot" | "status"; readonly status: DeliveryStatus }
  | { readonly type: "event"; readonly event: CampaignEvent };

// Consumers of other queues.

/** Enrols those that the ledger doesn't know and reserves them, or reserves whoever is next. */
export type ReservationRequest = { readonly reservationId: string } & (
  | { readonly recipients: readonly RecipientInput[] }
  | { readonly limit: number }
);

export type Skipped = { readonly id: string; readonly reason: SkipReason };
export type Reservation =
  | {
      readonly granted: true;
      readonly reservationId: string;
      /** Goes back with the report. */
      readonly token: number;
      readonly expiresAt: string;
      readonly idempotencyKey: string;
      readonly recipients: readonly Required<RecipientInput>[];
      readonly skipped: readonly Skipped[];
    }
  | {
      readonly granted: false;
      readonly reason: ReserveRefusalReason;
      readonly skipped: readonly Skipped[];
      readonly retryAfterSeconds: number;
    };

export type MemberResult =
  | { readonly id: string; readonly outcome: "sent"; readonly providerId: string }
  | { readonly id: string; readonly outcome: "failed"; readonly reason: string };

/** What became of each, or of all: `deferred` was not accepted, `unknown` may have been. */
export type ReservationReport = { readonly token: number } & (
  | { readonly results: readonly MemberResult[] }
  | {
      readonly outcome: "unknown" | "deferred";
      readonly reason: string;
      readonly retryAfterSeconds?: number;
    }
);

// The account.

export type Suppression = {
  readonly address: string;
  readonly reason: SuppressionReason;
  readonly at: string;
};

export type SuppressReport = {
  readonly addresses: number;
  readonly added: number;
  readonly already: number;
};

export type SuppressionImportReport = {
  readonly added: number;
  readonly already: number;
  readonly invalid: number;
  readonly problems: readonly UploadProblem[];
};

/** Everything that is held about one address, in its normal form. */
export type Person = {
  readonly address: string;
  readonly suppression: { readonly reason: SuppressionReason; readonly at: string } | null;
  /** When its erasure was asked for. */
  readonly erasedAt: string | null;
  readonly campaigns: readonly {
    readonly campaignId: string;
    readonly recipient: RecipientStory;
  }[];
};

export type Erasure = {
  readonly address: string;
  /** Campaigns it was in and is gone from now. */
  readonly erased: number;
  /**
   * Campaigns where it is in a request that may be repeated, whose bytes must not change. It is
   * mailed nothing new, and erased by itself when that is over, at `until` at the latest.
   */
  readonly pending: readonly { readonly campaignId: string; readonly until: string }[];
};

/** `idle`: no campaign is at work that could tell. `unknown`: whoever could tell does not answer. */
export type PartHealth = {
  readonly status: "ok" | "idle" | "degraded" | "down" | "unknown";
  readonly reason?:
    | "storageSilent"
    | "campaignSilent"
    | "queueSilent"
    | "providerFailing"
    | "providerHolds"
    | "providerRefuses";
};

export type Health = {
  readonly status: "ok" | "degraded" | "down";
  readonly parts: {
    readonly storage: PartHealth;
    readonly queue: PartHealth;
    readonly provider: PartHealth;
  };
};

/** Who is signed in to the dashboard. `expiresAt` is null for a token, which has no end. */
export type Identity = { readonly role: "operator" | "viewer"; readonly expiresAt: string | null };
