/**
 * `/metrics`: asks the account which campaigns are worth a look, and each of those for its numbers.
 * One that does not answer is counted and left out: a scrape never fails because of one campaign.
 */
import type { Standing, Watch } from "../../account/rpc.ts";
import type { CampaignReading } from "../../campaign/rpc.ts";
import { within } from "../../campaign/within.ts";
import type { CampaignId } from "../../domain/ids.ts";
import {
  METRICS_CALL_SECONDS,
  METRICS_CAMPAIGNS,
  METRICS_REST_SECONDS,
} from "../../domain/limits.ts";
import { exposition, EXPOSITION_TYPE } from "../../operations/exposition.ts";
import { familiesOf, type Scrape } from "../../operations/metrics.ts";
import { askAgain } from "../object-call.ts";
import type { Call, HttpDeps } from "../route.ts";

export async function getMetrics({ deps }: Call): Promise<Response> {
  const watch = await askAgain(() => deps.account().watch(METRICS_CAMPAIGNS));
  const [answers, queue] = await Promise.all([lookAt(watch, deps), backlogOf(deps)]);
  await tellStandings(watch, answers, deps);
  const readings = answers.flatMap(({ reading }) => (reading === null ? [] : [reading]));
  const silent = watch.campaigns.length - answers.length;
  const text = exposition(familiesOf({ readings, silent, watch, queue }));
  return new Response(text, { headers: { "content-type": EXPOSITION_TYPE } });
}

type Answer = { readonly id: CampaignId; readonly reading: CampaignReading | null };

/** Only those that have answered; null is the answer of one that is not there any more. */
async function lookAt({ campaigns }: Watch, deps: HttpDeps): Promise<readonly Answer[]> {
  const asked = campaigns.map(async ({ id }) => ({
    id,
    reading: await within(METRICS_CALL_SECONDS, deps.campaign(id).reading()),
  }));
  const settled = await Promise.allSettled(asked);
  return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

/** What the platform says of its queue; it is missing from some, and no reason to fail. */
async function backlogOf(deps: HttpDeps): Promise<Scrape["queue"]> {
  try {
    const backlog = await within(METRICS_CALL_SECONDS, deps.queueBacklog());
    const now = deps.now();
    const oldest = backlog.oldestMessageTimestamp?.getTime() ?? now;
    const oldestAgeSeconds = Math.max(now - oldest, 0) / 1000;
    return { backlog: backlog.backlogCount, oldestAgeSeconds };
  } catch {
    return null;
  }
}

/** The watch list learns from each look, so that the next one asks whom it should. */
async function tellStandings(
  { campaigns }: Watch,
  answers: readonly Answer[],
  deps: HttpDeps,
): Promise<void> {
  const believed = new Map(campaigns.map(({ id, standing }) => [id, standing]));
  const changed = answers
    .map(({ id, reading }) => ({ id, standing: standingOf(reading) }))
    .filter(({ id, standing }) => standing !== believed.get(id));
  if (changed.length > 0) await askAgain(() => deps.account().setStandings(changed));
}

/** A campaign that is registered and not yet created waits; it is taken off when it is erased. */
function standingOf(reading: CampaignReading | null): Standing {
  if (reading === null) return "waiting";
  const { state, finishedAt } = reading.status;
  if (state === "sending" || state === "paused") return "atWork";
  const rested = finishedAt === null ? 0 : reading.now - finishedAt;
  return rested > METRICS_REST_SECONDS * 1000 ? "atRest" : "waiting";
}
