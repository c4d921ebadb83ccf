/**
 * Which pending recipients come next, without an index over all of them.
 *
 * Fresh ones stand behind a cursor over `seq` that only moves forward: every pending recipient
 * before it has been released, and those are few and indexed. So a pick reads about as many rows
 * as it takes, at the first recipient and at the millionth.
 */
import type { Seq } from "../domain/ids.ts";
import type { Book } from "./book.ts";
import { all, statement } from "./sql.ts";

/** Rows that one pick looks at behind the cursor: a run of suppressed ones is skipped in steps. */
const LOOK_AHEAD = 2_000;

const releasedRows = statement<{ seq: Seq; released: number }, { limit: number }>(
  "pick.released",
  `SELECT seq, released FROM recipients
    WHERE status = 'pending' AND released IS NOT NULL ORDER BY released, seq LIMIT :limit`,
);
const freshRows = statement<{ seq: Seq; ready: 0 | 1 }, { from: number; limit: number }>(
  "pick.fresh",
  `SELECT seq, (status = 'pending' AND released IS NULL) AS ready FROM recipients
    WHERE seq >= :from ORDER BY seq LIMIT :limit`,
);

/** Up to `size` pending recipients in ascending order of `seq`; the cursor moves past them. */
export function pickPending(book: Book, size: number): Seq[] {
  const released = all(book.storage, releasedRows, { limit: size });
  const bound = released[0]?.released;
  if (bound !== undefined) {
    // Only people with the same bound share a batch, and no more than it allows.
    const alike = released.filter((row) => row.released === bound).slice(0, bound);
    return alike.map((row) => row.seq).toSorted((a, b) => a - b);
  }
  return pickFresh(book, size);
}

function pickFresh(book: Book, size: number): Seq[] {
  const picked: Seq[] = [];
  while (picked.length < size && book.counters.pending > picked.length) {
    const limit = picked.length === 0 ? size : LOOK_AHEAD;
    const rows = all(book.storage, freshRows, { from: book.counters.next_seq, limit });
    if (rows.length === 0) break;
    for (const row of rows) {
      if (picked.length === size) break;
      if (row.ready === 1) picked.push(row.seq);
      book.counters.next_seq = row.seq + 1;
    }
  }
  return picked;
}
