/** The account's list of addresses that must not be mailed. */
import type { Address } from "../domain/ids.ts";
import type { Page, SuppressionEntry } from "../campaign/rpc.ts";
import { all, statement, type Storage } from "../ledger/sql.ts";

const among = statement<SuppressionEntry, { addresses: string }>(
  "suppressions.among",
  `SELECT address, reason, at FROM suppressions
    WHERE address IN (SELECT value FROM json_each(:addresses))`,
);
const insert = statement<{ address: Address }, { entries: string }>(
  "suppressions.insert",
  `INSERT INTO suppressions (address, reason, at)
    SELECT value ->> 'address', value ->> 'reason', value ->> 'at' FROM json_each(:entries)
    WHERE true ON CONFLICT DO NOTHING RETURNING address`,
);
const remove = statement<{ address: Address }, { address: string }>(
  "suppressions.remove",
  "DELETE FROM suppressions WHERE address = :address RETURNING address",
);
const page = statement<SuppressionEntry, { after: string; limit: number }>(
  "suppressions.page",
  `SELECT address, reason, at FROM suppressions
    WHERE address > :after ORDER BY address LIMIT :limit`,
);

export function suppressedAmong(
  storage: Storage,
  addresses: readonly Address[],
): SuppressionEntry[] {
  return all(storage, among, { addresses: JSON.stringify(addresses) });
}

/**
 * Adds them; an address that is there keeps the reason and the time it has.
 * @returns how many are new
 */
export function addSuppressions(storage: Storage, entries: readonly SuppressionEntry[]): number {
  return all(storage, insert, { entries: JSON.stringify(entries) }).length;
}

export function removeSuppression(storage: Storage, address: Address): boolean {
  return all(storage, remove, { address }).length > 0;
}

/** In the order of the addresses; the cursor is the last one of the page. */
export function suppressionPage(
  storage: Storage,
  cursor: string | null,
  limit: number,
): Page<SuppressionEntry> {
  const items = all(storage, page, { after: cursor ?? "", limit });
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, cursor: last?.address ?? null };
}
