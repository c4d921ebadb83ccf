/**
 * Bringing batches back under the key they had. It risks nothing while the provider remembers the
 * key: what it accepted before is answered again and not mailed again (SPEC G1, C11).
 */
import type { BatchNumber, DispatchNumber } from "../domain/ids.ts";
import { batchByNumber, isProvedAccepted, waitBatch } from "./batches.ts";
import type { Book } from "./book.ts";
import { moveInBatch } from "./members.ts";
import { postponeDispatches } from "./outbox.ts";
import { all, run, statement } from "./sql.ts";

const deadLettered = statement<{ dispatch: BatchNumber }>(
  "reopen.deadLettered",
  `SELECT DISTINCT dispatch FROM dead_letters
    WHERE dispatch IS NOT NULL AND replayed_at IS NULL ORDER BY dispatch`,
);
const markReplayed = statement<never, { dispatches: string; now: number }>(
  "reopen.markReplayed",
  `UPDATE dead_letters SET replayed_at = :now
    WHERE replayed_at IS NULL AND dispatch IN (SELECT value FROM json_each(:dispatches))`,
);

/** Repeats a batch in doubt under its own key, while that is remembered; gives its recipients. */
export function reopen(book: Book, number: BatchNumber): number {
  const batch = batchByNumber(book.storage, number);
  if (batch === null || batch.state !== "inDoubt" || batch.window_until <= book.now) return 0;
  // The request holds all members or none: where some were settled apart, by a person or by a
  // replay, repeating it could mail them with the rest. A request that is known to have been
  // accepted mails nobody anew.
  const isWhole = batch.unsettled === batch.size;
  if (!isWhole && !isProvedAccepted(book.storage, number)) return 0;
  const moved = moveInBatch(book, batch, batch.members, "inDoubt", "reserve", null);
  waitBatch(book, batch, "reopen", book.now, book.now, { unknownAttempts: 1 });
  return moved;
}

/**
 * Sends dead-lettered work again: at once where it waits, or out of its doubt. A letter counts as
 * replayed when nothing is left to do for it here; one whose batch is with a consumer right now, or
 * is in a doubt that only a person can end, can be asked for again.
 *
 * @returns recipients whose batch is repeated
 */
export function replayDeadLetters(book: Book): number {
  let reopened = 0;
  const done: DispatchNumber[] = [];
  for (const { dispatch } of all(book.storage, deadLettered, {})) {
    const recipients = resend(book, dispatch);
    if (recipients === null) continue;
    reopened += recipients;
    done.push(dispatch as number as DispatchNumber);
  }
  run(book.storage, markReplayed, { dispatches: JSON.stringify(done), now: book.now });
  // Work orders that are out are taken for lost: the message that carried them is dead.
  postponeDispatches(book.storage, { dispatches: done, at: book.now, room: null });
  return reopened;
}

/** Null where it can't be sent again now. */
function resend(book: Book, number: BatchNumber): number | null {
  const batch = batchByNumber(book.storage, number);
  switch (batch?.state) {
    case undefined: // A dispatch nobody has reserved for: its order is still in the outbox.
    case "settled":
    case "dissolved":
      return 0;
    case "leased":
      return null;
    case "inDoubt":
      return reopen(book, number) || null;
    case "waiting":
      waitBatch(book, batch, "wait", book.now, book.now);
      return batch.unsettled;
  }
}
