/**
 * A hundred campaigns share the slots of one account: by counts of virtual time, each gets its share,
 * none waits for the others to end, and no slot is left unused meanwhile.
 */
import { describe, expect, it } from "vitest";
import { slotMilliseconds } from "../../../src/domain/gate.ts";
import {
  SHARE_AHEAD_SECONDS,
  SLOT_LEAD_MILLISECONDS,
  SLOT_SPACING,
} from "../../../src/domain/limits.ts";
import {
  countBatches,
  COUNTED_SECONDS,
  CROWD,
  CROWD_REQUESTS_PER_SECOND as REQUESTS_PER_SECOND,
  SETTLED_AFTER_SECONDS,
  settledCrowd,
} from "../../bench/crowd.ts";
import { readCounts } from "../../bench/guide.ts";
import { SharedGate, type Call } from "./shared-gate.ts";

const SEED = 20_261_129;
const SLOT_SECONDS = slotMilliseconds(REQUESTS_PER_SECOND) / 1000;
/** A batch more or less at the edge of the time that is counted. */
const COUNTED_WITHIN = 0.05;

const names = (count: number, prefix = "c"): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

async function started(campaigns: ReadonlyMap<string, number>): Promise<SharedGate> {
  const gate = new SharedGate(REQUESTS_PER_SECOND, SEED);
  for (const [name, recipients] of campaigns) await gate.start(name, recipients);
  return gate;
}

const equal = (count: number, recipients: number) =>
  new Map(names(count).map((name) => [name, recipients]));

/** Calls between two moments, in seconds since the first call. */
function between(calls: readonly Call[], from: number, to: number): Call[] {
  const began = calls[0]?.at ?? 0;
  return calls.filter(({ at }) => at >= began + from * 1000 && at < began + to * 1000);
}

function perCampaign(calls: readonly Call[], campaigns: readonly string[]): number[] {
  const counts = new Map(campaigns.map((name) => [name, 0]));
  for (const { campaign } of calls) counts.set(campaign, (counts.get(campaign) ?? 0) + 1);
  return [...counts.values()];
}

/** The fewest calls that a gate at its limit makes in so many seconds, less one for the edges. */
const atTheLimit = (seconds: number): number => Math.floor(seconds / SLOT_SECONDS) - 1;

/** The longest time that any of them went without a call, in seconds. */
function longestGap(calls: readonly Call[], campaigns: readonly string[]): number {
  const last = new Map(campaigns.map((name) => [name, calls[0]?.at ?? 0]));
  let longest = 0;
  for (const { campaign, at } of calls) {
    longest = Math.max(longest, at - (last.get(campaign) ?? at));
    last.set(campaign, at);
  }
  const end = calls.at(-1)?.at ?? 0;
  return Math.max(longest, ...[...last.values()].map((at) => end - at)) / 1000;
}

describe("C40: campaigns that share the rate gate", () => {
  it("C40: each of a hundred gets its share, none twice of it, none starves, and no slot is unused", async () => {
    const gate = await settledCrowd(CROWD);
    const seconds = SETTLED_AFTER_SECONDS + COUNTED_SECONDS;
    const counted = await countBatches(gate, COUNTED_SECONDS);
    const settled = between(gate.calls, SETTLED_AFTER_SECONDS, seconds);
    const share = atTheLimit(60) / 100;
    const counts = perCampaign(settled, names(100));
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(Math.floor(share) - 1);
    expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(2 * share));
    expect(between(gate.calls, 0, seconds - 1).length).toBeGreaterThanOrEqual(
      atTheLimit(seconds - 1) * 0.98,
    );
    // Two slots are taken at once, and then none for two turns of a hundred slots.
    expect(longestGap(gate.calls, names(100))).toBeLessThanOrEqual(SETTLED_AFTER_SECONDS);
    expect(longestGap(settled, names(100))).toBeLessThanOrEqual(2.5 * 100 * SLOT_SECONDS);
    // What such a batch costs stands in the guide (node test/bench/costs.ts --count).
    for (const [what, recorded] of Object.entries(readCounts().crowd.together)) {
      const now = counted[what as keyof typeof counted];
      expect(Math.abs(now - recorded), `${what}: ${now}`).toBeLessThanOrEqual(
        recorded * COUNTED_WITHIN,
      );
    }
  });

  it("C40: small ones are not held up by a large one, and it has the slots they leave", async () => {
    const small = names(99, "small");
    const gate = await started(
      new Map([["large", 4000], ...small.map((name) => [name, 3] as const)]),
    );
    await gate.run(120);
    const ofSmall = gate.calls.filter(({ campaign }) => campaign !== "large");
    expect(perCampaign(ofSmall, small)).toEqual(small.map(() => 3));
    const began = gate.calls[0]?.at ?? 0;
    // Their 297 calls fit into 31 seconds; what the large one booked before they came is added.
    expect(((ofSmall.at(-1)?.at ?? 0) - began) / 1000).toBeLessThanOrEqual(75);
    // When they end it has just been told to come back later: one lull, and then every slot again.
    const lull = SHARE_AHEAD_SECONDS + 100 * SLOT_SECONDS;
    expect(between(gate.calls, 0, 119).length).toBeGreaterThanOrEqual(atTheLimit(119 - lull));
    expect(between(gate.calls, 89, 119).length).toBeGreaterThanOrEqual(atTheLimit(30) * 0.98);
  });

  it("C40: after a 429 everybody has waited, and the shares are what they were", async () => {
    const gate = await started(equal(20, 400));
    const silence = 10;
    gate.answer = (nth) =>
      nth === 300
        ? { kind: "deferred", reason: "slow down", retryAfterSeconds: silence, pause: null }
        : null;
    await gate.run(120);
    const told = gate.calls[299]?.at ?? 0;
    // The answer is on its way for 150 ms, and a consumer asks a last time a little before it calls.
    const silentFrom = told + 150 + SLOT_LEAD_MILLISECONDS + 2;
    const inSilence = gate.calls.filter(({ at }) => at > silentFrom && at < told + silence * 1000);
    expect(inSilence).toEqual([]);
    const began = gate.calls[0]?.at ?? 0;
    const resumed = (told - began) / 1000 + silence + 1;
    const after = between(gate.calls, resumed, 119);
    const share = atTheLimit(119 - resumed) / 20;
    const counts = perCampaign(after, names(20));
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(share * 0.75);
    expect(Math.max(...counts)).toBeLessThanOrEqual(share * 1.25 + 1);
    expect(after.length).toBeGreaterThanOrEqual(atTheLimit(119 - resumed) * 0.97);
  });

  it("C40: a few large ones: no slot is unused, and each has half of its share at the least", async () => {
    const gate = await started(equal(5, 600));
    await gate.run(100);
    for (let from = 0; from < 80; from += 20) {
      const calls = between(gate.calls, from, from + 20);
      expect(calls.length).toBeGreaterThanOrEqual(atTheLimit(20) * 0.98);
      const share = atTheLimit(20) / 5;
      if (from > 0) expect(Math.min(...perCampaign(calls, names(5)))).toBeGreaterThan(share / 2);
    }
  });

  it("C40: one with a limit of its own has all of it beside a large one, which has the rest", async () => {
    const gate = await started(new Map([["large", 1000]]));
    await gate.start("limited", 300, 2);
    await gate.run(100);
    const settled = between(gate.calls, 20, 80);
    const [limited = 0] = perCampaign(settled, ["limited"]);
    expect(limited).toBeGreaterThanOrEqual(Math.floor((2 * 60) / SLOT_SPACING) - 2);
    expect(limited).toBeLessThanOrEqual(2 * 60);
    expect(settled.length).toBeGreaterThanOrEqual(atTheLimit(60) * 0.98);
  });

  it("a campaign that follows others has every slot at once", async () => {
    const gate = await started(equal(5, 20));
    await gate.run(14);
    expect(gate.calls.length).toBe(100);
    await gate.start("next", 600);
    await gate.run(40);
    const after = between(gate.calls.slice(100), 0, 39);
    expect(after.length).toBeGreaterThanOrEqual(atTheLimit(39) * 0.98);
  });

  it("a campaign that is alone has every slot", async () => {
    const gate = await started(equal(1, 600));
    await gate.run(60);
    expect(between(gate.calls, 0, 59).length).toBeGreaterThanOrEqual(atTheLimit(59) * 0.98);
  });
});
