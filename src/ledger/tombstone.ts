/**
 * Takes out of recipients' rows what they say of somebody, and leaves the rows: status, batch, times
 * and fate stay, so every number stays as it is and equals a recount (SPEC G5).
 *
 * The id goes with the address, since it is the operator's own name for the person, and often the
 * address itself; so does the provider's id, which leads to the mail at the provider.
 */
import type { Seq } from "../domain/ids.ts";
import type { Book } from "./book.ts";
import { all, statement } from "./sql.ts";

// An address has an @, so none is like a tombstone; an id may be anything, even that.
const empty = statement<{ seq: Seq }, { from: number; upTo: number; now: number }>(
  "tombstone.empty",
  `UPDATE recipients SET
      id = 'erased:' || seq || CASE WHEN EXISTS (SELECT 1 FROM recipients AS other
          WHERE other.id = 'erased:' || recipients.seq AND other.seq <> recipients.seq)
        THEN ':' || cast(:now AS INTEGER) ELSE '' END,
      address = 'erased:' || seq, email = NULL, data = '{}', provider_id = NULL,
      reason = CASE WHEN reason IS NULL THEN NULL WHEN status = 'suppressed' THEN suppression
        ELSE 'erased' END,
      erased_at = :now
    WHERE seq >= :from AND seq < :upTo AND erased_at IS NULL RETURNING seq`,
);

/** Empties the rows of these places. @returns how many were not empty before */
export function emptyRows(book: Book, from: number, upTo: number): number {
  return all(book.storage, empty, { from, upTo, now: book.now }).length;
}
