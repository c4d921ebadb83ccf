/** What becomes of a batch whose attempt has no final answer: repeat it, give it up, or doubt. */
import { counted } from "../domain/counted.ts";
import { backoffMilliseconds } from "../domain/backoff.ts";
import type { Instant } from "../domain/ids.ts";
import { addDoubtAlert } from "./alerts.ts";
import type { Book } from "./book.ts";
import { endBatch, waitBatch } from "./batches.ts";
import { raiseInquiry } from "./inquiries.ts";
import { moveInBatch, release } from "./members.ts";
import type { BatchRow } from "./rows.ts";
import { run, statement, type Storage } from "./sql.ts";

const wake = statement(
  "waiting.wake",
  `UPDATE batches
    SET due_at = iif(unknown_attempts = 0, repeat_at, min(repeat_at, window_until))
    WHERE due_at IS NOT NULL AND state = 'waiting'`,
);

const wakeOne = statement<never, { batch: number }>(
  "waiting.wakeOne",
  `UPDATE batches
    SET due_at = iif(unknown_attempts = 0, repeat_at, min(repeat_at, window_until))
    WHERE batch = :batch AND state = 'waiting'`,
);

/**
 * Lets the sweep dispatch a waiting batch again. Its dispatch came before its time, by a clock that
 * is behind the one of the sweep, and is used up now: nobody else would bring the batch up again.
 */
export function wakeBatch({ storage }: Book, { batch }: BatchRow): void {
  run(storage, wakeOne, { batch });
}

/** Lets the sweep look at every waiting batch again: a resumed campaign dispatches them. */
export function wakeWaiting(storage: Storage): void {
  run(storage, wake, {});
}

/** Nothing of the batch was accepted, and its turn is over: its members go back, or end here. */
export function dissolve(book: Book, batch: BatchRow, bound: number, reason: string | null): void {
  const over = book.campaign.state === "cancelled";
  const left = over
    ? moveInBatch(book, batch, batch.members, "reserved", "cancel", null)
    : release(book, batch, batch.members, bound, reason);
  endBatch(book, batch, "dissolve", { unsettled: batch.unsettled - left });
}

/** It may have been accepted and is not asked again: everybody in it is in doubt, in plain view. */
export function leaveInDoubt(
  book: Book,
  batch: BatchRow,
  reason: string,
  unknownAttempts: number,
): void {
  const doubted = moveInBatch(book, batch, batch.members, "reserved", "doubt", reason);
  endBatch(book, batch, "doubt", { unknownAttempts });
  book.event("inDoubt", { batch: batch.batch, recipients: doubted, reason });
  if (doubted === 0) return;
  raiseInquiry(book);
  addDoubtAlert(book.storage, book.now, batch.batch, doubted, reason);
}

/**
 * After an attempt that may have been accepted: repeat it with the same key while the provider
 * remembers that, and never under another (SPEC G3).
 *
 * @param delay milliseconds to wait, or null where asking again can't help
 */
export function repeatOrDoubt(
  book: Book,
  batch: BatchRow,
  delay: number | null,
  reason: string,
): void {
  const unknownAttempts = batch.unknown_attempts + 1;
  const { maxAttempts } = book.settings;
  if (delay === null) return leaveInDoubt(book, batch, reason, unknownAttempts);
  if (book.campaign.state === "cancelled") {
    return leaveInDoubt(book, batch, `cancelled while open: ${reason}`, unknownAttempts);
  }
  if (unknownAttempts >= maxAttempts) {
    const given = `${counted(unknownAttempts, "attempt")} without an answer, the last: ${reason}`;
    return leaveInDoubt(book, batch, given, unknownAttempts);
  }
  if (batch.window_until <= book.now) return lapse(book, batch, reason, unknownAttempts);
  const repeatAt = book.now + delay;
  waitBatch(book, batch, "wait", repeatAt, Math.min(repeatAt, batch.window_until), {
    unknownAttempts,
  });
}

/** The provider may have forgotten the key: the same bytes could now be a second mail. */
export function lapse(
  book: Book,
  batch: BatchRow,
  reason: string,
  unknownAttempts: number = batch.unknown_attempts,
): void {
  if (unknownAttempts === 0) return dissolve(book, batch, book.settings.batchSize, reason);
  leaveInDoubt(book, batch, `the idempotency window is over: ${reason}`, unknownAttempts);
}

/** After an attempt that was definitely not accepted: the same batch and key later. */
export function defer(book: Book, batch: BatchRow, delay: number, reason: string): void {
  if (book.campaign.state === "cancelled" && batch.unknown_attempts === 0) {
    return dissolve(book, batch, batch.size, reason);
  }
  if (book.campaign.state === "cancelled") {
    return leaveInDoubt(book, batch, `cancelled while open: ${reason}`, batch.unknown_attempts);
  }
  const repeatAt = book.now + delay;
  // Without an unknown attempt the window protects nobody, so it doesn't cut the wait short.
  const clean = batch.unknown_attempts === 0;
  waitBatch(
    book,
    batch,
    "wait",
    repeatAt,
    clean ? repeatAt : Math.min(repeatAt, batch.window_until),
  );
}

/** Milliseconds until an unanswered batch is asked again. */
export function delayAfter(
  batch: BatchRow,
  retryAfterSeconds: number | null,
  chance: number,
): Instant {
  return backoffMilliseconds(batch.unknown_attempts + 1, retryAfterSeconds, chance);
}
