/** What a failed seed leaves behind: enough to see it happen again, and as little as will do. */
import { drawPlan, type Limits, type Plan } from "./plan.ts";
import { runPlan } from "./run.ts";
import { shrink } from "./shrink.ts";

const LINES = 40;

/** The command that runs this plan again. */
function commandOf(plan: Plan, limits: Limits): string {
  const parts = [`npm run sim -- --seed ${plan.seed}`];
  if (limits.only !== undefined) parts.push(`--only "${limits.only.join(",")}"`);
  if (limits.recipients !== undefined) parts.push(`--recipients ${limits.recipients}`);
  if (limits.campaigns !== undefined) parts.push(`--campaigns ${limits.campaigns}`);
  if (limits.faultSeconds !== undefined) parts.push(`--fault-seconds ${limits.faultSeconds}`);
  return parts.join(" ");
}

/** One run, told: its plan, its last events, and how it ended. */
export async function story(seed: number, limits: Limits, isWhole: boolean): Promise<string> {
  const plan = drawPlan(seed, limits);
  const { world, violation } = await runPlan(plan, true);
  const lines = isWhole ? world.trace : world.trace.slice(-LINES);
  const end = violation === null ? "ok" : `FAILED ${violation.checker}: ${violation.detail}`;
  return [
    JSON.stringify({ ...plan, faults: Object.fromEntries(plan.faults) }),
    ...lines,
    end,
    commandOf(plan, limits),
  ].join("\n");
}

/** The story of the smallest failure that is found from this seed. */
export async function failureStory(seed: number, checker: string): Promise<string> {
  const { limits } = await shrink(seed, checker);
  return story(seed, limits, false);
}
