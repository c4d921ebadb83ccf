/** The recipients of a cancelled campaign: each ends where the truth about it is. */
import { BATCH_COLUMNS } from "./batches.ts";
import { dropDispatches, type Book } from "./book.ts";
import { dissolve, leaveInDoubt } from "./waiting.ts";
import type { BatchRow } from "./rows.ts";
import { all, run, statement } from "./sql.ts";

const cancelFresh = statement<never, { from: number; now: number }>(
  "cancel.fresh",
  `UPDATE recipients SET status = 'cancelled', updated_at = :now
    WHERE seq >= :from AND status = 'pending'`,
);
const cancelReleased = statement<never, { now: number }>(
  "cancel.released",
  `UPDATE recipients SET status = 'cancelled', released = NULL, updated_at = :now
    WHERE released IS NOT NULL AND status = 'pending'`,
);
const waiting = statement<BatchRow>(
  "cancel.waiting",
  `SELECT ${BATCH_COLUMNS} FROM batches WHERE due_at IS NOT NULL AND state = 'waiting'`,
);

/** Whoever is in no batch has not been mailed. A million rows move without being listed. */
export function cancelPending(book: Book): void {
  run(book.storage, cancelReleased, { now: book.now });
  run(book.storage, cancelFresh, { from: book.counters.next_seq, now: book.now });
  book.move("pending", "cancelled", book.counters.pending);
  dropDispatches(book.storage);
}

/** A waiting batch is not repeated any more: doubt where it was ever unanswered. */
export function cancelWaiting(book: Book): void {
  for (const batch of all(book.storage, waiting, {})) {
    if (batch.unknown_attempts === 0) dissolve(book, batch, batch.size, null);
    else leaveInDoubt(book, batch, "cancelled while open", batch.unknown_attempts);
  }
}
