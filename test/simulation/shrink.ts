/**
 * Makes a failing plan smaller while it still fails in the same way: fewer kinds of faults, fewer
 * people, one campaign, less time. A smaller plan runs another course, so each step tries the seed
 * itself and nothing else: what is printed replays exactly.
 */
import type { FaultKind } from "./faults.ts";
import { drawPlan, type Limits } from "./plan.ts";
import { runPlan } from "./run.ts";

const RUNS_AT_MOST = 150;

export type Shrunk = { readonly limits: Limits; readonly detail: string; readonly runs: number };

export async function shrink(seed: number, checker: string, began: Limits = {}): Promise<Shrunk> {
  let runs = 0;
  let detail = "";
  let limits: Limits = { ...began, only: began.only ?? [...drawPlan(seed, began).faults.keys()] };

  async function fails(smaller: Limits): Promise<boolean> {
    if (runs >= RUNS_AT_MOST) return false;
    runs += 1;
    const { violation } = await runPlan(drawPlan(seed, smaller));
    if (violation?.checker !== checker) return false;
    limits = smaller;
    ({ detail } = violation);
    return true;
  }

  await fails({ ...limits, campaigns: 1 });
  for (let size = limits.only?.length ?? 0; size >= 1; size = Math.floor(size / 2)) {
    await dropFaults(size);
  }
  for (const recipients of [1, 2, 3, 5, 8, 13, 21, 50, 100]) {
    if (await fails({ ...limits, recipients })) break;
  }
  for (const faultSeconds of [5, 20, 60, 180, 600]) {
    if (await fails({ ...limits, faultSeconds })) break;
  }
  await dropFaults(1);
  return { limits, detail, runs };

  /** Leaves out so many kinds at a time, wherever they stand. */
  async function dropFaults(size: number): Promise<void> {
    for (let from = 0; from < (limits.only?.length ?? 0);) {
      const only: readonly FaultKind[] = limits.only ?? [];
      const rest = only.filter((_, index) => index < from || index >= from + size);
      if (!(await fails({ ...limits, only: rest }))) from += size;
    }
  }
}
