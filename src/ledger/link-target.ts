/** What stands behind an unsubscribe link. Reading it changes nothing (SPEC C61). */
import type { Address, Seq } from "../domain/ids.ts";
import type { LinkTarget } from "../domain/suppression.ts";
import { maybeOne, statement, type Storage } from "./sql.ts";

const target = statement<{ address: Address; link_secret: string | null }, { seq: number }>(
  "linkTarget.read",
  `SELECT r.address, c.link_secret FROM recipients AS r, content AS c
    WHERE r.seq = :seq AND r.erased_at IS NULL AND c.one = 1`,
);

/**
 * Null where nobody has the place or it was erased, and before the beginning: no link has been
 * signed then.
 */
export function linkTarget(storage: Storage, seq: Seq): LinkTarget | null {
  const row = maybeOne(storage, target, { seq });
  if (row === null || row.link_secret === null) return null;
  return { address: row.address, linkSecret: row.link_secret };
}
