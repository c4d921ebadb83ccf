/**
 * RETENTION_DAYS: so long after its end a campaign forgets everybody, and keeps its numbers, its
 * states and its audit trail.
 *
 * It goes along the recipients in bounded steps, each a transaction that moves a cursor, so a restart
 * goes on where it was and nothing is done twice. From the first step on nobody is replayed (nobody
 * knows any more where the mail would go); a doubt is forgotten like the others, stays a doubt in the
 * numbers, and can still be resolved under the id of its empty row.
 */
import type { Instant } from "../domain/ids.ts";
import { RETENTION_PAGE } from "../domain/limits.ts";
import type { Book } from "./book.ts";
import { forgetNamesOf } from "./reservation-names.ts";
import { maybeOne, run, statement } from "./sql.ts";
import { emptyRows } from "./tombstone.ts";
import { forgetAllAddresses } from "./told-texts.ts";

const DAY_MILLISECONDS = 86_400_000;

type Progress = { next_seq: number; erased: number; done_at: Instant | null };
const progress = statement<Progress>(
  "retention.progress",
  "SELECT next_seq, erased, done_at FROM retention WHERE one = 1",
);
const write = statement<never, Progress>(
  "retention.write",
  `INSERT INTO retention (one, next_seq, erased, done_at) VALUES (1, :next_seq, :erased, :done_at)
    ON CONFLICT (one) DO UPDATE SET next_seq = :next_seq, erased = :erased, done_at = :done_at`,
);
// Copies of the account's list, for enrolments that can't come any more.
const forgetSuppressions = statement("retention.forgetSuppressions", "DELETE FROM suppressions");
const forgetOwed = statement("retention.forgetOwed", "DELETE FROM erasures");

/** Whether it has begun: recipients may be gone, and none can be mailed again. */
export function hasBegunRetention({ storage }: Book): boolean {
  return maybeOne(storage, progress, {}) !== null;
}

/** Whether it is over: the campaign knows nobody any more. */
export function isRetained({ storage }: Book): boolean {
  return (maybeOne(storage, progress, {})?.done_at ?? null) !== null;
}

/** When the next step is due; null: never, as things stand. */
export function retentionDeadline(book: Book, retentionDays: number): Instant | null {
  const { finished_at } = book.campaign;
  // What a consumer still holds after a cancel is settled first, by its report or its lease.
  const isOpen = finished_at === null || book.counters.reserved > 0;
  if (isOpen || isRetained(book)) return null;
  return Math.max(finished_at + retentionDays * DAY_MILLISECONDS, book.now);
}

/** What a step has done. `erased` counts the recipients of all steps, once the last one is made. */
export type RetentionStep = { readonly more: boolean; readonly erased: number | null };

/** Makes one step where it is due. */
export function retain(book: Book, retentionDays: number): RetentionStep {
  const deadline = retentionDeadline(book, retentionDays);
  if (deadline === null || deadline > book.now) return { more: false, erased: null };
  const before = maybeOne(book.storage, progress, {}) ?? { next_seq: 1, erased: 0 };
  const upTo = before.next_seq + RETENTION_PAGE;
  forgetNamesOf(book.storage, before.next_seq, upTo);
  const erased = before.erased + emptyRows(book, before.next_seq, upTo);
  const isLast = upTo > book.counters.total;
  run(book.storage, write, { next_seq: upTo, erased, done_at: isLast ? book.now : null });
  if (!isLast) return { more: true, erased: null };
  forgetAllAddresses(book);
  run(book.storage, forgetSuppressions, {});
  run(book.storage, forgetOwed, {});
  book.event("erased", { why: "retention", recipients: erased, days: retentionDays });
  return { more: false, erased };
}
