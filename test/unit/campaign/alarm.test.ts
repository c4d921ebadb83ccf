import { describe, expect, it } from "vitest";
import { Alarm, mustSet } from "../../../src/campaign/alarm.ts";
import { systemClock } from "../../../src/domain/clock.ts";

const NOW = 1_790_000_000_000;

describe("when the alarm has to be set", () => {
  it.each<[string, number, number | null, boolean]>([
    ["there is none", NOW + 5000, null, true],
    ["the one that stands comes later", NOW + 5000, NOW + 6000, true],
    ["it stands already", NOW + 5000, NOW + 5000, false],
    ["one stands earlier: it will arm the right one", NOW + 5000, NOW + 1000, false],
    ["C46: one is due this moment", NOW + 5000, NOW, false],
    ["C46: one is a little late", NOW + 5000, NOW - 120_000, false],
    ["one is so late that it is dead", NOW + 5000, NOW - 120_001, true],
  ])("%s", (_, deadline, standing, expected) => {
    expect(mustSet(deadline, standing, NOW)).toBe(expected);
  });
});

function alarm() {
  const set: number[] = [];
  const storage = {
    setAlarm: async (at: number) => void set.push(at),
    getAlarm: async () => set.at(-1) ?? null,
  };
  return { alarm: new Alarm(storage), set };
}

describe("the alarm", () => {
  it("is set once for one deadline, and again only for an earlier one", () => {
    const { alarm: one, set } = alarm();
    for (const at of [5000, 5000, 7000, 3000, 4000]) one.arm(NOW + at, NOW, systemClock);
    expect(set).toEqual([NOW + 5000, NOW + 3000]);
  });

  it("is set anew after it fired, and by a fresh object", () => {
    const { alarm: one, set } = alarm();
    one.arm(NOW + 5000, NOW, systemClock);
    one.fired(NOW + 5000);
    one.arm(NOW + 5000, NOW, systemClock);
    expect(set).toEqual([NOW + 5000, NOW + 5000]);
  });

  it("says how late the last one rang, and how late one is that has not rung", () => {
    const { alarm: one } = alarm();
    expect(one.late(NOW)).toBe(0);
    one.arm(NOW + 5000, NOW, systemClock);
    expect(one.late(NOW + 4000)).toBe(0);
    expect(one.late(NOW + 12_000)).toBe(7000);
    expect(one.fired(NOW + 9000)).toBe(4000);
    expect(one.late(NOW + 10_000)).toBe(4000);
    one.arm(NOW + 20_000, NOW + 10_000, systemClock);
    expect(one.fired(NOW + 20_000)).toBe(0);
    expect(one.late(NOW + 20_000)).toBe(0);
  });

  it("is never set to this moment or before it, and without a deadline not at all", () => {
    const { alarm: one, set } = alarm();
    one.arm(null, NOW, systemClock);
    one.arm(NOW - 60_000, NOW, systemClock);
    expect(set).toEqual([NOW + 1]);
  });
});
