/** The account's list of addresses that must not be mailed. */
import type { Address, Instant } from "../domain/ids.ts";
import type { Page, SuppressionEntry, SuppressionReason } from "../campaign/rpc.ts";
import { all, run, statement, type Storage } from "../ledger/sql.ts";

const among = statement<SuppressionEntry, { addresses: string }>(
  "suppressions.among",
  `SELECT address, reason, at FROM suppressions
    WHERE address IN (SELECT value FROM json_each(:addresses))`,
);
const insert = statement<never, { addresses: string; reason: string; now: number }>(
  "suppressions.insert",
  `INSERT INTO suppressions (address, reason, at)
    SELECT value, :reason, :now FROM json_each(:addresses) WHERE true
    ON CONFLICT DO NOTHING`,
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

/** Adds them; an address that is there keeps the reason and the time it has. */
export function addSuppressions(
  storage: Storage,
  addresses: readonly Address[],
  reason: SuppressionReason,
  now: Instant,
): SuppressionEntry[] {
  run(storage, insert, { addresses: JSON.stringify(addresses), reason, now });
  return suppressedAmong(storage, addresses);
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
