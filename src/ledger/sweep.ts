/**
 * The sweep: what has expired is repeated under its own key, given back, or left in doubt.
 *
 * An expired lease says nothing about the provider: the consumer may have died before the call or
 * after the acceptance. It counts as an unknown attempt, whoever it was.
 */
import { SWEEP_AT_MOST } from "../domain/limits.ts";
import { BATCH_COLUMNS, batchByNumber, closeAttempt } from "./batches.ts";
import type { Book } from "./book.ts";
import { dispatchAgain } from "./outbox.ts";
import { eraseOwed } from "./erasure.ts";
import type { BatchRow } from "./rows.ts";
import { all, run, statement } from "./sql.ts";
import { writeDown } from "./unwritten.ts";
import { lapse, repeatOrDoubt } from "./waiting.ts";
import { assert } from "../domain/result.ts";

const expired = statement<BatchRow, { now: number; limit: number }>(
  "sweep.expired",
  `SELECT ${BATCH_COLUMNS} FROM batches
    WHERE due_at IS NOT NULL AND due_at <= :now ORDER BY due_at LIMIT :limit`,
);
const sleepUntil = statement<never, { batch: number; at: number }>(
  "sweep.sleepUntil",
  "UPDATE batches SET due_at = :at WHERE batch = :batch AND state = 'waiting'",
);

/** The batch as it is once an expired lease has been taken from it; others are left as they are. */
export function expireLease(book: Book, batch: BatchRow): BatchRow {
  if (batch.state !== "leased" || batch.due_at === null || batch.due_at > book.now) return batch;
  const written = writeDown(book, batch);
  closeAttempt(book, batch.batch, batch.token, "expired", "the lease ran out without a report");
  repeatOrDoubt(book, written, 0, "the lease ran out without a report");
  const after = batchByNumber(book.storage, batch.batch);
  assert(after !== null, "a batch is never deleted");
  return after;
}

/**
 * Looks at what is due, a bounded number at a time, and erases whoever waited for its end.
 * @returns whether there may be more
 */
export function sweep(book: Book): boolean {
  const rows = all(book.storage, expired, { now: book.now, limit: SWEEP_AT_MOST });
  for (const row of rows) sweepBatch(book, expireLease(book, row));
  const isMoreOwed = eraseOwed(book);
  return isMoreOwed || rows.length === SWEEP_AT_MOST;
}

function sweepBatch(book: Book, batch: BatchRow): void {
  if (batch.state !== "waiting") return;
  const hasToWait = (batch.repeat_at ?? 0) > book.now;
  const isClean = batch.unknown_attempts === 0;
  // Where nothing was accepted the window protects nobody, so that a wait may be longer than it.
  if (batch.window_until <= book.now && !(hasToWait && isClean)) {
    return lapse(book, batch, "not repeated in time");
  }
  if (hasToWait) return;
  if (book.campaign.state === "sending" && book.campaign.delivery === "managed") {
    dispatchAgain(book, batch.batch);
  }
  // From here on the dispatch has the deadline, or the resume; the batch itself only has the
  // end of its window left. A clean batch whose window is over was handled above.
  run(book.storage, sleepUntil, { batch: batch.batch, at: batch.window_until });
}
