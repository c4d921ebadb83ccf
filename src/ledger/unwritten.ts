/**
 * Fresh batches whose members' own rows are left alone until their end is known.
 *
 * Most batches are accepted as a whole by their first answer. Writing each recipient once for
 * `reserved` and once for `sent` would cost two rows; so a fresh batch of a managed campaign says in
 * its own row alone whom it holds (`batches.unwritten`), and the answer that accepts all of them
 * writes each of them once, from `pending` to `sent`. The counters say `reserved` all along.
 *
 * Why nobody else can take them meanwhile: a fresh pick takes everybody who is pending and was never
 * put back, from the cursor to its last member, and in the same transaction the cursor moves behind
 * them; it never moves back (a trigger of the schema). So whoever is pending behind the cursor
 * without `released` is in exactly one unwritten batch, and no pick looks there: a fresh one begins
 * at the cursor and the other one wants `released`. Consumers of other queues name the people they
 * reserve, wherever the cursor stands, and report them one by one, so their batches are written.
 *
 * Everything else that changes such a recipient, or tells where it stands, first has the batch
 * written down by a function of this file, and then finds the rows as if they had been written at
 * the reserve, times included. Forgetting it can't mail anybody twice: no pick looks behind the
 * cursor and no move leads away from `sent`. And the schema's CHECK refuses any move of the batch
 * itself but those that are made here.
 */
import type { Seq } from "../domain/ids.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import { assert } from "../domain/result.ts";
import { BATCH_COLUMNS } from "./batches.ts";
import type { Book } from "./book.ts";
import { reserveMembers } from "./members.ts";
import type { BatchRow } from "./rows.ts";
import { all, changed, one, statement } from "./sql.ts";

const unwritten = statement<BatchRow>(
  "unwritten.all",
  `SELECT ${BATCH_COLUMNS} FROM batches WHERE due_at IS NOT NULL AND unwritten = 1`,
);
const markWritten = statement<{ batch: number }, { batch: number }>(
  "unwritten.markWritten",
  "UPDATE batches SET unwritten = 0 WHERE batch = :batch AND unwritten = 1 RETURNING batch",
);
const acceptMembers = statement<never, { results: string; batch: number; now: number }>(
  "unwritten.acceptMembers",
  `UPDATE recipients SET status = 'sent', batch = :batch, provider_id = j.value ->> 1,
      updated_at = :now
    FROM json_each(:results) AS j
    WHERE recipients.seq = j.value ->> 0 AND recipients.status = 'pending'
      AND recipients.released IS NULL`,
);
const settle = statement<{ batch: number }, { batch: number; token: number }>(
  "unwritten.settle",
  `UPDATE batches SET state = 'settled', unsettled = 0, unwritten = 0, claim = NULL, due_at = NULL
    WHERE batch = :batch AND token = :token AND state = 'leased' AND unwritten = 1
    RETURNING batch`,
);

/** Writes the members' rows as the reserve would have. Again is the same as once. */
export function writeDown({ storage }: Book, batch: BatchRow): BatchRow {
  if (batch.unwritten === 0) return batch;
  reserveMembers(storage, batch, batch.first_attempt_at);
  one(storage, markWritten, { batch: batch.batch });
  return { ...batch, unwritten: 0 };
}

/** As many as there are leases of first attempts, which the dispatch window bounds. */
function unwrittenBatches({ storage, campaign, counters }: Book): BatchRow[] {
  // An external campaign may have any number of leases, and none of them is unwritten.
  if (counters.reserved === 0 || campaign.delivery === "external") return [];
  return all(storage, unwritten, {});
}

/** Before recipients are looked at by what their rows say. */
export function writeDownAll(book: Book): void {
  for (const batch of unwrittenBatches(book)) writeDown(book, batch);
}

/** The row that `read` finds, as it is once the batch it may be in has been written down. */
export function whereItStands<Row extends { readonly seq: Seq; readonly status: RecipientStatus }>(
  book: Book,
  read: () => Row | null,
): Row | null {
  const row = read();
  if (row?.status !== "pending" || row.seq >= book.counters.next_seq) return row;
  const batch = unwrittenBatches(book).find(({ members }) =>
    (JSON.parse(members) as Seq[]).includes(row.seq),
  );
  if (batch === undefined) return row;
  writeDown(book, batch);
  return read();
}

/**
 * Settles an unwritten batch by an answer that accepts everybody in it.
 * @param sent acceptances of members, from the holder of the newest token
 * @returns false, with nothing changed, where it is another batch or not everybody is named
 */
export function acceptUnwritten(
  book: Book,
  batch: BatchRow,
  sent: readonly { readonly seq: Seq; readonly providerId: string }[],
): boolean {
  const named = new Set(sent.map(({ seq }) => seq));
  const isWhole = named.size === batch.size && sent.length === batch.size;
  if (batch.unwritten === 0 || !isWhole) return false;
  const results = JSON.stringify(sent.map(({ seq, providerId }) => [seq, providerId]));
  const params = { results, batch: batch.batch, now: book.now };
  const accepted = changed(book.storage, acceptMembers, params);
  assert(accepted === batch.size, "nobody has moved a member of an unwritten batch");
  one(book.storage, settle, { batch: batch.batch, token: batch.token });
  book.move("reserved", "sent", accepted);
  book.accepted(accepted);
  return true;
}
