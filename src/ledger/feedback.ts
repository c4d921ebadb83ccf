/**
 * What webhooks and look-ups tell about mails after their acceptance.
 *
 * Two things happen here and nowhere else. A fate climbs (SPEC G8). And since only what the provider
 * has accepted has a fate, the recipient is settled as `sent` wherever it stands, with the
 * provider's id: this is how a doubt ends without a person (SPEC G3).
 *
 * One accepted member also proves that the whole request was accepted, but not that each other
 * member was: a provider may take a request and refuse single mails of it, and the answer that
 * named those is lost. So the others are not called sent. They stay `reserved` and are repeated under
 * the same key, which brings the first answer back, or stay `inDoubt` with a reason that says what is
 * proved, until an event of their own, a look-up or a person settles them. What the proof does rule
 * out is that anybody in the batch gets a new key by itself.
 */
import { climb, isPlausible } from "../domain/feedback.ts";
import type { Fate, ToldFate, FeedbackAnswer, FeedbackEvent } from "../domain/feedback.ts";
import type { Address, BatchNumber, Instant, Seq } from "../domain/ids.ts";
import { MAX_REASON_CHARACTERS } from "../domain/limits.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import { assert } from "../domain/result.ts";
import { proveAccepted } from "./batches.ts";
import type { Book } from "./book.ts";
import { acceptSent } from "./report.ts";
import { maybeOne, run, statement } from "./sql.ts";
import { whereItStands } from "./unwritten.ts";

type NamedRow = {
  seq: Seq;
  address: Address;
  status: RecipientStatus;
  batch: BatchNumber | null;
  provider_id: string | null;
  feedback: Fate | null;
  feedback_at: Instant | null;
  erased_at: Instant | null;
};
const named = statement<NamedRow, { seq: number }>(
  "feedback.named",
  `SELECT seq, address, status, batch, provider_id, feedback, feedback_at, erased_at
    FROM recipients WHERE seq = :seq`,
);
const write = statement<
  never,
  { seq: number; fate: string; at: number; providerId: string; now: number }
>(
  "feedback.write",
  `UPDATE recipients SET feedback = :fate, feedback_at = :at, updated_at = :now,
      provider_id = coalesce(provider_id, :providerId)
    WHERE seq = :seq AND status = 'sent'`,
);
const explain = statement<
  never,
  { seqs: string; batch: number; proof: string; most: number; now: number }
>(
  "feedback.explain",
  `UPDATE recipients SET reason = substr(:proof || reason, 1, :most), updated_at = :now
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND batch = :batch AND status = 'inDoubt'`,
);

const PROOF =
  "the provider accepted the request, as the fate of another mail in it shows, but not what " +
  "became of this one is known; before: ";

/** Takes one event. Taking it again changes nothing. */
export function recordFeedback(book: Book, event: FeedbackEvent): FeedbackAnswer {
  const row = whereItStands(book, () => maybeOne(book.storage, named, { seq: event.seq }));
  // Whom an event is about can't be told of somebody who was erased, and nothing is to be learnt.
  if (row === null || row.erased_at !== null) return null;
  const { address } = row;
  const { started_at: startedAt } = book.campaign;
  if (!isPlausible(event, { address, startedAt, wasReserved: row.batch !== null })) return null;
  // A second mail to the same person, after an operator had accepted that risk: it is no fate of
  // the first, but a bounce or a complaint of it counts for the address.
  const isAnother = row.provider_id !== null && row.provider_id !== event.providerId;
  if (isAnother) return { address, changed: false };
  const isSettled = row.status === "sent";
  if (!isSettled) settle(book, row, event.providerId);
  const isClimbing = recordFate(book, row, event);
  return { address, changed: !isSettled || isClimbing };
}

function settle(book: Book, row: NamedRow, providerId: string): void {
  assert(row.batch !== null, "only who was in a batch can have been mailed");
  const proved = proveAccepted(book, row.batch);
  acceptSent(book, [{ seq: row.seq, providerId }]);
  if (proved?.state !== "inDoubt") return;
  const { batch } = row;
  run(book.storage, explain, {
    seqs: proved.members,
    batch,
    proof: PROOF,
    most: MAX_REASON_CHARACTERS,
    now: book.now,
  });
  book.event("acceptanceProved", { batch, recipient: row.seq });
}

/** @returns whether anything of it is new */
function recordFate(book: Book, row: NamedRow, event: FeedbackEvent): boolean {
  const { seq, feedback, feedback_at } = row;
  const known: ToldFate | null =
    feedback === null || feedback_at === null ? null : { fate: feedback, at: feedback_at };
  const { fate, at } = climb(known, { fate: event.fate, at: event.at ?? book.now });
  if (fate === known?.fate && at === known.at && row.provider_id !== null) return false;
  const { providerId } = event;
  run(book.storage, write, { seq, fate, at, providerId, now: book.now });
  if (fate !== known?.fate) book.climb(known?.fate ?? null, fate);
  return true;
}
