/**
 * What the account remembers of each campaign outside the campaign's own storage: how many grants
 * its ledger has given, and how often it was decided to hold mails back. Both only rise, so a ledger
 * that says less of either has been restored from a backup.
 *
 * An erased campaign leaves its numbers here, with the erasure counted as one decision more, so that
 * what is restored of it is less. A campaign that is made under its id goes on with them.
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
const erasedMark = statement<Told, { id: string }>(
  "marks.erased",
  "SELECT grants, next_number AS nextNumber, decisions FROM erased_marks WHERE id = :id",
);
const keep = statement<never, { id: string }>(
  "marks.keep",
  `INSERT INTO erased_marks (id, grants, next_number, decisions)
    SELECT id, grants, next_number, decisions + 1 FROM campaigns
    WHERE id = :id AND (grants > 0 OR decisions > 0)
    ON CONFLICT (id) DO UPDATE SET grants = excluded.grants, next_number = excluded.next_number,
      decisions = excluded.decisions`,
);
const drop = statement<never, { id: string }>(
  "marks.drop",
  "DELETE FROM erased_marks WHERE id = :id",
);

/** To be called before the entry of an erased campaign is removed. */
export function keepErased(storage: Storage, id: CampaignId): void {
  run(storage, keep, { id });
}

/** To be called once there is an entry: it goes on with what was known under its id. */
export function recallErased(storage: Storage, id: CampaignId, now: Instant): void {
  const erased = maybeOne(storage, erasedMark, { id });
  if (erased === null) return;
  run(storage, raise, { ...erased, id, now });
  run(storage, drop, { id });
}

/**
 * Compares, and remembers the higher one.
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
  if (known === null) return withoutEntry(storage, id);
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

/**
 * One that was erased has no entry, so no suppression finds it, and it must not go on before it is
 * entered again. Any other one is older than nothing: the account may be a backup itself.
 */
function withoutEntry(storage: Storage, id: CampaignId): Witnessed {
  const erased = maybeOne(storage, erasedMark, { id });
  return erased === null ? { stands: true } : { stands: false, ...erased };
}
