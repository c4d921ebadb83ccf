import { describe, expect, it } from "vitest";
import { Pace } from "../../../src/queue/pace.ts";

describe("pace", () => {
  it("lets a call that is on time leave when its slot begins", () => {
    const pace = new Pace(10);
    expect(pace.leaveAt(500, 440)).toBe(500);
    expect(pace.leaveAt(604, 540)).toBe(604);
  });

  it("C51: calls that wake together after a stall leave one after the other", () => {
    const pace = new Pace(10);
    // Ten slots went by while the event loop stood still; all ten ask at second two.
    const slots = Array.from({ length: 30 }, (_, index) => 1000 + index * 104);
    const leaves = slots.map((slot) => pace.leaveAt(slot, 2000));
    for (const from of leaves) {
      const inWindow = leaves.filter((at) => at >= from && at < from + 1000);
      expect(inWindow.length).toBeLessThanOrEqual(10);
    }
    expect(leaves[0]).toBe(2000);
  });

  it("catches up with the slots, so that a stall does not delay for ever", () => {
    const pace = new Pace(10);
    const late = Array.from({ length: 400 }, (_, index) => {
      const slot = 1000 + index * 104;
      return pace.leaveAt(slot, Math.max(slot - 60, 2000)) - slot;
    });
    expect(late[0]).toBe(1000);
    expect(late.at(-1)).toBe(0);
  });
});
