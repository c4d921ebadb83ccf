/** What is wrong with a campaign, by its vital signs alone. */
import { describe, expect, it } from "vitest";
import { ALARM_BEHIND_SECONDS, OVERDUE_SECONDS } from "../../../src/domain/limits.ts";
import { ailmentOf, type Ailment, type Vitals } from "../../../src/domain/vitals.ts";

const vitals = (change: Partial<Vitals>): Vitals => ({
  state: "sending",
  dueInMilliseconds: 5_000,
  alarmInMilliseconds: 5_000,
  isRinging: false,
  unansweredMilliseconds: null,
  ...change,
});

const overdue = -OVERDUE_SECONDS * 1000;
const late = ALARM_BEHIND_SECONDS * 1000;

describe("ailmentOf", () => {
  it.each<[string, Partial<Vitals>, Ailment | null]>([
    ["an alarm at the deadline", {}, null],
    ["an alarm that is early", { alarmInMilliseconds: 1 }, null],
    ["nothing to do, and no alarm", { dueInMilliseconds: null, alarmInMilliseconds: null }, null],
    ["work and no alarm", { alarmInMilliseconds: null }, "noAlarm"],
    ["no alarm while it rings", { alarmInMilliseconds: null, isRinging: true }, null],
    ["a little overdue", { dueInMilliseconds: overdue, alarmInMilliseconds: overdue }, null],
    ["a dead alarm", { alarmInMilliseconds: overdue - 1 }, "deadAlarm"],
    ["an alarm that is a little late", { alarmInMilliseconds: 5_000 + late }, null],
    ["an alarm far too late", { alarmInMilliseconds: 5_001 + late }, "lateAlarm"],
    [
      "overdue work counts from now",
      { dueInMilliseconds: -100_000, alarmInMilliseconds: late },
      null,
    ],
    ["an alarm that mends nothing", { dueInMilliseconds: overdue - 1 }, "overdue"],
  ])("%s", (_, change, expected) => {
    expect(ailmentOf(vitals(change))).toBe(expected);
  });
});
