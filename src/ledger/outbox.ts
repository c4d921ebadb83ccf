/**
 * The outbox: work orders that are to be put on the queue, and those that are out and unanswered.
 *
 * A dispatch is written before it is sent and deleted by the reserve that answers it, so losing
 * every message of the queue loses nobody (SPEC G2): what stays unanswered is sent again.
 */
import { freshDispatchesWanted, quietAt } from "../domain/outbox.ts";
import type { BatchNumber, DispatchNumber, Instant } from "../domain/ids.ts";
import type { Agenda } from "./agenda.ts";
import type { Book } from "./book.ts";
import type { DispatchWindow } from "./dispatch-window.ts";
import type { DispatchRow } from "./rows.ts";
import { all, maybeOne, one, run, statement, type Storage } from "./sql.ts";

const insert = statement<never, { dispatch: number; now: number; repeats: number }>(
  "outbox.insert",
  `INSERT INTO dispatches (dispatch, state, due_at, repeats) VALUES (:dispatch, 'due', :now, :repeats)
    ON CONFLICT DO NOTHING`,
);
const answer = statement<{ repeats: 0 | 1 }, { dispatch: number }>(
  "outbox.answer",
  "DELETE FROM dispatches WHERE dispatch = :dispatch RETURNING repeats",
);
const unanswered = statement<{ dispatch: DispatchNumber }, { dispatch: number }>(
  "outbox.unanswered",
  "SELECT dispatch FROM dispatches WHERE dispatch = :dispatch",
);
const due = statement<DispatchRow, { now: number; limit: number }>(
  "outbox.due",
  `SELECT dispatch, state, due_at, sends, repeats FROM dispatches
    WHERE state = 'due' AND due_at <= :now ORDER BY due_at, dispatch LIMIT :limit`,
);
const markOut = statement<never, { dispatches: string; now: number }>(
  "outbox.markOut",
  `UPDATE dispatches SET state = 'out', due_at = :now, sends = sends + 1, room = NULL
    WHERE dispatch IN (SELECT value FROM json_each(:dispatches)) AND state = 'due'
      AND due_at <= :now`,
);
const putBack = statement<never, { dispatches: string; at: number; room: number | null }>(
  "outbox.putBack",
  `UPDATE dispatches SET state = 'due', due_at = :at, room = :room
    WHERE dispatch IN (SELECT value FROM json_each(:dispatches))`,
);
const lastTold = statement<{ due_at: Instant; room: number }>(
  "outbox.lastTold",
  `SELECT due_at, room FROM dispatches WHERE state = 'due' AND room IS NOT NULL
    ORDER BY due_at DESC LIMIT 1`,
);
const countOut = statement<{ count: number }>(
  "outbox.countOut",
  "SELECT count(*) AS count FROM dispatches WHERE state = 'out'",
);
const oldestOut = statement<{ due_at: Instant }>(
  "outbox.oldestOut",
  "SELECT due_at FROM dispatches WHERE state = 'out' ORDER BY due_at LIMIT 1",
);
const recall = statement<never, { now: number; openedAt: number }>(
  "outbox.recall",
  `UPDATE dispatches SET state = 'due', due_at = :now, sends = iif(due_at < :openedAt, 0, sends)
    WHERE state = 'out'`,
);
const dropUnused = statement(
  "outbox.dropFresh",
  "DELETE FROM dispatches WHERE state IN ('due', 'out') AND repeats = 0",
);
const byState = statement<{ state: DispatchRow["state"]; count: number }>(
  "outbox.byState",
  `SELECT state, count(*) AS count FROM dispatches WHERE state IN ('due', 'out') GROUP BY state`,
);

/** Takes back every order for a batch that is yet to be formed; `refill` writes them anew. */
export function dropFresh(storage: Storage): void {
  run(storage, dropUnused, {});
}

/** Orders a waiting batch to be repeated, under its own number. */
export function dispatchAgain(book: Book, batch: BatchNumber): void {
  run(book.storage, insert, { dispatch: batch, now: book.now, repeats: 1 });
}

/** Takes an answered dispatch out. Null: it was answered before, or was never given out. */
export function answerDispatch(
  storage: Storage,
  dispatch: DispatchNumber,
): { repeats: boolean } | null {
  const row = maybeOne(storage, answer, { dispatch });
  return row === null ? null : { repeats: row.repeats === 1 };
}

/** Whether it was given out and nobody has answered it. */
export function isUnanswered(storage: Storage, dispatch: DispatchNumber): boolean {
  return maybeOne(storage, unanswered, { dispatch }) !== null;
}

function wanted(book: Book, agenda: Agenda): number {
  const { state, delivery } = book.campaign;
  if (state !== "sending" || delivery !== "managed" || book.counters.pending === 0) return 0;
  return freshDispatchesWanted({
    pending: book.counters.pending,
    batchSize: book.settings.batchSize,
    fresh: agenda.fresh_dispatches,
    openBatches: agenda.open_batches,
    troubled: agenda.troubled_batches,
  });
}

/** Writes as many fresh work orders as the window has room for. */
export function refill(book: Book, agenda: Agenda): void {
  for (let left = wanted(book, agenda); left > 0; left -= 1) {
    const dispatch = book.counters.next_number;
    book.counters.next_number += 1;
    run(book.storage, insert, { dispatch, now: book.now, repeats: 0 });
  }
}

/** When what is out is taken for lost; null: nothing is out. */
function lostAt(book: Book, agenda: Agenda, openedAt: Instant): Instant | null {
  const { oldest_sent_at: sentAt, oldest_sends: sends } = agenda;
  if (sentAt === null || sends === null) return null;
  return quietAt({ heardAt: book.counters.heard_at, sentAt, sends, openedAt });
}

/** When the oldest dispatch that is out was sent; null: nothing is out. */
export function unansweredSince(storage: Storage): Instant | null {
  return maybeOne(storage, oldestOut, {})?.due_at ?? null;
}

/** Takes what has been out for too long for lost: it is due again. */
export function recallQuiet(book: Book, agenda: Agenda, openedAt: Instant): void {
  const at = lostAt(book, agenda, openedAt);
  if (at !== null && at <= book.now) run(book.storage, recall, { now: book.now, openedAt });
}

/** The next dispatches to put on the queue, one send's worth. */
export function dueDispatches(
  storage: Storage,
  window: DispatchWindow,
  now: Instant,
): DispatchNumber[] {
  const out = window.isNarrow ? one(storage, countOut, {}).count : 0;
  const limit = window.room(out, now);
  return limit === 0 ? [] : all(storage, due, { now, limit }).map((row) => row.dispatch);
}

/**
 * To be called only when the queue has taken them. A consumer may have been faster than this mark:
 * what it answered is gone, and what it gave back keeps the delay it asked for.
 */
export function dispatchesSent(
  storage: Storage,
  dispatches: readonly DispatchNumber[],
  now: Instant,
): void {
  run(storage, markOut, { dispatches: JSON.stringify(dispatches), now });
}

export type Postponement = {
  readonly dispatches: readonly DispatchNumber[];
  /** When they are due again. */
  readonly at: Instant;
  /** How many dispatches will find a slot then, as the rate gate said; null: it wasn't asked. */
  readonly room: number | null;
};

/** Puts back what the queue did not take, or whose consumer could not wait for a slot. */
export function postponeDispatches(storage: Storage, back: Postponement): void {
  run(storage, putBack, { ...back, dispatches: JSON.stringify(back.dispatches) });
}

/** Tells the window of a new life what the gate said to the one before. */
export function openWindow(storage: Storage, window: DispatchWindow): void {
  const told = maybeOne(storage, lastTold, {});
  if (told !== null) window.wentBack(told.due_at, told.room);
}

/** How many dispatches are to be sent and how many are out, and since when the oldest of those is. */
export function outboxCounts(storage: Storage): {
  readonly due: number;
  readonly out: number;
  readonly oldestSentAt: Instant | null;
} {
  const counts = new Map(all(storage, byState, {}).map((row) => [row.state, row.count]));
  return {
    due: counts.get("due") ?? 0,
    out: counts.get("out") ?? 0,
    oldestSentAt: maybeOne(storage, oldestOut, {})?.due_at ?? null,
  };
}

/** When the outbox has to act next; null: never, as things stand. */
export function outboxDeadline(
  book: Book,
  agenda: Agenda,
  window: DispatchWindow,
  openedAt: Instant,
): Instant | null {
  if (wanted(book, agenda) > 0) return book.now;
  const lost = lostAt(book, agenda, openedAt);
  const next = window.sendsAt(agenda.dispatch_due_at, agenda.dispatches_out);
  return next === null || lost === null ? (next ?? lost) : Math.min(next, lost);
}
