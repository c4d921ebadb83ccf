/**
 * Seeds that once failed, by what they showed. The plan of a seed changes when the simulator learns
 * new faults, so each was found again by putting the old fault back (mutants/list.ts).
 */
import { describe, expect, it } from "vitest";
import { failureStory } from "./failure.ts";
import { drawPlan } from "./plan.ts";
import { runPlan } from "./run.ts";

const PINNED = [
  { seed: 9, shows: "G2: a campaign with nobody to mail begins and finishes" },
  { seed: 3, shows: "G1: a consumer sends nothing after its lease, however late its answer came" },
  { seed: 2, shows: "G1: a key is not used in the last minutes of the provider's memory" },
  {
    seed: 295,
    shows: "C51: a silence that the account can't be told of does not cost the outcome",
  },
] as const;

describe("seeds that once failed", () => {
  for (const { seed, shows } of PINNED) {
    it(`${shows} (seed ${seed})`, async () => {
      const { violation } = await runPlan(drawPlan(seed));
      expect(violation === null ? null : await failureStory(seed, violation.checker)).toBeNull();
    });
  }
});
