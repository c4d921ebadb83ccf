/**
 * Erases one person from a campaign, without a change of any number and of any request that may
 * still be made (SPEC R-erase).
 *
 * A batch that is leased, waits, or is in a doubt whose key the provider remembers may be sent again,
 * and its bytes are made of its members' data: without it, the provider would see another body under
 * the key and refuse the other 99 (C10). So whoever is in one is suppressed now and erased when that
 * is over, by the sweep. Nothing the operator does can prolong it: the window is that of the batch.
 */
import type { Address, BatchNumber, Instant, Seq } from "../domain/ids.ts";
import { ERASURES_AT_ONCE } from "../domain/limits.ts";
import type { ErasureAnswer } from "../domain/person.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import type { Book } from "./book.ts";
import { isRetained } from "./retention.ts";
import { all, maybeOne, run, statement } from "./sql.ts";
import { rememberErased, suppress } from "./suppress.ts";
import { emptyRows } from "./tombstone.ts";
import { forgetAddress } from "./told-texts.ts";

type Person = { seq: Seq; address: Address };
const byAddress = statement<Person, { address: string }>(
  "erasure.byAddress",
  "SELECT seq, address FROM recipients WHERE address = :address",
);
const bySeq = statement<Person, { seq: number }>(
  "erasure.bySeq",
  "SELECT seq, address FROM recipients WHERE seq = :seq AND erased_at IS NULL",
);
const holding = statement<{ batch: BatchNumber; until: Instant }, { seq: number; now: number }>(
  "erasure.holding",
  `SELECT b.batch, max(b.due_at, coalesce(b.repeat_at, 0), b.window_until) AS until
      FROM batches AS b, json_each(b.members) AS j
      WHERE b.due_at IS NOT NULL AND j.value = :seq
    UNION ALL
    SELECT b.batch, b.window_until AS until FROM batches AS b, json_each(b.members) AS j
      WHERE b.state = 'inDoubt' AND b.batch >= 1 AND b.window_until > :now AND j.value = :seq
    ORDER BY until DESC LIMIT 1`,
);
const owe = statement<never, { seq: number; batch: number }>(
  "erasure.owe",
  `INSERT INTO erasures (seq, batch) VALUES (:seq, :batch)
    ON CONFLICT (seq) DO UPDATE SET batch = :batch WHERE batch <> :batch`,
);
const paid = statement<never, { seq: number }>(
  "erasure.paid",
  "DELETE FROM erasures WHERE seq = :seq",
);
const owed = statement<{ seq: Seq }, { limit: number }>(
  "erasure.owed",
  "SELECT seq FROM erasures WHERE seq >= 1 ORDER BY seq LIMIT :limit",
);
// An open batch has a deadline of its own, and whatever settles it arms the alarm again.
const due = statement<{ at: Instant | null }, { now: number; limit: number }>(
  "erasure.due",
  `SELECT min(at) AS at FROM (
    SELECT CASE WHEN b.due_at IS NOT NULL THEN NULL
        WHEN b.state = 'inDoubt' THEN max(b.window_until, :now) ELSE :now END AS at
      FROM erasures AS e JOIN batches AS b ON b.batch = e.batch
      WHERE e.seq >= 1 ORDER BY e.seq LIMIT :limit)`,
);

/** @param entry as the account keeps it: with it, the address can't be enrolled here again */
export function erasePerson(book: Book, entry: SuppressionEntry): ErasureAnswer {
  // Nothing is left of anybody then, and nobody can be enrolled any more.
  if (isRetained(book)) return { state: "nobody" };
  suppress(book, [entry]);
  rememberErased(book, [entry]);
  const person = maybeOne(book.storage, byAddress, { address: entry.address });
  if (person === null) return { state: "nobody" };
  const until = eraseOrOwe(book, person);
  return until === null ? { state: "erased" } : { state: "pending", until };
}

/** @returns until when at the latest it has to wait; null: it is done */
function eraseOrOwe(book: Book, { seq, address }: Person): Instant | null {
  const held = maybeOne(book.storage, holding, { seq, now: book.now });
  if (held !== null) {
    run(book.storage, owe, { seq, batch: held.batch });
    return held.until;
  }
  forgetAddress(book, address);
  const recipients = emptyRows(book, seq, seq + 1);
  run(book.storage, paid, { seq });
  book.event("erased", { why: "person", recipients, recipient: seq });
  return null;
}

/** Erases those whose batch is over. @returns whether there may be more to erase now */
export function eraseOwed(book: Book): boolean {
  const rows = all(book.storage, owed, { limit: ERASURES_AT_ONCE });
  let erased = 0;
  for (const { seq } of rows) {
    const person = maybeOne(book.storage, bySeq, { seq });
    if (person === null) run(book.storage, paid, { seq });
    if (person === null || eraseOrOwe(book, person) === null) erased += 1;
  }
  return erased > 0 && rows.length === ERASURES_AT_ONCE;
}

/** When the next of them can be erased; null: never, as things stand. */
export function erasureDeadline({ storage, now }: Pick<Book, "storage" | "now">): Instant | null {
  return maybeOne(storage, due, { now, limit: ERASURES_AT_ONCE })?.at ?? null;
}
