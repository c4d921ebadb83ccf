/**
 * Finds campaigns that have something to do and nobody to bring it up, and wakes them (SPEC R-watch).
 *
 * A campaign keeps itself going by its alarm. The platform has lost alarms, gives one up after six
 * failures, and a release that can't load fails them all; with an empty queue nobody would come by
 * again. So somebody outside looks, at a bounded number of campaigns a run, those first that nobody
 * has looked at for the longest. It decides nothing: what it wakes does what its alarm would do.
 */
import type { AccountRpc } from "../account/rpc.ts";
import type { CampaignRpc } from "../campaign/rpc.ts";
import { within } from "../campaign/within.ts";
import { faultOf } from "../domain/fault-text.ts";
import type { CampaignId } from "../domain/ids.ts";
import {
  WATCH_PAGE,
  WATCH_PAGES,
  WATCH_RESTING_SECONDS,
  WATCH_TIMEOUT_SECONDS,
  WATCHED_AT_ONCE,
} from "../domain/limits.ts";
import type { Log } from "../domain/log-event.ts";
import { ailmentOf } from "../domain/vitals.ts";

export type WatchdogDeps = {
  /** A new stub at each call: after a reset the old one keeps failing. */
  campaign(id: CampaignId): Pick<CampaignRpc, "vitals" | "wake">;
  account(): Pick<AccountRpc, "takeLooks" | "letRest">;
  readonly log: Log;
};

/**
 * What a look found. `resting`: there is nothing to do by itself before the next look at those who
 * rest, or no campaign at all.
 */
type Found = "healthy" | "resting" | "woken" | "failed";

export type Watched = Readonly<Record<Found, number>>;

/** One run. @throws where the account does not answer; the next run begins where this one did */
export async function watchCampaigns(deps: WatchdogDeps): Promise<Watched> {
  const counts: Record<Found, number> = { healthy: 0, resting: 0, woken: 0, failed: 0 };
  for (let page = 0; page < WATCH_PAGES; page += 1) {
    const ids = await deps.account().takeLooks(WATCH_PAGE);
    const found = await lookAtAll(ids, deps);
    for (const each of found.values()) counts[each] += 1;
    const resting = ids.filter((id) => found.get(id) === "resting");
    if (resting.length > 0) await deps.account().letRest(resting);
    if (ids.length < WATCH_PAGE) break;
  }
  deps.log("watched", counts);
  return counts;
}

async function lookAtAll(
  ids: readonly CampaignId[],
  deps: WatchdogDeps,
): Promise<ReadonlyMap<CampaignId, Found>> {
  const found = new Map<CampaignId, Found>();
  const left = [...ids];
  const lane = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      found.set(id, await look(id, deps));
    }
  };
  await Promise.all(Array.from({ length: WATCHED_AT_ONCE }, lane));
  return found;
}

/** Never throws: one that does not answer keeps nobody else from being looked at. */
async function look(id: CampaignId, deps: WatchdogDeps): Promise<Found> {
  try {
    const vitals = await within(WATCH_TIMEOUT_SECONDS, deps.campaign(id).vitals());
    // An entry is made before its campaign, and may outlive it for a moment or, after a crash, for ever.
    if (vitals === null || vitals.dueInMilliseconds === null) return "resting";
    const ailment = ailmentOf(vitals);
    if (ailment === null) return isFarAhead(vitals.dueInMilliseconds) ? "resting" : "healthy";
    deps.log("campaignAsleep", { campaignId: id, ailment, ...vitals });
    await within(WATCH_TIMEOUT_SECONDS, deps.campaign(id).wake());
    return "woken";
  } catch (error) {
    deps.log("lookFailed", { campaignId: id, ...faultOf(error) });
    return "failed";
  }
}

/** A finished campaign waits for its retention for weeks, and there may be thousands of them. */
function isFarAhead(dueInMilliseconds: number): boolean {
  return dueInMilliseconds > WATCH_RESTING_SECONDS * 1000;
}
