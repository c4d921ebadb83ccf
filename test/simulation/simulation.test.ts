/** A thousand fixed seeds: no invariant broken in any, and everything that can happen has happened. */
import { describe, expect, it } from "vitest";
import { Coverage } from "./coverage.ts";
import { failureStory } from "./failure.ts";
import { drawPlan } from "./plan.ts";
import { runPlan } from "./run.ts";
import { LATE_PROOFS, PROOFS_OF_THE_SUPPRESSED, type Theme } from "./themes.ts";

const SEEDS = 1_000;
const SHARE = 200;

const coverage = new Coverage();

async function runSeeds(from: number, count: number, theme?: Theme): Promise<string | null> {
  const limits = theme === undefined ? {} : { theme };
  for (let seed = from; seed < from + count; seed += 1) {
    const { world, violation } = await runPlan(drawPlan(seed, limits));
    coverage.merge(world.coverage);
    if (violation !== null) return failureStory(seed, violation.checker);
  }
  return null;
}

describe("G1 to G8 under drawn faults", () => {
  for (let from = 1; from < SEEDS; from += SHARE) {
    it(`G1 to G8: seeds ${from} to ${from + SHARE - 1} keep every invariant`, async () => {
      expect(await runSeeds(from, SHARE)).toBeNull();
    });
  }

  it(`G1 to G8: ${SHARE} seeds of late proofs, which few of the others draw`, async () => {
    expect(await runSeeds(1, SHARE, LATE_PROOFS)).toBeNull();
  });

  it("G1 to G8: 30 seeds of proofs about the suppressed, which fewer still draw", async () => {
    expect(await runSeeds(130, 30, PROOFS_OF_THE_SUPPRESSED)).toBeNull();
  });

  it("each fault, move, refusal and outcome has occurred in them", () => {
    expect(coverage.missing()).toEqual([]);
  });

  it("one seed gives one course of events", async () => {
    const first = await runPlan(drawPlan(11), true);
    const second = await runPlan(drawPlan(11), true);
    expect(second.world.trace).toEqual(first.world.trace);
    expect(first.world.trace.length).toBeGreaterThan(100);
  });
});
