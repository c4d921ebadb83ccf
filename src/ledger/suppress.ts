/**
 * Suppressions that reach this campaign. Pending recipients are suppressed at once; for others the
 * fact is kept with the row, so that nobody is put back to pending who must not be mailed, and the
 * address is kept for those who are enrolled later (SPEC G6).
 */
import type { Address, Seq } from "../domain/ids.ts";
import { WITHHOLD_PAGE } from "../domain/limits.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import type { Book } from "./book.ts";
import { all, maybeOne, run, statement } from "./sql.ts";
import { whereItStands, writeDownAll } from "./unwritten.ts";

const remember = statement<never, { address: string; reason: string; at: number }>(
  "suppress.remember",
  `INSERT INTO suppressions (address, reason, at) VALUES (:address, :reason, :at)
    ON CONFLICT DO NOTHING`,
);
const find = statement<
  { seq: Seq; status: RecipientStatus; suppression: string | null },
  { address: string }
>("suppress.find", "SELECT seq, status, suppression FROM recipients WHERE address = :address");
const mark = statement<never, { seq: number; reason: string; at: number; now: number }>(
  "suppress.mark",
  `UPDATE recipients SET suppression = :reason, suppressed_at = :at,
      status = CASE status WHEN 'pending' THEN 'suppressed' ELSE status END,
      reason = CASE status WHEN 'pending' THEN :reason ELSE reason END,
      released = NULL, updated_at = :now
    WHERE seq = :seq AND suppression IS NULL`,
);

const pending = statement<{ address: Address }, { from: number; upTo: number }>(
  "suppress.pending",
  `SELECT address FROM recipients WHERE seq >= :from AND seq < :upTo AND +status = 'pending'`,
);

/** Addresses that wait to be mailed, and where to go on; null behind the last recipient. */
export type PendingAddresses = {
  readonly addresses: readonly Address[];
  readonly next: Seq;
};

/** Looks at WITHHOLD_PAGE rows, however many of them are pending. */
export function pendingAddresses(book: Book, from: Seq): PendingAddresses | null {
  if (from > book.counters.total) return null;
  writeDownAll(book);
  const upTo = from + WITHHOLD_PAGE;
  const rows = all(book.storage, pending, { from, upTo });
  return { addresses: rows.map(({ address }) => address), next: upTo as Seq };
}

export function suppress(book: Book, entries: readonly SuppressionEntry[]): void {
  for (const { address, reason, at } of entries) {
    run(book.storage, remember, { address, reason, at });
    markRecipient(book, address, reason, at);
  }
}

function markRecipient(book: Book, address: Address, reason: string, at: number): void {
  const row = whereItStands(book, () => maybeOne(book.storage, find, { address }));
  if (row === null || row.suppression !== null) return;
  run(book.storage, mark, { seq: row.seq, reason, at, now: book.now });
  if (row.status !== "pending") return;
  book.move("pending", "suppressed", 1);
  book.event("suppressed", { recipient: row.seq, reason });
}
