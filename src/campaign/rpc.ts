/**
 * What a campaign object answers, and to whom: the one interface between the ledger and every edge
 * (HTTP, queue consumers, webhooks, other Workers). Plain data only, so that it crosses RPC.
 *
 * Methods return unions and never throw for what is expected. Times are milliseconds since 1970
 * here and RFC 3339 text only in HTTP. `now` is never an argument: the object's clock decides, since
 * it is the object's deadlines that have to agree with each other.
 */
import type { CampaignRefusal, CampaignState, PauseReason } from "../domain/campaign.ts";
import type { AttemptOutcome, Member } from "../domain/outcome.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import type {
  Address,
  BatchNumber,
  CampaignId,
  DispatchNumber,
  Instant,
  RecipientId,
  Token,
} from "../domain/ids.ts";
import type { Result } from "../domain/result.ts";
import type { Settings } from "../domain/settings.ts";

/** The content of a campaign as its author wrote it. `html` and `text` are Liquid templates. */
export type Content = {
  readonly from: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly unsubscribe: boolean;
};

export type Delivery = "managed" | "external";

/** A checked draft. `content` is null exactly where delivery is external. */
export type Draft = {
  readonly name: string;
  readonly delivery: Delivery;
  readonly content: Content | null;
  readonly settings: Settings;
};

/** What start freezes beside the content, so that each attempt of a batch has the same bytes. */
export type FrozenContent = Content & {
  /** Drawn at start; names this content in a consumer's cache. */
  readonly contentId: string;
  readonly campaign: CampaignId;
  /** Origin of the unsubscribe links, without a slash at the end. */
  readonly publicUrl: string;
  /** Hex of 32 bytes; signs the unsubscribe links of this campaign. */
  readonly linkSecret: string;
};

export type Pause = {
  readonly reason: PauseReason;
  readonly detail: string;
  readonly since: Instant;
};

export type Stats = {
  readonly total: number;
  readonly sent: number;
  readonly reserved: number;
  readonly failed: number;
  readonly remaining: number;
  readonly suppressed: number;
  readonly inDoubt: number;
  readonly cancelled: number;
};

export type Feedback = {
  readonly delivered: number;
  readonly delayed: number;
  readonly bounced: number;
  readonly complained: number;
};

export type DeliveryStatus = {
  readonly campaignId: CampaignId;
  readonly state: CampaignState;
  readonly pause: Pause | null;
  readonly stats: Stats;
  readonly feedback: Feedback;
  readonly duplicatesPrevented: number;
  readonly deadLetters: number;
  readonly ratePerSecond: number;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly expectedFinishAt: Instant | null;
  readonly version: number;
};

export type CampaignView = {
  readonly id: CampaignId;
  readonly draft: Draft;
  readonly createdAt: Instant;
  readonly scheduledAt: Instant | null;
  readonly enrolmentClosed: boolean;
  readonly status: DeliveryStatus;
};

/** One row of an upload that has passed the address check. `line` names it in problems. */
export type Enrolment = {
  readonly line: number;
  readonly id: RecipientId;
  /** Normal form, for uniqueness and suppression. */
  readonly address: Address;
  /** As written, for sending. */
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
};

export type EnrolProblem = {
  readonly line: number;
  readonly code: "duplicateId" | "duplicateAddress" | "suppressed";
  readonly detail: string;
};

export type EnrolReport = {
  readonly added: number;
  readonly duplicates: number;
  readonly suppressed: number;
  /** Recipients of the campaign after this page. */
  readonly total: number;
  /** Duplicates and suppressed rows, in the order of their lines, MAX_PROBLEMS at most. */
  readonly problems: readonly EnrolProblem[];
};

export type RecipientView = {
  readonly id: RecipientId;
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: RecipientStatus;
  /** Why it failed, is suppressed, is in doubt, or was put back. */
  readonly reason: string | null;
  readonly providerId: string | null;
  readonly batch: BatchNumber | null;
  readonly updatedAt: Instant;
};

export type AttemptView = {
  readonly token: Token;
  readonly startedAt: Instant;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | null;
  readonly outcome: AttemptOutcome["kind"] | "expired" | null;
  readonly reason: string | null;
};

export type RecipientStory = RecipientView & {
  readonly idempotencyKey: string | null;
  readonly attempts: readonly AttemptView[];
  readonly feedback: { readonly state: string; readonly at: Instant } | null;
  readonly suppression: { readonly reason: string; readonly at: Instant } | null;
};

export type Page<Item> = { readonly items: readonly Item[]; readonly cursor: string | null };

export type EventView = {
  readonly number: number;
  readonly at: Instant;
  readonly type: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

export type DeadLetter = {
  readonly messageId: string;
  readonly dispatch: DispatchNumber | null;
  readonly error: string;
  readonly stack: string | null;
  readonly attempts: number;
};

export type DeadLetterView = DeadLetter & {
  readonly number: number;
  readonly at: Instant;
  /** How many recipients its batch holds; 0 where no batch was formed. */
  readonly recipients: number;
  readonly replayedAt: Instant | null;
};

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

export type SkipReason =
  | "sent"
  | "reserved"
  | "failed"
  | "suppressed"
  | "duplicateAddress"
  | "inDoubt"
  | "cancelled";

export type Skipped = { readonly id: RecipientId; readonly reason: SkipReason };

export type ReserveRefusalReason =
  | "paused"
  | "notStarted"
  | "finished"
  | "cancelled"
  | "inFlight"
  | "settled"
  | "nothingDue";

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

export type ReserveRefusal =
  | { readonly code: "notFound" }
  /** A dispatch for an external campaign, or a reservation for a managed one. */
  | { readonly code: "wrongDelivery"; readonly delivery: Delivery };

/** An external report names people by their ids, a managed one by their places. */
export type ReportRequest = {
  readonly batch: { readonly number: BatchNumber } | { readonly reservationId: string };
  readonly token: Token;
  readonly outcome: AttemptOutcome | ExternalOutcome;
};

export type ExternalOutcome = {
  readonly kind: "results";
  readonly results: readonly (
    | { readonly id: RecipientId; readonly outcome: "sent"; readonly providerId: string }
    | { readonly id: RecipientId; readonly outcome: "failed"; readonly reason: string }
  )[];
};

export type ReportRefusal =
  | { readonly code: "notFound" }
  | { readonly code: "unknownReservation" }
  /** Only facts (`sent`) are taken from a stale token; this report held others. */
  | { readonly code: "staleToken"; readonly current: Token }
  /** Results that name somebody who is not in the batch; nothing of the report was taken. */
  | { readonly code: "notInBatch"; readonly ids: readonly string[] };

export type StateRefusal = { readonly code: "notFound" } | CampaignRefusal;

export type CreateRefusal = { readonly code: "exists" };
export type EnrolRefusal = StateRefusal;
export type EraseRefusal = StateRefusal | { readonly code: "inFlight"; readonly reserved: number };

export type StartRequest = {
  /** Null: at once. */
  readonly at: Instant | null;
  readonly publicUrl: string;
};

export type SuppressionEntry = {
  readonly address: Address;
  readonly reason: SuppressionReason;
  readonly at: Instant;
};
export type SuppressionReason = "operator" | "unsubscribe" | "hardBounce" | "complaint";

export type ReplayRequest =
  | { readonly recipients: "failed" | "deadLettered" }
  | { readonly recipients: "inDoubt"; readonly acceptDuplicateRisk: true }
  | { readonly ids: readonly RecipientId[]; readonly acceptDuplicateRisk: boolean };

export type ReplayReport = {
  /** Recipients that will be mailed, under new keys. */
  readonly replayed: number;
  /** Recipients whose batch is repeated under its old key. */
  readonly reopened: number;
  /** Named recipients that were left as they are, and their status. */
  readonly left: readonly { readonly id: RecipientId; readonly status: RecipientStatus }[];
  readonly status: DeliveryStatus;
};
export type ReplayRefusal =
  | StateRefusal
  | { readonly code: "unknownRecipients"; readonly ids: readonly RecipientId[] }
  | { readonly code: "duplicateRisk"; readonly inDoubt: number };

export type ResolveRequest = {
  readonly ids: readonly RecipientId[];
  readonly as: "sent" | "failed";
};
export type ResolveRefusal =
  | { readonly code: "notFound" }
  | { readonly code: "unknownRecipients"; readonly ids: readonly RecipientId[] }
  | {
      readonly code: "notInDoubt";
      readonly recipients: readonly {
        readonly id: RecipientId;
        readonly status: RecipientStatus;
      }[];
    };

export type RecipientQuery = {
  readonly status: RecipientStatus | null;
  readonly limit: number;
  readonly cursor: string | null;
};

/** The methods of a campaign object. Each is safe to ask again when its answer was lost. */
export interface CampaignRpc {
  /** `created: false` where the same draft was there already. */
  create(draft: Draft): Promise<Result<{ created: boolean; view: CampaignView }, CreateRefusal>>;
  describe(): Promise<CampaignView | null>;
  edit(draft: Draft): Promise<Result<CampaignView, StateRefusal>>;
  erase(): Promise<Result<{ erased: true }, EraseRefusal>>;

  /** Adds at most ENROL_PAGE recipients in one transaction. */
  enrol(page: readonly Enrolment[]): Promise<Result<EnrolReport, EnrolRefusal>>;
  start(request: StartRequest): Promise<Result<DeliveryStatus, StateRefusal>>;
  pause(reason: PauseReason, detail: string): Promise<Result<DeliveryStatus, StateRefusal>>;
  resume(): Promise<Result<DeliveryStatus, StateRefusal>>;
  cancel(): Promise<Result<DeliveryStatus, StateRefusal>>;
  /** Closes the enrolment of an external campaign. */
  finish(): Promise<Result<DeliveryStatus, StateRefusal | ReserveRefusal>>;

  reserve(request: ReserveRequest): Promise<Result<ReserveAnswer, ReserveRefusal>>;
  report(request: ReportRequest): Promise<Result<DeliveryStatus, ReportRefusal>>;
  /** Puts a dispatch that waited too long for a slot back into the outbox. */
  postpone(dispatch: DispatchNumber, waitMilliseconds: number): Promise<void>;
  /** The frozen content; null before start, for external campaigns, and where there is none. */
  content(): Promise<FrozenContent | null>;

  deliveryStatus(): Promise<DeliveryStatus | null>;
  recipients(query: RecipientQuery): Promise<Page<RecipientView> | null>;
  recipient(id: RecipientId): Promise<RecipientStory | null>;
  deadLetters(cursor: string | null, limit: number): Promise<Page<DeadLetterView> | null>;
  /** Newest first. */
  events(cursor: string | null, limit: number): Promise<Page<EventView> | null>;

  recordDeadLetter(letter: DeadLetter): Promise<Result<DeliveryStatus, { code: "notFound" }>>;
  suppress(entries: readonly SuppressionEntry[]): Promise<void>;
  replay(request: ReplayRequest): Promise<Result<ReplayReport, ReplayRefusal>>;
  resolve(request: ResolveRequest): Promise<Result<DeliveryStatus, ResolveRefusal>>;
}
