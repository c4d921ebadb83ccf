/**
 * The ledger of one campaign: every method is one synchronous transaction over SQLite.
 *
 * It has no clock, no randomness and no network: `now` and what was drawn are arguments, so the
 * simulator runs exactly this code. A method that finds no campaign writes nothing.
 */
import type { CampaignId, DispatchNumber, Instant, RecipientId, Seq } from "../domain/ids.ts";
import type { PauseReason } from "../domain/campaign.ts";
import type { FeedbackAnswer, FeedbackEvent } from "../domain/feedback.ts";
import { MAX_FEEDBACK_EVENTS } from "../domain/limits.ts";
import { accept, assert, refuse, type Result } from "../domain/result.ts";
import type { Draft, FrozenContent } from "../domain/draft.ts";
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
import type { EditRefusal, EnrolRefusal, EraseRefusal, StateRefusal } from "../domain/refusal.ts";
import type {
  ReplayRefusal,
  ReplayReport,
  ReplayRequest,
  ResolveRefusal,
  ResolveRequest,
} from "../domain/replay.ts";
import type {
  Declined,
  ReportRefusal,
  ReportRequest,
  ReserveAnswer,
  ReserveRefusal,
  ReserveRequest,
} from "../domain/reservation.ts";
import type { CampaignView, DeliveryStatus, Stats } from "../domain/status.ts";
import type { LedgerReading } from "../domain/reading.ts";
import type { LinkTarget, SuppressionEntry } from "../domain/suppression.ts";
import { readAgenda } from "./agenda.ts";
import { batchByNumber, batchByReservation } from "./batches.ts";
import { readBook, withBook, type Book, type BookAccess } from "./book.ts";
import { deadLetters, recordDeadLetter } from "./dead-letters.ts";
import { enrolIfOpen } from "./enrol.ts";
import { recordFeedback } from "./feedback.ts";
import * as lifecycle from "./lifecycle.ts";
import { linkTarget } from "./link-target.ts";
import type { Drawn } from "./lifecycle.ts";
import { keepNumbers, numbersOf } from "./erased.ts";
import { GrantMarks } from "./grant-mark.ts";
import { events, recipientPage, recipientStory } from "./listing.ts";
import { inPlaces } from "./in-places.ts";
import { DispatchWindow } from "./dispatch-window.ts";
import { isThere, migrate } from "./migrations.ts";
import { Notices } from "./notices.ts";
import { People } from "./people.ts";
import * as outbox from "./outbox.ts";
import { outlookOf, type Outlook } from "./outlook.ts";
import { readingOf } from "./reading.ts";
import { recount } from "./recount.ts";
import { replay } from "./replay.ts";
import { report } from "./report.ts";
import { resolve } from "./resolve.ts";
import { reserveExternal } from "./reserve-external.ts";
import { declineDispatch, reserveDispatch } from "./reserve.ts";
import { deliveryStatus } from "./status.ts";
import { transaction, type Storage } from "./sql.ts";
import { pendingAddresses, suppress, type AddressPage } from "./suppress.ts";
import { sweep } from "./sweep.ts";

type Found<T> = Result<T, { readonly code: "notFound" }>;

export class Ledger {
  readonly #storage: Storage;
  readonly #books: BookAccess = {
    read: (now, look) => this.#read(now, look),
    write: (now, work) => {
      const answer = this.#write(now, work);
      return answer.ok ? answer.value : null;
    },
  };
  readonly notices = new Notices(this.#books);
  readonly marks = new GrantMarks(this.#books);
  readonly people = new People(this.#books);
  readonly window = new DispatchWindow();
  readonly #openedAt: Instant;
  /** False until a campaign is created: a ledger that nobody made has no tables. */
  #there: boolean;

  /**
   * Opens what is there and brings it to the present schema; makes nothing.
   *
   * @param openedAt now, so that what an earlier life put on the queue is soon taken for lost where
   *   nobody asks for work; none: it is trusted like the rest
   */
  constructor(storage: Storage, openedAt: Instant = 0) {
    this.#storage = storage;
    this.#openedAt = openedAt;
    this.#there = isThere(storage);
    if (!this.#there) return;
    migrate(storage);
    outbox.openWindow(storage, this.window);
  }

  create(id: CampaignId, draft: Draft, now: Instant): ReturnType<typeof lifecycle.createCampaign> {
    const answer = lifecycle.createCampaign(this.#storage, id, draft, now);
    this.#there = true;
    return answer;
  }

  #read<T>(now: Instant, look: (book: Book) => T): T | null {
    const book = this.#there ? readBook(this.#storage, now) : null;
    return book === null ? null : look(book);
  }

  /** Reads recipients' rows: what is not written of them yet is written on the way. */
  #look<T>(now: Instant, look: (book: Book) => T): T | null {
    return transaction(this.#storage, () => this.#read(now, look));
  }

  #write<T>(now: Instant, work: (book: Book) => T): Found<T> {
    const answer = this.#there
      ? withBook(this.#storage, now, (book) => [work(book)] as const)
      : null;
    return answer === null ? refuse({ code: "notFound" }) : accept(answer[0]);
  }

  #command<Refusal extends EditRefusal = StateRefusal>(
    work: () => Result<null, Refusal | StateRefusal>,
    now: Instant,
  ): Result<DeliveryStatus, Refusal | StateRefusal> {
    const answer = this.#there ? work() : refuse<StateRefusal>({ code: "notFound" });
    return answer.ok ? this.#statusOr(now) : answer;
  }

  #statusOr(now: Instant): Found<DeliveryStatus> {
    const status = this.status(now);
    return status === null ? refuse({ code: "notFound" }) : accept(status);
  }

  describe(now: Instant): CampaignView | null {
    return this.#read(now, (book) => ({
      id: book.campaign.id,
      draft: lifecycle.draftOf(this.#storage, book),
      createdAt: book.campaign.created_at,
      scheduledAt: book.campaign.scheduled_at,
      enrolmentClosed: book.campaign.enrolment_closed === 1,
      status: deliveryStatus(book),
    }));
  }

  /** @param standing the draft that it was made from; null: whatever stands */
  edit(draft: Draft, standing: Draft | null, now: Instant): Result<DeliveryStatus, EditRefusal> {
    return this.#command(() => lifecycle.editCampaign(this.#storage, draft, standing, now), now);
  }

  /** Whether everything may be erased: not while it sends, nor while a consumer holds a lease. */
  mayErase(now: Instant): Result<null, EraseRefusal> {
    if (!this.#there) return refuse({ code: "notFound" });
    const answer = lifecycle.inState(this.#storage, now, "erase", (book) => book.counters.reserved);
    if (!answer.ok) return answer;
    return answer.value === 0 ? accept(null) : refuse({ code: "inFlight", reserved: answer.value });
  }

  /**
   * Erases everything but the numbers that the id goes on with.
   * @param deleteAll empties the storage at once; what it gives is awaited by nobody here
   */
  erase<Deleted>(now: Instant, deleteAll: () => Deleted): Deleted {
    const left = this.#read(now, numbersOf);
    this.#there = false;
    const deleted = deleteAll();
    // In the same turn and so in the same implicit transaction: neither is on disk without the other.
    if (left !== null) keepNumbers(this.#storage, left);
    return deleted;
  }

  enrol(
    page: readonly Enrolment[],
    known: readonly SuppressionEntry[],
    now: Instant,
  ): Result<EnrolReport, EnrolRefusal> {
    const answer = this.#write(now, (book) => enrolIfOpen(book, page, known));
    return answer.ok ? answer.value : answer;
  }

  start(
    at: Instant | null,
    publicUrl: string,
    drawn: Drawn,
    now: Instant,
  ): Result<DeliveryStatus, StateRefusal> {
    return this.#command(
      () => lifecycle.startCampaign(this.#storage, at, publicUrl, drawn, now),
      now,
    );
  }

  pause(reason: PauseReason, detail: string, now: Instant): Result<DeliveryStatus, StateRefusal> {
    return this.#command(() => lifecycle.pauseCampaign(this.#storage, reason, detail, now), now);
  }

  resume(drawn: Drawn, now: Instant): Result<DeliveryStatus, StateRefusal> {
    return this.#command(() => lifecycle.resumeCampaign(this.#storage, drawn, now), now);
  }

  cancel(now: Instant): Result<DeliveryStatus, StateRefusal> {
    return this.#command(() => lifecycle.cancelCampaign(this.#storage, now), now);
  }

  /** Closes the enrolment of an external campaign. */
  finish(now: Instant): Result<DeliveryStatus, StateRefusal | ReserveRefusal> {
    const answer = this.#write(now, lifecycle.finishEnrolment);
    if (!answer.ok) return answer;
    return answer.value.ok ? this.#statusOr(now) : answer.value;
  }

  /** @param known suppressions among recipients brought along */
  reserve(
    request: ReserveRequest,
    known: readonly SuppressionEntry[],
    now: Instant,
  ): Result<ReserveAnswer, ReserveRefusal> {
    const answer = this.#write(now, (book): Result<ReserveAnswer, ReserveRefusal> => {
      const { delivery } = book.campaign;
      if ((request.by === "dispatch") !== (delivery === "managed")) {
        return refuse({ code: "wrongDelivery", delivery });
      }
      return accept(
        request.by === "dispatch"
          ? reserveDispatch(book, request.dispatch, request.claim)
          : reserveExternal(book, request, known),
      );
    });
    return answer.ok ? answer.value : answer;
  }

  /** Null where a reserve may be granted; see declineDispatch. */
  decline(dispatch: DispatchNumber, now: Instant): Result<Declined | null, ReserveRefusal> {
    const answer = this.#write(now, (book): Result<Declined | null, ReserveRefusal> => {
      const { delivery } = book.campaign;
      if (delivery !== "managed") return refuse({ code: "wrongDelivery", delivery });
      return accept(declineDispatch(book, dispatch));
    });
    return answer.ok ? answer.value : answer;
  }

  report(
    request: ReportRequest,
    chance: number,
    now: Instant,
  ): Result<DeliveryStatus, ReportRefusal> {
    const answer = this.#write(now, (book): Result<null, ReportRefusal> => {
      const batch =
        "number" in request.batch
          ? batchByNumber(this.#storage, request.batch.number)
          : batchByReservation(this.#storage, request.batch.reservationId);
      if (batch === null) return refuse({ code: "unknownReservation" });
      const outcome = inPlaces(this.#storage, batch.members, request.outcome);
      if (!outcome.ok) return outcome;
      const took = request.callMilliseconds ?? null;
      return report(book, batch, request.token, outcome.value, chance, took);
    });
    if (!answer.ok) return answer;
    return answer.value.ok ? this.#statusOr(now) : answer.value;
  }

  /** For whoever looks on: fixed rows, whatever the size of the campaign. */
  reading(now: Instant): LedgerReading | null {
    return this.#read(now, readingOf);
  }

  content(id: CampaignId): FrozenContent | null {
    return this.#there ? lifecycle.frozenContent(this.#storage, id) : null;
  }

  status(now: Instant): DeliveryStatus | null {
    return this.#read(now, deliveryStatus);
  }

  recipients(query: RecipientQuery, now: Instant): Page<RecipientView> | null {
    return this.#look(now, (book) => recipientPage(book, query));
  }

  recipient(id: RecipientId, now: Instant): RecipientStory | null {
    return this.#look(now, (book) => recipientStory(book, id));
  }

  deadLetters(before: number, limit: number, now: Instant): DeadLetterView[] | null {
    return this.#read(now, () => deadLetters(this.#storage, before, limit));
  }

  events(before: number, limit: number, now: Instant): EventView[] | null {
    return this.#read(now, () => events(this.#storage, before, limit));
  }

  recordDeadLetter(letter: DeadLetter, now: Instant): Found<DeliveryStatus> {
    const answer = this.#write(now, (book) => recordDeadLetter(book, letter));
    return answer.ok ? this.#statusOr(now) : answer;
  }

  /** One answer for each event, in their order. */
  recordFeedback(told: readonly FeedbackEvent[], now: Instant): FeedbackAnswer[] {
    assert(told.length <= MAX_FEEDBACK_EVENTS, "a call brings a bounded number of events");
    const answer = this.#write(now, (book) => told.map((event) => recordFeedback(book, event)));
    return answer.ok ? answer.value : told.map(() => null);
  }

  /** Whom an unsubscribe link is for; null where no link can have been made for this place. */
  linkTarget(seq: Seq, now: Instant): LinkTarget | null {
    return this.#read(now, () => linkTarget(this.#storage, seq));
  }

  suppress(entries: readonly SuppressionEntry[], now: Instant): void {
    this.#write(now, (book) => suppress(book, entries));
  }

  pendingAddresses(from: Seq, now: Instant): AddressPage | null {
    return this.#look(now, (book) => pendingAddresses(book, from));
  }

  /**
   * Whether a start for `at`, a resume or the next tick would begin the campaign: nobody has been
   * mailed yet, and its time has come. `at` null: nobody asks for a start.
   */
  isAboutToBegin(at: Instant | null, now: Instant): boolean {
    const due = this.#read(now, (book) => lifecycle.beginsAt(book, at));
    return due !== null && due <= now;
  }

  replay(request: ReplayRequest, now: Instant): Result<ReplayReport, ReplayRefusal> {
    const answer = this.#write(now, (book) => replay(book, request));
    if (!answer.ok) return answer;
    if (!answer.value.ok) return answer.value;
    const status = this.#statusOr(now);
    return status.ok ? accept({ ...answer.value.value, status: status.value }) : status;
  }

  resolve(request: ResolveRequest, now: Instant): Result<DeliveryStatus, ResolveRefusal> {
    const answer = this.#write(now, (book) => resolve(book, request));
    if (!answer.ok) return answer;
    return answer.value.ok ? this.#statusOr(now) : answer.value;
  }

  /**
   * The alarm's work: begin, sweep, take the lost for lost, order more.
   * @returns whether more is due
   */
  tick(drawn: Drawn, now: Instant): boolean {
    const answer = this.#write(now, (book) => {
      lifecycle.beginIfDue(book, drawn);
      const more = sweep(book);
      const agenda = readAgenda(book, this.window);
      if (book.campaign.state === "sending") outbox.recallQuiet(book, agenda, this.#openedAt);
      outbox.refill(book, agenda);
      return more;
    });
    return answer.ok && answer.value;
  }

  dueDispatches(now: Instant): DispatchNumber[] {
    return (
      this.#read(now, (book) =>
        book.campaign.state === "sending"
          ? outbox.dueDispatches(this.#storage, this.window, now)
          : [],
      ) ?? []
    );
  }

  dispatchesSent(dispatches: readonly DispatchNumber[], now: Instant): void {
    this.#write(now, () => outbox.dispatchesSent(this.#storage, dispatches, now));
  }

  postpone(back: outbox.Postponement, now: Instant): void {
    this.#write(now, () => outbox.postponeDispatches(this.#storage, back));
    if (back.room !== null) this.window.wentBack(back.at, back.room);
  }

  /**
   * How it stands and when something has to happen by itself; null where there is no campaign.
   * @param retentionDays 0: everything is kept
   */
  outlook(now: Instant, retentionDays = 0): Outlook | null {
    return this.#read(now, (book) => outlookOf(book, this.window, this.#openedAt, retentionDays));
  }

  unansweredSince(now: Instant): Instant | null {
    return this.#read(now, () => outbox.unansweredSince(this.#storage));
  }

  /** Counts the rows themselves: what the counters claim has to equal it (SPEC G5). */
  recount(now: Instant): Stats | null {
    return this.#look(now, recount);
  }
}
