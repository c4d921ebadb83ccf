/**
 * Messages that the queue gave up on, kept with the ledger: the queue forgets them after days.
 * A dead letter is evidence and loses nobody. Its batch has a lease or a deadline of its own, and
 * the sweep goes on with it.
 */
import { counted } from "../domain/counted.ts";
import type { DispatchNumber, Instant } from "../domain/ids.ts";
import { MAX_DEAD_LETTERS, MAX_REASON_CHARACTERS, MAX_STACK_CHARACTERS } from "../domain/limits.ts";
import type { DeadLetter, DeadLetterView } from "../domain/history.ts";
import type { Book } from "./book.ts";
import { all, run, statement, type Storage } from "./sql.ts";

const insert = statement<
  { number: number },
  {
    messageId: string;
    dispatch: number | null;
    error: string;
    stack: string | null;
    attempts: number;
    now: number;
  }
>(
  "deadLetters.insert",
  `INSERT INTO dead_letters (message_id, dispatch, error, stack, attempts, at)
    VALUES (:messageId, :dispatch, :error, :stack, :attempts, :now)
    ON CONFLICT DO NOTHING RETURNING number`,
);
const drop = statement<never, { upTo: number }>(
  "deadLetters.drop",
  "DELETE FROM dead_letters WHERE number <= :upTo",
);
type Row = {
  number: number;
  message_id: string;
  dispatch: DispatchNumber | null;
  error: string;
  stack: string | null;
  attempts: number;
  at: Instant;
  replayed_at: Instant | null;
  recipients: number;
};
const page = statement<Row, { before: number; limit: number }>(
  "deadLetters.page",
  `SELECT d.number, d.message_id, d.dispatch, d.error, d.stack, d.attempts, d.at, d.replayed_at,
      coalesce(b.size, 0) AS recipients
    FROM dead_letters AS d LEFT JOIN batches AS b ON b.batch = d.dispatch
    WHERE d.number < :before ORDER BY d.number DESC LIMIT :limit`,
);

/** Writes it once, however often the queue hands it over, and pauses at too many. */
export function recordDeadLetter(book: Book, letter: DeadLetter): void {
  const rows = all(book.storage, insert, {
    messageId: letter.messageId,
    dispatch: letter.dispatch,
    error: letter.error.slice(0, MAX_REASON_CHARACTERS),
    stack: letter.stack?.slice(0, MAX_STACK_CHARACTERS) ?? null,
    attempts: letter.attempts,
    now: book.now,
  });
  const number = rows[0]?.number;
  if (number === undefined) return;
  if (number > MAX_DEAD_LETTERS) run(book.storage, drop, { upTo: number - MAX_DEAD_LETTERS });
  book.counters.dead_letters += 1;
  const error = letter.error.slice(0, MAX_REASON_CHARACTERS);
  book.event("deadLetter", { number, dispatch: letter.dispatch, error });
  const { dead_letters } = book.counters;
  if (dead_letters % book.settings.pauseAtDeadLetters === 0) {
    const text = `${counted(dead_letters, "message")} reached the dead-letter queue`;
    // A campaign that is paused, or at its end, has nothing to stop and is told of all the same.
    if (book.pause("deadLetters", text)) return;
    const alert = { type: "deadLetters", deadLetters: dead_letters, error } as const;
    book.alert(`deadLetters:${dead_letters}`, alert);
  }
}

/** Newest first. */
export function deadLetters(storage: Storage, before: number, limit: number): DeadLetterView[] {
  return all(storage, page, { before, limit }).map((row) => ({
    number: row.number,
    messageId: row.message_id,
    dispatch: row.dispatch,
    error: row.error,
    stack: row.stack,
    attempts: row.attempts,
    at: row.at,
    recipients: row.recipients,
    replayedAt: row.replayed_at,
  }));
}
