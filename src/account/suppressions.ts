/** The account's list of addresses that must not be mailed. */
import { parseAddress } from "../domain/address.ts";
import type { Address, Instant } from "../domain/ids.ts";
import { SUPPRESSED_SINCE_PAGE } from "../domain/limits.ts";
import type { Page, SuppressionEntry } from "../campaign/rpc.ts";
import { assert } from "../domain/result.ts";
import type { ListNews } from "./rpc.ts";
import { all, one, run, statement, type Storage } from "../ledger/sql.ts";

type Row = SuppressionEntry & { readonly erased_at: Instant | null };
const among = statement<Row, { addresses: string }>(
  "suppressions.among",
  `SELECT address, reason, at, erased_at FROM suppressions
    WHERE address IN (SELECT value FROM json_each(:addresses))`,
);
const insert = statement<{ address: Address }, { entries: string; given: number }>(
  "suppressions.insert",
  `INSERT INTO suppressions (address, reason, at, number)
    SELECT value ->> 'address', value ->> 'reason', value ->> 'at', :given + 1 + key
    FROM json_each(:entries) WHERE true ON CONFLICT (address) DO NOTHING RETURNING address`,
);
const markErased = statement<{ address: Address }, { address: string; now: number; given: number }>(
  "suppressions.markErased",
  `INSERT INTO suppressions (address, reason, at, erased_at, number)
    VALUES (:address, 'operator', :now, :now, :given + 1)
    ON CONFLICT (address) DO UPDATE SET erased_at = :now, number = :given + 1
    WHERE erased_at IS NULL RETURNING address`,
);
const lastGiven = statement<{ number: number }>(
  "suppressions.lastGiven",
  "SELECT number FROM suppressions_given WHERE one = 1",
);
const give = statement<never, { number: number }>(
  "suppressions.give",
  "UPDATE suppressions_given SET number = :number WHERE one = 1",
);
const since = statement<Row & { readonly number: number }, { number: number; limit: number }>(
  "suppressions.since",
  `SELECT address, reason, at, erased_at, number FROM suppressions
    WHERE number > :number ORDER BY number LIMIT :limit`,
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
  return all(storage, among, { addresses: JSON.stringify(addresses) }).map(entryOf);
}

function entryOf({ address, reason, at, erased_at }: Row): SuppressionEntry {
  return { address, reason, at, ...(erased_at === null ? {} : { erasedAt: erased_at }) };
}

function given(storage: Storage): number {
  return one(storage, lastGiven, {}).number;
}

/**
 * Whom the list has got since this number. One that is higher than any it has given is of a list that
 * was itself restored since; it is not given again.
 */
export function suppressedSince(storage: Storage, number: number | null): ListNews {
  const last = given(storage);
  if (number === null) return { entries: [], number: last, isLast: true };
  if (number > last) {
    run(storage, give, { number });
    return { entries: [], number, isLast: true };
  }
  const rows = all(storage, since, { number, limit: SUPPRESSED_SINCE_PAGE });
  const isLast = rows.length < SUPPRESSED_SINCE_PAGE;
  const upTo = isLast ? last : (rows.at(-1)?.number ?? last);
  return { entries: rows.map(entryOf), number: upTo, isLast };
}

/**
 * Suppresses an address whose person's data is to go. One that is suppressed already keeps its reason
 * and time, and the first erasure its own.
 */
export function suppressErased(storage: Storage, address: Address, now: Instant): SuppressionEntry {
  const before = given(storage);
  const marked = all(storage, markErased, { address, now, given: before });
  if (marked.length > 0) run(storage, give, { number: before + 1 });
  const [entry] = suppressedAmong(storage, [address]);
  assert(entry?.erasedAt !== undefined, "what was just marked is there");
  return entry;
}

/**
 * Adds them; an address that is there keeps the reason and the time it has.
 * @returns how many are new
 */
export function addSuppressions(storage: Storage, entries: readonly SuppressionEntry[]): number {
  const before = given(storage);
  const params = { entries: JSON.stringify(entries), given: before };
  const added = all(storage, insert, params).length;
  if (added > 0) run(storage, give, { number: before + entries.length });
  return added;
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
