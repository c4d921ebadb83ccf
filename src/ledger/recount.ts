/** Counts recipients by their rows. It reads them all, so only checks and tests ask for it. */
import type { RecipientStatus } from "../domain/recipient.ts";
import type { Stats } from "../domain/status.ts";
import type { Book } from "./book.ts";
import { all, statement } from "./sql.ts";
import { writeDownAll } from "./unwritten.ts";

const byStatus = statement<{ status: RecipientStatus; count: number }>(
  "recount.byStatus",
  "SELECT status, count(*) AS count FROM recipients GROUP BY status",
);

export function recount(book: Book): Stats {
  writeDownAll(book);
  const rows = new Map(all(book.storage, byStatus, {}).map((row) => [row.status, row.count]));
  const of = (status: RecipientStatus) => rows.get(status) ?? 0;
  return {
    total: [...rows.values()].reduce((sum, count) => sum + count, 0),
    sent: of("sent"),
    reserved: of("reserved"),
    failed: of("failed"),
    remaining: of("pending"),
    suppressed: of("suppressed"),
    inDoubt: of("inDoubt"),
    cancelled: of("cancelled"),
  };
}
