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
import { isRetained } from "./retention.ts";
import { all, maybeOne, run, statement } from "./sql.ts";
import { whereItStands, writeDownAll } from "./unwritten.ts";

const remember = statement<never, { address: string; reason: string; at: number }>(
  "suppress.remember",
  `INSERT INTO suppressions (address, reason, at) VALUES (:address, :reason, :at)
    ON CONFLICT DO NOTHING`,
);
const rememberErasure = statement<
  never,
  { address: string; reason: string; at: number; erasedAt: number }
>(
  "suppress.rememberErasure",
  `INSERT INTO suppressions (address, reason, at, erased_at)
    VALUES (:address, :reason, :at, :erasedAt)
    ON CONFLICT (address) DO UPDATE SET erased_at = :erasedAt WHERE erased_at IS NULL`,
);
const erased = statement<{ address: Address }, { addresses: string }>(
  "suppress.erased",
  `SELECT address FROM suppressions
    WHERE address IN (SELECT value FROM json_each(:addresses)) AND erased_at IS NOT NULL`,
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

const known = statement<{ address: Address }, { from: number; upTo: number }>(
  "suppress.known",
  `SELECT address FROM recipients WHERE seq >= :from AND seq < :upTo AND erased_at IS NULL`,
);

/** A page of addresses, and where to go on. */
export type AddressPage = {
  readonly addresses: readonly Address[];
  readonly next: Seq;
};

/**
 * Addresses that wait to be mailed; null behind the last recipient. Looks at WITHHOLD_PAGE rows,
 * however many of them are pending.
 */
export function pendingAddresses(book: Book, from: Seq): AddressPage | null {
  if (from > book.counters.total) return null;
  writeDownAll(book);
  return addressesIn(book, pending, from);
}

/** The same of everybody whom the campaign knows. */
export function knownAddresses(book: Book, from: Seq): AddressPage | null {
  return from > book.counters.total ? null : addressesIn(book, known, from);
}

function addressesIn(book: Book, rowsIn: typeof pending, from: Seq): AddressPage {
  const upTo = from + WITHHOLD_PAGE;
  const rows = all(book.storage, rowsIn, { from, upTo });
  return { addresses: rows.map(({ address }) => address), next: upTo as Seq };
}

/** Keeps of these who was erased, so that nobody enrols them again, however late the upload is. */
export function rememberErased(book: Book, entries: readonly SuppressionEntry[]): void {
  for (const { address, reason, at, erasedAt } of entries) {
    if (erasedAt === undefined) continue;
    run(book.storage, rememberErasure, { address, reason, at, erasedAt });
  }
}

/** Which of these addresses were erased. */
export function erasedAmong(book: Book, addresses: readonly Address[]): ReadonlySet<Address> {
  if (addresses.length === 0) return new Set();
  const rows = all(book.storage, erased, { addresses: JSON.stringify(addresses) });
  return new Set(rows.map(({ address }) => address));
}

export function suppress(book: Book, entries: readonly SuppressionEntry[]): void {
  // Nobody can be enrolled any more, and a copy of the list would only be one more place.
  if (isRetained(book)) return;
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
