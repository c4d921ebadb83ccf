/**
 * What the account remembers of each campaign outside the campaign's own storage: how many grants
 * its ledger has given. It only rises, so a ledger that says less has been restored from a backup.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";
import { maybeOne, run, statement, type Storage } from "../ledger/sql.ts";
import type { Witnessed } from "./rpc.ts";

type MarkRow = { grants: number; next_number: number; look_at: Instant };
const mark = statement<MarkRow, { id: string }>(
  "marks.row",
  "SELECT grants, next_number, look_at FROM campaigns WHERE id = :id",
);
const raise = statement<never, { id: string; grants: number; nextNumber: number; now: number }>(
  "marks.raise",
  `UPDATE campaigns SET grants = :grants, next_number = max(next_number, :nextNumber),
    look_at = min(look_at, :now) WHERE id = :id`,
);

/**
 * Compares, and remembers the higher one. A campaign without an entry is older than nothing.
 * Whoever asks is at work, so the watchdog looks at it again soon.
 */
export function witness(
  storage: Storage,
  id: CampaignId,
  grants: number,
  nextNumber: number,
  now: Instant,
): Witnessed {
  const known = maybeOne(storage, mark, { id });
  if (known === null) return { stands: true };
  if (known.grants > grants) {
    return { stands: false, grants: known.grants, nextNumber: known.next_number };
  }
  if (known.grants < grants || known.look_at > now)
    run(storage, raise, { id, grants, nextNumber, now });
  return { stands: true };
}
