/**
 * Erases one person from a campaign, without a change of any number and of any request that may
 * still be made (SPEC R-erase).
 *
 * A batch that is leased, waits, or is in a doubt whose key the provider remembers may be sent again,
 * and its bytes are made of its members' data: without it, the provider would see another body under
 * the key and refuse the other 99 (C10). So whoever is in one is suppressed now and erased when that
 * is over, by the sweep. Nothing the operator does can prolong it: the window is that of the batch.
 */
import type { Address, Instant, Seq } from "../domain/ids.ts";
import { ERASURES_AT_ONCE } from "../domain/limits.ts";
import type { ErasureAnswer } from "../domain/person.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import type { Book } from "./book.ts";
import { dueErasures, owe, paid, type Held } from "./owed.ts";
import { forgetNamesWith } from "./reservation-names.ts";
import { isRetained } from "./retention.ts";
import { maybeOne, statement } from "./sql.ts";
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
const holding = statement<Held & { until: Instant }, { seq: number; now: number }>(
  "erasure.holding",
  `SELECT b.batch, b.state, b.window_until,
        max(b.due_at, coalesce(b.repeat_at, 0), b.window_until) AS until
      FROM batches AS b, json_each(b.members) AS j
      WHERE b.due_at IS NOT NULL AND j.value = :seq
    UNION ALL
    SELECT b.batch, b.state, b.window_until, b.window_until AS until
      FROM batches AS b, json_each(b.members) AS j
      WHERE b.state = 'inDoubt' AND b.batch >= 1 AND b.window_until > :now AND j.value = :seq
    ORDER BY until DESC LIMIT 1`,
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
    owe(book.storage, seq, held);
    return held.until;
  }
  forgetAddress(book, address);
  forgetNamesWith(book.storage, address);
  const recipients = emptyRows(book, seq, seq + 1);
  paid(book.storage, seq);
  book.event("erased", { why: "person", recipients, recipient: seq });
  return null;
}

/**
 * Erases those whose batch is over. Each of them is either erased or found in another batch, and then
 * no longer due. @returns whether there may be more to erase now
 */
export function eraseOwed(book: Book): boolean {
  const due = dueErasures(book.storage, book.now, ERASURES_AT_ONCE);
  for (const seq of due) {
    const person = maybeOne(book.storage, bySeq, { seq });
    if (person === null) paid(book.storage, seq);
    else eraseOrOwe(book, person);
  }
  return due.length === ERASURES_AT_ONCE;
}
