/** From draft to end: the commands of an operator and of the schedule on the campaign's own row. */
import { campaignAfter, resumedState, type CampaignCommand } from "../domain/campaign.ts";
import type { CampaignId, Instant } from "../domain/ids.ts";
import type { ReserveRefusal } from "../domain/reservation.ts";
import { accept, assert, refuse, type Result } from "../domain/result.ts";
import { assertSettings } from "../domain/settings.ts";
import type { PauseReason } from "../domain/campaign.ts";
import type { Content, Draft, FrozenContent } from "../domain/draft.ts";
import type { CreateRefusal, EditRefusal, StateRefusal } from "../domain/refusal.ts";
import { readBook, withBook, type Book } from "./book.ts";
import { firstNumbers, type Left } from "./erased.ts";
import { isThere, migrate } from "./migrations.ts";
import { cancelPending, cancelWaiting } from "./cancel.ts";
import { wakeWaiting } from "./waiting.ts";
import { maybeOne, one, run, statement, transaction, type Storage } from "./sql.ts";

const insertCampaign = statement<
  never,
  { id: string; name: string; delivery: string; settings: string; now: number }
>(
  "lifecycle.insertCampaign",
  `INSERT INTO campaign (one, id, name, delivery, settings, state, created_at)
    VALUES (1, :id, :name, :delivery, :settings, 'draft', :now)`,
);
const insertCounters = statement<never, Left>(
  "lifecycle.insertCounters",
  `INSERT INTO counters (one, next_number, grants, decisions)
    VALUES (1, :nextNumber, :grants, :decisions)`,
);
const insertContent = statement<never, { content: string }>(
  "lifecycle.insertContent",
  "INSERT INTO content (one, content) VALUES (1, :content)",
);
const changeContent = statement<never, { content: string }>(
  "lifecycle.changeContent",
  "UPDATE content SET content = :content WHERE one = 1",
);
const changePublicUrl = statement<never, { publicUrl: string }>(
  "lifecycle.changePublicUrl",
  "UPDATE content SET public_url = :publicUrl WHERE one = 1",
);
const freezeContent = statement<never, { contentId: string; linkSecret: string }>(
  "lifecycle.freezeContent",
  "UPDATE content SET content_id = :contentId, link_secret = :linkSecret WHERE one = 1",
);
type ContentRow = {
  content: string;
  public_url: string | null;
  content_id: string | null;
  link_secret: string | null;
};
const contentRow = statement<ContentRow>(
  "lifecycle.content",
  "SELECT content, public_url, content_id, link_secret FROM content WHERE one = 1",
);
const contentName = statement<{ content_id: string | null }>(
  "lifecycle.contentName",
  "SELECT content_id FROM content WHERE one = 1",
);

/** Random values a beginning needs: drawn by the caller, since the ledger draws nothing itself. */
export type Drawn = { readonly contentId: string; readonly linkSecret: string };

export function draftOf(storage: Storage, book: Book): Draft {
  const { name, delivery } = book.campaign;
  const content = JSON.parse(one(storage, contentRow, {}).content) as Content | null;
  return { name, delivery, content, settings: book.settings };
}

/**
 * Creates the ledger, or finds the same draft there (`created: false`).
 * @returns `exists` where this id holds another draft, or one that has gone on since
 */
export function createCampaign(
  storage: Storage,
  id: CampaignId,
  draft: Draft,
  now: Instant,
): Result<{ created: boolean }, CreateRefusal> {
  assertSettings(draft.settings);
  assert((draft.content === null) === (draft.delivery === "external"), "content goes with managed");
  if (!isThere(storage)) migrate(storage);
  return transaction(storage, () => {
    const there = readBook(storage, now);
    if (there !== null) {
      const same = JSON.stringify(draftOf(storage, there)) === JSON.stringify(ordered(draft));
      return same ? accept({ created: false }) : refuse({ code: "exists" });
    }
    const { name, delivery } = draft;
    run(storage, insertCampaign, { id, name, delivery, settings: json(draft.settings), now });
    run(storage, insertCounters, firstNumbers(storage));
    run(storage, insertContent, { content: json(draft.content) });
    const book = readBook(storage, now);
    assert(book !== null, "the campaign is there");
    book.event("created", { name });
    book.close();
    return accept({ created: true });
  });
}

const json = (value: unknown): string => JSON.stringify(value);

/** The draft with its own four fields in one order, for a comparison by text. */
function ordered({ name, delivery, content, settings }: Draft): Draft {
  return { name, delivery, content, settings };
}

/** Answers the state's own refusal, or does `work` and answers what it gives. */
export function inState<T>(
  storage: Storage,
  now: Instant,
  command: CampaignCommand,
  work: (book: Book) => T,
): Result<T, StateRefusal> {
  const answer = withBook(storage, now, (book): Result<T, StateRefusal> => {
    const next = campaignAfter(book.campaign.state, command);
    return next.ok ? accept(work(book)) : next;
  });
  return answer ?? refuse({ code: "notFound" });
}

/**
 * Replaces the draft. The way of delivery stays, since recipients were enrolled for it. Asked again
 * after its answer was lost it finds what it has made itself.
 */
export function editCampaign(
  storage: Storage,
  draft: Draft,
  standing: Draft | null,
  now: Instant,
): Result<null, EditRefusal> {
  assertSettings(draft.settings);
  const edited = inState(storage, now, "edit", (book): Result<null, EditRefusal> => {
    const there = json(draftOf(storage, book));
    if (standing !== null && there !== json(ordered(standing))) {
      return there === json(ordered(draft)) ? accept(null) : refuse({ code: "changed" });
    }
    assert(draft.delivery === book.campaign.delivery, "delivery does not change");
    book.campaign.name = draft.name;
    book.campaign.settings = json(draft.settings);
    run(storage, changeContent, { content: json(draft.content) });
    book.event("edited", { name: draft.name });
    return accept(null);
  });
  return edited.ok ? edited.value : edited;
}

/** Freezes the content and lets reservations be granted. */
function begin(book: Book, drawn: Drawn): void {
  if (book.campaign.delivery === "managed") run(book.storage, freezeContent, drawn);
  book.campaign.state = "sending";
  book.campaign.started_at = book.now;
  book.event("started", { total: book.counters.total, remaining: book.counters.pending });
}

/** Begins at once, or at `at` if that is still ahead. */
export function startCampaign(
  storage: Storage,
  at: Instant | null,
  publicUrl: string,
  drawn: Drawn,
  now: Instant,
): Result<null, StateRefusal> {
  const later = at !== null && at > now;
  const answer = withBook(storage, now, (book): Result<null, StateRefusal> => {
    // Only a draft starts: a second start is refused, a scheduled one waits for its time.
    const next = campaignAfter(book.campaign.state, later ? "schedule" : "begin");
    if (!next.ok) return next;
    if (book.campaign.state !== "draft") {
      return refuse({ code: "wrongState", state: book.campaign.state, command: "begin" });
    }
    run(storage, changePublicUrl, { publicUrl });
    book.campaign.scheduled_at = at;
    if (!later) {
      begin(book, drawn);
      return accept(null);
    }
    book.campaign.state = "scheduled";
    book.event("scheduled", { at });
    return accept(null);
  });
  return answer ?? refuse({ code: "notFound" });
}

/** When a campaign that nobody was mailed from yet would begin, if a start were asked for `at`. */
export function beginsAt({ campaign }: Book, at: Instant | null): Instant | null {
  const { state, started_at, scheduled_at } = campaign;
  if (started_at !== null || state === "cancelled") return null;
  return state === "draft" ? at : scheduled_at;
}

/** Begins a scheduled campaign whose time has come. */
export function beginIfDue(book: Book, drawn: Drawn): void {
  const { state, scheduled_at } = book.campaign;
  if (state === "scheduled" && scheduled_at !== null && scheduled_at <= book.now) {
    begin(book, drawn);
  }
}

/** From this transaction on no reservation is granted (SPEC G4). Again is the same as once. */
export function pauseCampaign(
  storage: Storage,
  reason: PauseReason,
  detail: string,
  now: Instant,
): Result<null, StateRefusal> {
  return inState(storage, now, "pause", (book) => {
    book.pause(reason, detail);
    return null;
  });
}

export function resumeCampaign(
  storage: Storage,
  drawn: Drawn,
  now: Instant,
): Result<null, StateRefusal> {
  return inState(storage, now, "resume", (book) => {
    if (book.campaign.state !== "paused") return null;
    const { started_at, scheduled_at } = book.campaign;
    book.clearPause();
    book.counters.breaker_sent = book.counters.sent;
    book.counters.breaker_failed = book.counters.failed;
    book.event("resumed");
    if (started_at !== null) book.campaign.state = "sending";
    else if (resumedState(scheduled_at, now) === "scheduled") book.campaign.state = "scheduled";
    else begin(book, drawn);
    wakeWaiting(storage);
    return null;
  });
}

/**
 * Ends a campaign. Who was not mailed is `cancelled`; who may have been is `inDoubt`; what a
 * consumer holds right now is still settled by its report or by the end of its lease.
 */
export function cancelCampaign(storage: Storage, now: Instant): Result<null, StateRefusal> {
  return inState(storage, now, "cancel", (book) => {
    if (book.campaign.state === "cancelled") return null;
    book.clearPause();
    book.campaign.state = "cancelled";
    book.campaign.finished_at = now;
    book.decided();
    cancelPending(book);
    cancelWaiting(book);
    const { cancelled, reserved, in_doubt } = book.counters;
    book.event("cancelled", { cancelled, reserved, inDoubt: in_doubt });
    return null;
  });
}

/** Says that an external campaign gets no further recipients. Again is the same as once. */
export function closeEnrolment(book: Book): void {
  if (book.campaign.enrolment_closed === 1) return;
  book.campaign.enrolment_closed = 1;
  book.decided();
  book.event("enrolmentClosed", { total: book.counters.total });
}

/** The frozen content; null before the beginning and for external campaigns. */
export function frozenContent(storage: Storage, id: CampaignId): FrozenContent | null {
  const row = maybeOne(storage, contentRow, {});
  if (row === null || row.content_id === null || row.link_secret === null) return null;
  const content = JSON.parse(row.content) as Content;
  return {
    ...content,
    contentId: row.content_id,
    campaign: id,
    publicUrl: row.public_url ?? "",
    linkSecret: row.link_secret,
  };
}

/** The name of the frozen content, for consumers that may hold it already. */
export function contentId(storage: Storage): string | null {
  return maybeOne(storage, contentName, {})?.content_id ?? null;
}

/** Closes the enrolment of an external campaign that has begun. */
export function finishEnrolment(book: Book): Result<null, StateRefusal | ReserveRefusal> {
  const { delivery, state } = book.campaign;
  if (delivery === "managed") return refuse({ code: "wrongDelivery", delivery });
  if (state === "draft" || state === "scheduled" || state === "cancelled") {
    return refuse({ code: "wrongState", state, command: "finish" });
  }
  closeEnrolment(book);
  return accept(null);
}
