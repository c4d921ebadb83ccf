/**
 * Which pending recipients come next, without an index over all of them.
 *
 * Fresh ones stand behind a cursor over `seq` that only moves forward: every pending recipient
 * before it has been released, and those are few and indexed. So a pick reads about as many rows
 * as it takes, at the first recipient and at the millionth.
 */
import type { Book } from "./book.ts";
import type { MailRow } from "./members.ts";
import { all, statement } from "./sql.ts";

const releasedRows = statement<MailRow & { released: number }, { limit: number }>(
  "pick.released",
  `SELECT seq, id, address, email, data, released FROM recipients
    WHERE status = 'pending' AND released IS NOT NULL ORDER BY released, seq LIMIT :limit`,
);
const freshRows = statement<MailRow, { from: number; limit: number }>(
  "pick.fresh",
  `SELECT seq, id, address, email, data FROM recipients
    WHERE seq >= :from AND status = 'pending' AND released IS NULL ORDER BY seq LIMIT :limit`,
);

export type Picked = {
  /** In ascending order of `seq`. */
  readonly rows: readonly MailRow[];
  /** They stood behind the cursor, which has moved past them: nobody can pick them again. */
  readonly isFresh: boolean;
};

/** Up to `size` pending recipients. */
export function pickPending(book: Book, size: number): Picked {
  const released = all(book.storage, releasedRows, { limit: size });
  const bound = released[0]?.released;
  if (bound !== undefined) {
    // Only people with the same bound share a batch, and no more than it allows.
    const alike = released.filter((row) => row.released === bound).slice(0, bound);
    return { rows: alike.toSorted((a, b) => a.seq - b.seq), isFresh: false };
  }
  return { rows: pickFresh(book, size), isFresh: true };
}

/** A run of others is read over once, since the cursor then stands behind it. */
function pickFresh(book: Book, size: number): MailRow[] {
  if (book.counters.pending === 0) return [];
  const picked = all(book.storage, freshRows, { from: book.counters.next_seq, limit: size });
  const last = picked.at(-1);
  if (last !== undefined) book.counters.next_seq = last.seq + 1;
  return picked;
}
