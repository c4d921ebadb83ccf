/** The account's list of addresses that must not be mailed. */
import { parseAddress } from "../domain/address.ts";
import type { Address, Instant } from "../domain/ids.ts";
import type { Page, SuppressionEntry } from "../campaign/rpc.ts";
import { assert } from "../domain/result.ts";
import { all, run, statement, type Storage } from "../ledger/sql.ts";

type Row = SuppressionEntry & { readonly erased_at: Instant | null };
const among = statement<Row, { addresses: string }>(
  "suppressions.among",
  `SELECT address, reason, at, erased_at FROM suppressions
    WHERE address IN (SELECT value FROM json_each(:addresses))`,
);
const insert = statement<{ address: Address }, { entries: string }>(
  "suppressions.insert",
  `INSERT INTO suppressions (address, reason, at)
    SELECT value ->> 'address', value ->> 'reason', value ->> 'at' FROM json_each(:entries)
    WHERE true ON CONFLICT DO NOTHING RETURNING address`,
);
const markErased = statement<never, { address: string; now: number }>(
  "suppressions.markErased",
  `INSERT INTO suppressions (address, reason, at, erased_at) VALUES (:address, 'operator', :now, :now)
    ON CONFLICT (address) DO UPDATE SET erased_at = :now WHERE erased_at IS NULL`,
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
  return all(storage, among, { addresses: JSON.stringify(addresses) }).map(
    ({ address, reason, at, erased_at }) => ({
      address,
      reason,
      at,
      ...(erased_at === null ? {} : { erasedAt: erased_at }),
    }),
  );
}

/**
 * Suppresses an address whose person's data is to go. One that is suppressed already keeps its reason
 * and time, and the first erasure its own.
 */
export function suppressErased(storage: Storage, address: Address, now: Instant): SuppressionEntry {
  run(storage, markErased, { address, now });
  const [entry] = suppressedAmong(storage, [address]);
  assert(entry?.erasedAt !== undefined, "what was just marked is there");
  return entry;
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

/**
 * In the order of the addresses; the cursor is the last one of the page.
 * @throws RangeError at a cursor that no page has given: from a spoilt one on, some would be left out
 */
export function suppressionPage(
  storage: Storage,
  cursor: string | null,
  limit: number,
): Page<SuppressionEntry> {
  if (cursor !== null && !isNormal(cursor)) throw new RangeError("cursor: not one of this list");
  const items = all(storage, page, { after: cursor ?? "", limit });
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, cursor: last?.address ?? null };
}

function isNormal(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed.ok && parsed.value.address === address;
}
