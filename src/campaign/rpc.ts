/**
 * What a campaign object answers, and to whom: the one interface between the ledger and every edge
 * (HTTP, queue consumers, webhooks, other Workers). Plain data only, so that it crosses RPC.
 *
 * Methods return unions and never throw for what is expected. Times are milliseconds since 1970
 * here and RFC 3339 text only in HTTP. `now` is never an argument: the object's clock decides, since
 * it is the object's deadlines that have to agree with each other.
 */
import type { PauseReason } from "../domain/campaign.ts";
import type { Draft, FrozenContent, StartRequest } from "../domain/draft.ts";
import type { EnrolReport, Enrolment } from "../domain/enrolment.ts";
import type {
  DeadLetter,
  DeadLetterView,
  EventView,
  Page,
  RecipientQuery,
  RecipientStory,
  RecipientView,
} from "../domain/history.ts";
import type { FeedbackAnswer, FeedbackEvent } from "../domain/feedback.ts";
import type { Address, DispatchNumber, RecipientId, Seq } from "../domain/ids.ts";
import type {
  CreateRefusal,
  EnrolRefusal,
  EraseRefusal,
  ResumeRefusal,
  ResumeRequest,
  EditRefusal,
  StateRefusal,
} from "../domain/refusal.ts";
import type { Vitals } from "../domain/vitals.ts";
import type {
  ReplayRefusal,
  ReplayReport,
  ReplayRequest,
  ResolveRefusal,
  ResolveRequest,
} from "../domain/replay.ts";
import type {
  ReportRefusal,
  ReportRequest,
  Declined,
  ReserveAnswer,
  ReserveRefusal,
  ReserveRequest,
} from "../domain/reservation.ts";
import type { Inquiry, InquiryOutcome } from "../domain/inquiry.ts";
import type { ErasureAnswer } from "../domain/person.ts";
import type { CampaignReading } from "../domain/reading.ts";
import type { Result } from "../domain/result.ts";
import type { CampaignView, DeliveryStatus } from "../domain/status.ts";
import type { LinkTarget, SuppressionEntry } from "../domain/suppression.ts";

// All types that cross the RPC, in one place for those who bind to the objects.
export type { Content, Delivery, Draft, FrozenContent, StartRequest } from "../domain/draft.ts";
export type { Pause, Stats, Feedback, DeliveryStatus, CampaignView } from "../domain/status.ts";
export type { Enrolment, EnrolProblem, EnrolReport } from "../domain/enrolment.ts";
export type {
  Page,
  RecipientQuery,
  RecipientView,
  AttemptView,
  RecipientStory,
  EventView,
  DeadLetter,
  DeadLetterView,
} from "../domain/history.ts";
export type {
  ReserveRequest,
  SkipReason,
  Skipped,
  ReserveRefusalReason,
  ReserveAnswer,
  ReserveRefusal,
  ReportRequest,
  ExternalOutcome,
  ReportRefusal,
} from "../domain/reservation.ts";
export type {
  EditRefusal,
  StateRefusal,
  CreateRefusal,
  EnrolRefusal,
  EraseRefusal,
  ResumeRefusal,
  ResumeRequest,
} from "../domain/refusal.ts";
export type { Vitals } from "../domain/vitals.ts";
export type { FeedbackEvent, FeedbackAnswer } from "../domain/feedback.ts";
export type { Inquiry, InquiryOutcome } from "../domain/inquiry.ts";
export type { ErasureAnswer } from "../domain/person.ts";
export type { CampaignReading } from "../domain/reading.ts";
export type { LinkTarget, SuppressionEntry, SuppressionReason } from "../domain/suppression.ts";
export type {
  ReplayRequest,
  ReplayReport,
  ReplayRefusal,
  ResolveRequest,
  ResolveRefusal,
} from "../domain/replay.ts";

/** The methods of a campaign object. Each is safe to ask again when its answer was lost. */
export interface CampaignRpc {
  /** `created: false` where the same draft was there already. */
  create(draft: Draft): Promise<Result<{ created: boolean; view: CampaignView }, CreateRefusal>>;
  describe(): Promise<CampaignView | null>;
  /**
   * Replaces the draft.
   * @param standing the one that it was made from: refuses `changed` where that is another one by
   *   now; none: whatever stands, which is how 0.1.0 asks
   */
  edit(draft: Draft, standing?: Draft): Promise<Result<CampaignView, EditRefusal>>;
  erase(): Promise<Result<{ erased: true }, EraseRefusal>>;

  /** Adds at most ENROL_PAGE recipients in one transaction. */
  enrol(page: readonly Enrolment[]): Promise<Result<EnrolReport, EnrolRefusal>>;
  start(request: StartRequest): Promise<Result<DeliveryStatus, StateRefusal>>;
  pause(reason: PauseReason, detail: string): Promise<Result<DeliveryStatus, StateRefusal>>;
  /** @param request none: as an operator who accepts no risk, which is how 0.1.0 asks */
  resume(request?: ResumeRequest): Promise<Result<DeliveryStatus, ResumeRefusal>>;
  cancel(): Promise<Result<DeliveryStatus, StateRefusal>>;
  /** Closes the enrolment of an external campaign. */
  finish(): Promise<Result<DeliveryStatus, StateRefusal | ReserveRefusal>>;

  reserve(request: ReserveRequest): Promise<Result<ReserveAnswer, ReserveRefusal>>;
  /**
   * Answers a dispatch that a reserve would refuse, so that its consumer need not wait for a slot;
   * null where it may be granted.
   */
  decline(dispatch: DispatchNumber): Promise<Result<Declined | null, ReserveRefusal>>;
  report(request: ReportRequest): Promise<Result<DeliveryStatus, ReportRefusal>>;
  /**
   * Puts a dispatch that found no slot near back into the outbox.
   * @param room how many dispatches are likely to find one after the wait; absent: any number
   */
  postpone(dispatch: DispatchNumber, waitMilliseconds: number, room?: number): Promise<void>;
  /** The frozen content; null before start, for external campaigns, and where there is none. */
  content(): Promise<FrozenContent | null>;

  deliveryStatus(): Promise<DeliveryStatus | null>;
  /** The status and what is measured beside it, for metrics and health. */
  reading(): Promise<CampaignReading | null>;
  recipients(query: RecipientQuery): Promise<Page<RecipientView> | null>;
  recipient(id: RecipientId): Promise<RecipientStory | null>;
  deadLetters(cursor: string | null, limit: number): Promise<Page<DeadLetterView> | null>;
  /** Newest first. */
  events(cursor: string | null, limit: number): Promise<Page<EventView> | null>;

  recordDeadLetter(letter: DeadLetter): Promise<Result<DeliveryStatus, { code: "notFound" }>>;
  /** What became of mails after their acceptance. One answer for each event, in their order. */
  recordFeedback(events: readonly FeedbackEvent[]): Promise<readonly FeedbackAnswer[]>;
  /** Orders the provider to be asked about doubts, at once. Safe to ask again. */
  inquire(): Promise<Result<DeliveryStatus, { code: "notFound" }>>;
  /** For whoever carries the order out: whom to ask about; null: nobody, or it is answered. */
  inquiry(number: number): Promise<Inquiry | null>;
  closeInquiry(number: number, outcome: InquiryOutcome): Promise<void>;
  /** Null where no unsubscribe link can have been made for this place. Changes nothing. */
  linkTarget(seq: Seq): Promise<LinkTarget | null>;
  suppress(entries: readonly SuppressionEntry[]): Promise<void>;
  /** How it is with what the campaign does by itself. Reads a fixed number of rows, changes none. */
  vitals(): Promise<Vitals | null>;
  /** Does the alarm's work and arms it anew: safe at any time, also while an alarm rings. */
  wake(): Promise<void>;
  /** Everything about one address; null where it is nobody's here, and where there is no campaign. */
  person(address: Address): Promise<RecipientStory | null>;
  /** @param entry as the account keeps it, with the time of the erasure. Safe to ask again. */
  erasePerson(entry: SuppressionEntry): Promise<ErasureAnswer>;
  replay(request: ReplayRequest): Promise<Result<ReplayReport, ReplayRefusal>>;
  resolve(request: ResolveRequest): Promise<Result<DeliveryStatus, ResolveRefusal>>;
}
