/** The plan of the demo: the numbers that its report rests on. */
import { describe, expect, it } from "vitest";
import { Death, Faults, isComplete, messageSizes, PLAN, RECIPIENTS } from "../../demo/faults.ts";

function batchesOf(fault: string): number[] {
  return [...PLAN].filter(([, planned]) => planned === fault).map(([batch]) => batch);
}

describe("the fault plan", () => {
  it("cuts 12,480 recipients into 125 messages of at most 100", () => {
    const sizes = messageSizes();
    expect(sizes).toHaveLength(125);
    expect(Math.max(...sizes)).toBe(100);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(RECIPIENTS);
  });

  it("lets consumers die after the acceptance for exactly 1,284 recipients", () => {
    const sizes = messageSizes();
    const dying = batchesOf("diesAfterAcceptance").map((batch) => sizes[batch - 1] ?? 0);
    expect(dying.reduce((sum, size) => sum + size, 0)).toBe(1_284);
    expect(dying).toHaveLength(13);
  });

  it("gives no batch two faults, and the last 25 batches none", () => {
    expect(PLAN.size).toBe(13 + 6 + 5);
    expect(Math.max(...PLAN.keys())).toBeLessThanOrEqual(100);
  });
});

describe("a run's faults", () => {
  it("happen once for a batch, however often it comes", () => {
    const faults = new Faults();
    const [batch = 0] = batchesOf("diesAfterAcceptance");
    expect(() => faults.afterAcceptance(batch, 100)).toThrow(Death);
    expect(() => faults.afterAcceptance(batch, 100)).not.toThrow();
    expect(faults.tally().diesAfterAcceptance).toEqual({ batches: 1, recipients: 100 });
  });

  it("are complete once every planned one has happened", async () => {
    const faults = new Faults();
    let handedOut = 0;
    for (const [batch, fault] of PLAN) {
      expect(isComplete(faults.tally())).toBe(false);
      if (fault === "diesBeforeCall") expect(() => faults.beforeCall(batch, 1)).toThrow(Death);
      if (fault === "diesAfterAcceptance") {
        expect(() => faults.afterAcceptance(batch, 1)).toThrow(Death);
      }
      await faults.duringCall(batch, 1, async () => void (handedOut += 1));
    }
    expect(isComplete(faults.tally())).toBe(true);
    expect(handedOut).toBe(5);
  });
});
