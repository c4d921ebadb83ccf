/**
 * Which campaigns are worth a look, so that a scrape of the metrics asks few of many. A campaign enters
 * the list when it is registered and says so itself while it sends; whoever looks at it afterwards
 * tells where it stands. One that is wrongly listed costs a look, and one that is wrongly left out
 * comes back by its own word within a minute of sending.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";
import { all, one, run, statement, type Storage } from "../ledger/sql.ts";
import type { Standing, Watch } from "./rpc.ts";

const WAITING = 1;
const AT_WORK = 2;

const add = statement<never, { id: string; now: number }>(
  "watch.add",
  "INSERT INTO watch (id, standing, at) VALUES (:id, 1, :now) ON CONFLICT DO NOTHING",
);
const enter = statement<never, { id: string; standing: number; now: number }>(
  "watch.enter",
  `INSERT INTO watch (id, standing, at) SELECT id, :standing, :now FROM campaigns WHERE id = :id
    ON CONFLICT (id) DO UPDATE SET standing = :standing, at = :now WHERE standing <> :standing`,
);
const remove = statement<never, { id: string }>("watch.remove", "DELETE FROM watch WHERE id = :id");
const first = statement<{ id: CampaignId; standing: number }, { limit: number }>(
  "watch.first",
  `SELECT id, standing FROM watch WHERE standing IN (1, 2)
    ORDER BY standing DESC, at DESC LIMIT :limit`,
);
const count = statement<{ count: number }>(
  "watch.count",
  "SELECT count(*) AS count FROM watch WHERE standing IN (1, 2)",
);

/** Lists a campaign that is registered; one that is listed already stays where it stands. */
export function listCampaign(storage: Storage, id: CampaignId, now: Instant): void {
  run(storage, add, { id, now });
}

export function setStanding(
  storage: Storage,
  id: CampaignId,
  standing: Standing,
  now: Instant,
): void {
  if (standing === "atRest") return run(storage, remove, { id });
  run(storage, enter, { id, standing: standing === "atWork" ? AT_WORK : WAITING, now });
}

export function watchList(storage: Storage, limit: number): Omit<Watch, "gate"> {
  const campaigns = all(storage, first, { limit }).map(({ id, standing }) => ({
    id,
    standing: standing === AT_WORK ? ("atWork" as const) : ("waiting" as const),
  }));
  const leftOut = one(storage, count, {}).count - campaigns.length;
  return { campaigns, leftOut };
}
