/**
 * What the account remembers of each campaign outside the campaign's own storage: how many grants
 * its ledger has given, and how often it was decided to hold mails back. Both only rise, so a ledger
 * that says less of either has been restored from a backup.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";
import { maybeOne, run, statement, type Storage } from "../ledger/sql.ts";
import type { Told, Witnessed } from "./rpc.ts";

type MarkRow = { grants: number; next_number: number; decisions: number; look_at: Instant };
const mark = statement<MarkRow, { id: string }>(
  "marks.row",
  "SELECT grants, next_number, decisions, look_at FROM campaigns WHERE id = :id",
);
const raise = statement<never, Told & { id: string; now: number }>(
  "marks.raise",
  `UPDATE campaigns SET grants = :grants, next_number = max(next_number, :nextNumber),
    decisions = :decisions, look_at = min(look_at, :now) WHERE id = :id`,
);

/**
 * Compares, and remembers the higher one. A campaign without an entry is older than nothing.
 * Whoever asks is at work, so the watchdog looks at it again soon.
 * @param told with no decisions where an object of a release of before asks, which counts none
 */
export function witness(
  storage: Storage,
  id: CampaignId,
  told: Omit<Told, "decisions"> & { readonly decisions: number | undefined },
  now: Instant,
): Witnessed {
  const known = maybeOne(storage, mark, { id });
  if (known === null) return { stands: true };
  const { grants, nextNumber, decisions = known.decisions } = told;
  if (known.grants > grants || known.decisions > decisions) {
    const { next_number } = known;
    return {
      stands: false,
      grants: known.grants,
      nextNumber: next_number,
      decisions: known.decisions,
    };
  }
  const isNew = known.grants < grants || known.decisions < decisions;
  if (isNew || known.look_at > now) run(storage, raise, { id, grants, nextNumber, decisions, now });
  return { stands: true };
}
