/** One run of one plan: faults with every check, then healing, and the way to rest. */
import { Operator } from "./operator.ts";
import type { CampaignPlan, Plan } from "./plan.ts";
import { type Violation, World } from "./world.ts";

/** After the faults everything has to be over within so long, and the attempts that are left. */
const REST_MILLISECONDS = 3 * 3_600_000;
const ATTEMPT_MILLISECONDS = 660_000;
/** And nothing may happen any more within so long after that. */
const QUIET_MILLISECONDS = 26 * 3_600_000;
const EVENTS_AT_MOST = 400_000;
/** Messages of another queue ask a paused campaign each half minute, for as long as it is paused. */
const EVENTS_A_SECOND = 10;

export type Result = { readonly world: World; readonly violation: Violation | null };

export async function runPlan(plan: Plan, isTraced = false): Promise<Result> {
  const world = new World(plan, isTraced);
  const operator = new Operator(world);
  operator.begin();
  await runUntil(world, world.scheduler.now + plan.faultSeconds * 1000, () => false);
  if (world.violation === null) {
    world.heal();
    operator.tend();
    await rest(world);
  }
  return { world, violation: world.violation };
}

async function runUntil(world: World, limit: number, isOver: () => boolean): Promise<void> {
  const { scheduler } = world;
  while (world.violation === null && !isOver()) {
    if (!(await scheduler.step(limit))) break;
    const most = EVENTS_AT_MOST + world.plan.faultSeconds * EVENTS_A_SECOND;
    if (scheduler.events > most) world.violate("rest", "it goes on for ever");
  }
  if (!isOver()) scheduler.now = Math.max(scheduler.now, limit);
}

function restMilliseconds({ external, settings }: CampaignPlan): number {
  const attempts = settings.maxAttempts * ATTEMPT_MILLISECONDS;
  // A batch that was brought back after its external message was done waits for its window to end.
  const window = external ? settings.idempotencyWindowSeconds * 1000 : 0;
  return REST_MILLISECONDS + attempts + window;
}

async function rest(world: World): Promise<void> {
  const { scheduler } = world;
  const isOver = (): boolean =>
    world.twins.every((twin) => twin.isOver && twin.counts.reserved + twin.counts.pending === 0);
  const limit = scheduler.now + Math.max(...world.plan.campaigns.map(restMilliseconds));
  await runUntil(world, limit, isOver);
  if (world.violation !== null) return;
  const open = world.twins.find((twin) => !twin.isOver || twin.counts.reserved > 0);
  if (open !== undefined) {
    return world.violate("rest", `${open.id} is ${open.state}: ${JSON.stringify(open.counts)}`);
  }
  await runUntil(world, scheduler.now + QUIET_MILLISECONDS, () => false);
  if (world.violation === null) world.checkAtRest();
}
