/**
 * The rate gate as a property: whoever asks whenever, in any window of one second no more slots
 * begin than the limit allows, and none begins in a silence that was asked for.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateGate } from "../../../src/account/rate-gate.ts";
import { ACCOUNT_MIGRATIONS } from "../../../src/account/schema.ts";
import { enterCampaign } from "../../../src/account/directory.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";
import { slotMilliseconds, takeSlot, type Gate } from "../../../src/domain/gate.ts";
import { migrate } from "../../../src/ledger/migrations.ts";
import { NodeStorage } from "../../support/node-storage.ts";

const SEED = 20_261_129;
const START = 1_790_000_000_000;
/** The distance of two slots at 10 and at 1 a second, as a wait in whole milliseconds. */
const TENTH = Math.ceil(slotMilliseconds(10));
const WHOLE = Math.ceil(slotMilliseconds(1));

/** The most slots that begin in any half-open window of a second. */
function busiestSecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  for (let from = 0, to = 0; to < sorted.length; to += 1) {
    while ((sorted[to] ?? 0) - (sorted[from] ?? 0) >= 1000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

describe("slots", () => {
  it("the first is free, the next stands its distance away, and one too far is not taken", () => {
    expect(TENTH).toBeGreaterThan(100);
    const first = takeSlot({ next: 0 }, 10, START, 1000);
    expect(first).toMatchObject({ taken: true, waitMilliseconds: 0 });
    const gate: Gate = first.taken ? first.gate : { next: 0 };
    expect(gate.next).toBe(START + slotMilliseconds(10));
    expect(takeSlot(gate, 10, START, 1000)).toMatchObject({ taken: true, waitMilliseconds: TENTH });
    expect(takeSlot(gate, 10, START, TENTH - 1)).toEqual({ taken: false, waitMilliseconds: TENTH });
    expect(takeSlot(gate, 10, START, TENTH).taken).toBe(true);
  });

  it("idle time is not saved up: there is no burst", () => {
    const gate = { next: START - 60_000 };
    const slot = takeSlot(gate, 2, START, 0);
    expect(slot).toMatchObject({ gate: { next: START + slotMilliseconds(2) } });
  });

  it("C51: in any window of a second no more begin than the limit", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 0, max: 5000 }),
        (limit, pauses, patience) => {
          let gate: Gate = { next: 0 };
          let now = START;
          const begins: number[] = [];
          for (const pause of pauses) {
            now += pause;
            const slot = takeSlot(gate, limit, now, patience);
            if (!slot.taken) continue;
            gate = slot.gate;
            begins.push(now + slot.waitMilliseconds);
          }
          expect(busiestSecond(begins)).toBeLessThanOrEqual(limit);
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });
});

function open(limit: number): { gate: RateGate; storage: NodeStorage } {
  const storage = new NodeStorage();
  migrate(storage, ACCOUNT_MIGRATIONS);
  return { gate: new RateGate(storage, limit), storage };
}

describe("the account's gate", () => {
  const a = "a" as CampaignId;
  const b = "b" as CampaignId;

  it("is the same line for all campaigns", () => {
    const { gate } = open(10);
    expect(gate.take(a, 1000, START)).toEqual({ taken: true, waitMilliseconds: 0, epoch: 0 });
    expect(gate.take(b, 1000, START)).toMatchObject({ waitMilliseconds: TENTH });
    expect(gate.take(a, 1000, START)).toMatchObject({
      waitMilliseconds: Math.ceil(2 * slotMilliseconds(10)),
    });
  });

  it("a campaign's own limit holds it back, and takes no slot of the others", () => {
    const { gate, storage } = open(10);
    enterCampaign(storage, a, "A", 1, START);
    expect(gate.take(a, 5000, START)).toMatchObject({ taken: true, waitMilliseconds: 0 });
    expect(gate.take(a, 5000, START)).toEqual({ taken: false, waitMilliseconds: WHOLE, epoch: 0 });
    expect(gate.take(b, 5000, START)).toMatchObject({ taken: true, waitMilliseconds: TENTH });
    expect(gate.take(a, 5000, START + WHOLE)).toMatchObject({ taken: true, waitMilliseconds: 0 });
  });

  it("C51: a retry-after takes back what was given out, and nobody is let in before it ends", () => {
    const { gate } = open(10);
    const before = gate.take(a, 5000, START);
    expect(gate.stands(before.epoch)).toBe(true);
    gate.hold(7000, START);
    expect(gate.stands(before.epoch)).toBe(false);
    expect(gate.take(a, 5000, START)).toEqual({ taken: false, waitMilliseconds: 7000, epoch: 1 });
    expect(gate.take(b, 9000, START)).toMatchObject({ taken: true, waitMilliseconds: 7000 });
    // A shorter silence asked for meanwhile does not end the longer one.
    gate.hold(1000, START + 500);
    expect(gate.take(a, 9000, START + 500)).toMatchObject({ taken: true, waitMilliseconds: 6500 });
  });

  it("C51: limit and holds are kept, in whatever order they come", () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("take"), of: fc.constantFrom(a, b) }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant("pass"), ms: fc.integer({ min: 1, max: 900 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("hold"), ms: fc.integer({ min: 1, max: 9000 }) }),
      },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { minLength: 20, maxLength: 120 }),
        (limit, own, steps) => {
          const { gate, storage } = open(limit);
          enterCampaign(storage, a, "A", own, START);
          const run = runSteps(gate, steps);
          expect(busiestSecond(run.begins)).toBeLessThanOrEqual(limit);
          expect(busiestSecond(run.ownBegins)).toBeLessThanOrEqual(own);
          expect(run.inSilence).toEqual([]);
          storage.database.close();
        },
      ),
      { seed: SEED, numRuns: 100 },
    );
  });
});

type Step =
  | { readonly kind: "take"; readonly of: CampaignId }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "hold"; readonly ms: number };

type Waiting = { readonly of: CampaignId; readonly at: number; readonly epoch: number };

/** Consumers that wait for their slots, and ask at its beginning whether it still stands. */
function runSteps(gate: RateGate, steps: readonly Step[]) {
  let now = START;
  let silentUntil = 0;
  const waiting = new Set<Waiting>();
  const used: Waiting[] = [];
  const inSilence: Waiting[] = [];
  const use = (slot: Waiting) => {
    waiting.delete(slot);
    if (!gate.stands(slot.epoch)) return;
    used.push(slot);
    if (slot.at < silentUntil) inSilence.push(slot);
  };
  const pass = (until: number) => {
    const due = [...waiting].filter((slot) => slot.at <= until).toSorted((x, y) => x.at - y.at);
    for (const slot of due) use(slot);
    now = until;
  };
  for (const step of [...steps, { kind: "pass", ms: 60_000 } as const]) {
    if (step.kind === "pass") pass(now + step.ms);
    if (step.kind === "hold") {
      gate.hold(step.ms, now);
      silentUntil = Math.max(silentUntil, now + step.ms);
    }
    if (step.kind !== "take") continue;
    const slot = gate.take(step.of, 5000, now);
    if (!slot.taken) continue;
    const mine = { of: step.of, at: now + slot.waitMilliseconds, epoch: slot.epoch };
    waiting.add(mine);
    if (slot.waitMilliseconds === 0) use(mine);
  }
  const begins = used.map((slot) => slot.at);
  const ownBegins = used.filter((slot) => slot.of === "a").map((slot) => slot.at);
  return { begins, ownBegins, inSilence };
}
