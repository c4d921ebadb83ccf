/**
 * Whom the watchdog looks at next: the campaign that nobody has looked at for the longest. Its turn
 * is moved before it is looked at, so that one whose look never ends keeps its place from nobody.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";
import { WATCH_EVERY_SECONDS, WATCH_RESTING_SECONDS } from "../domain/limits.ts";
import { all, run, statement, type Storage } from "../ledger/sql.ts";

const take = statement<{ id: CampaignId }, { now: number; next: number; limit: number }>(
  "looks.take",
  `UPDATE campaigns SET look_at = :next WHERE id IN (
      SELECT id FROM campaigns WHERE look_at <= :now ORDER BY look_at, id LIMIT :limit)
    RETURNING id`,
);
const putOff = statement<never, { ids: string; now: number; until: number }>(
  "looks.putOff",
  `UPDATE campaigns SET look_at = :until
    WHERE id IN (SELECT value FROM json_each(:ids)) AND look_at > :now AND look_at < :until`,
);

/** Those whose turn it is, at most so many; each has its next turn in some minutes. */
export function takeLooks(storage: Storage, limit: number, now: Instant): CampaignId[] {
  const next = now + WATCH_EVERY_SECONDS * 1000;
  return all(storage, take, { now, next, limit }).map(({ id }) => id);
}

/**
 * These have nothing to do by themselves: they are looked at once a day until they are at work. One
 * whose turn has come once more has gone to work since it was looked at (account/marks.ts).
 */
export function letRest(storage: Storage, ids: readonly CampaignId[], now: Instant): void {
  const until = now + WATCH_RESTING_SECONDS * 1000;
  run(storage, putOff, { ids: JSON.stringify(ids), now, until });
}
