import { describe, expect, it } from "vitest";
import { Pace } from "../../../src/queue/pace.ts";

/** Lets calls ask until each has left; `now` is when a call that was told to wait asks again. */
function leavesOf(pace: Pace, slots: readonly number[], wakesAt: number): number[] {
  const leaves: number[] = [];
  let waiting = slots.map((callAt) => ({ callAt, now: Math.max(callAt, wakesAt) }));
  while (waiting.length > 0) {
    const next = waiting.toSorted((a, b) => a.now - b.now)[0];
    if (next === undefined) break;
    const wait = pace.leave(next.callAt, next.now);
    if (wait === 0) leaves.push(next.now);
    waiting = wait === 0 ? waiting.filter((call) => call !== next) : waiting;
    next.now += wait;
  }
  return leaves;
}

const slotsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index * 104);

describe("pace", () => {
  it("lets a call that is on time leave when its slot begins", () => {
    const pace = new Pace(10);
    expect(pace.leave(500, 440)).toBe(60);
    expect(pace.leave(500, 500)).toBe(0);
    expect(pace.leave(604, 604)).toBe(0);
  });

  it("C51: calls that wake together after a stall leave one after the other", () => {
    // Ten slots went by while the event loop stood still; all of them ask at second two.
    const leaves = leavesOf(new Pace(10), slotsFrom(1000, 30), 2000);
    expect(leaves).toHaveLength(30);
    for (const from of leaves) {
      const inWindow = leaves.filter((at) => at >= from && at < from + 1000);
      expect(inWindow.length).toBeLessThanOrEqual(10);
    }
  });

  it("catches up with the slots, so that a stall does not delay for ever", () => {
    const slots = slotsFrom(1000, 400);
    const leaves = leavesOf(new Pace(10), slots, 2000);
    expect(leaves[0]).toBe(2000);
    expect(leaves.at(-1)).toBe(slots.at(-1));
  });

  it("C51: timers that ring late neither add up nor let more than the limit leave", () => {
    const pace = new Pace(10);
    const slots = slotsFrom(1000, 200);
    const leaves: number[] = [];
    for (const [index, callAt] of slots.entries()) {
      // Woken up to 60 ms after it asked to be, each time.
      const late = (index * 37) % 61;
      let now = Math.max(callAt, leaves.at(-1) ?? 0) + late;
      for (let wait = pace.leave(callAt, now); wait > 0; wait = pace.leave(callAt, now)) {
        now += wait + late;
      }
      leaves.push(now);
    }
    const behind = leaves.map((at, index) => at - (slots[index] ?? 0));
    expect(Math.max(...behind)).toBeLessThanOrEqual(200);
    for (const from of leaves) {
      const inWindow = leaves.filter((at) => at >= from && at < from + 1000);
      expect(inWindow.length).toBeLessThanOrEqual(10);
    }
  });
});
