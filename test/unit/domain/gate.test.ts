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
import { SLOT_LEAD_MILLISECONDS } from "../../../src/domain/limits.ts";
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

function open(limit = 10) {
  const storage = new NodeStorage();
  migrate(storage, ACCOUNT_MIGRATIONS);
  const gate = new RateGate(storage, limit);
  const ask = (
    campaign: CampaignId,
    place: number | null,
    now: number,
    atMostMilliseconds = 20_000,
  ) => gate.take({ campaign, atMostMilliseconds, place }, now);
  return { gate, storage, ask };
}

const a = "a" as CampaignId;
const b = "b" as CampaignId;

/** The `count`th slot from now, as a wait in whole milliseconds. */
const slots = (count: number, limit = 10): number => Math.ceil(count * slotMilliseconds(limit));

describe("the account's gate", () => {
  it("is the same line for all campaigns", () => {
    const { ask } = open();
    expect(ask(a, null, START)).toEqual({
      taken: true,
      waitMilliseconds: 0,
      place: null,
      epoch: 0,
    });
    expect(ask(b, null, START)).toMatchObject({ taken: false, waitMilliseconds: slots(1) });
    expect(ask(a, null, START)).toMatchObject({ taken: false, waitMilliseconds: slots(2) });
  });

  it("a place is no slot: nothing is lost with who stands in the line, and the limit holds", () => {
    const { ask, storage } = open();
    for (let at = 0; at < 40; at += 1) ask(a, null, START);
    const again = { campaign: a, atMostMilliseconds: 1000, place: null };
    expect(new RateGate(storage, 10).take(again, START)).toMatchObject({
      taken: false,
      waitMilliseconds: slots(1),
    });
    expect(new RateGate(storage, 10).take(again, START + slots(1))).toMatchObject({ taken: true });
  });

  it("who comes back at its turn takes the slot, before those who come for the first time", () => {
    const { ask } = open();
    ask(a, null, START);
    const { place = null } = ask(a, null, START);
    expect(place).toBe(START + slotMilliseconds(10));
    const back = START + slots(1) - SLOT_LEAD_MILLISECONDS;
    expect(ask(b, null, back)).toMatchObject({ taken: false });
    expect(ask(a, place, back)).toMatchObject({ taken: true, place: null });
  });

  it("a place whose slot is far off is changed for one at the end of the line", () => {
    const { gate, ask } = open();
    ask(a, null, START);
    const { place = null } = ask(a, null, START);
    gate.hold(7000, START);
    const at = START + slots(1);
    const moved = ask(a, place, at);
    expect(moved).toMatchObject({ taken: false, place: START + 7000 });
    expect(ask(b, null, at)).toMatchObject({ place: START + 7000 + slotMilliseconds(10) });
    expect(ask(a, moved.place ?? null, START + 6990)).toMatchObject({
      taken: true,
      waitMilliseconds: 10,
    });
  });

  it("who finds the line too long comes back while half of it is left, and hears for how many", () => {
    const { ask } = open();
    const goesBack = (of: CampaignId) => {
      for (;;) {
        const answer = ask(of, null, START);
        if (answer.room !== undefined) return answer;
      }
    };
    // Alone it is ahead of its share at some point; the other one finds the line full.
    expect(goesBack(a).waitMilliseconds).toBeGreaterThan(15_000);
    const line = goesBack(b);
    expect(line).toMatchObject({ taken: false, place: null });
    expect(line.waitMilliseconds).toBeGreaterThan(10_000 - TENTH);
    expect(line.waitMilliseconds).toBeLessThan(10_000 + TENTH);
    // Two ask, and each may be 15 s ahead of its share.
    expect(line.room).toBe(Math.floor(15_000 / (2 * slotMilliseconds(10))) + 1);
    expect(ask(b, null, START + line.waitMilliseconds)).toMatchObject({ taken: false });
  });

  it("nobody gets a place that is further away than it would wait", () => {
    const { ask } = open();
    ask(a, null, START);
    expect(ask(a, null, START, slots(1) - 1)).toMatchObject({ taken: false, place: null });
    expect(ask(a, null, START, slots(1))).toMatchObject({ place: START + slotMilliseconds(10) });
  });

  it("a release of before, which knows of no line, is given slots as they come", () => {
    const { gate, ask } = open();
    const before = { campaign: b, atMostMilliseconds: 5000 };
    expect(gate.take(before, START)).toMatchObject({ taken: true, waitMilliseconds: 0 });
    ask(a, null, START);
    expect(gate.take(before, START)).toMatchObject({ taken: true, waitMilliseconds: slots(1) });
    expect(gate.take(before, START)).toMatchObject({ taken: true, waitMilliseconds: slots(2) });
  });

  it("a campaign's own limit holds it back, and takes no slot of the others", () => {
    const { gate, ask, storage } = open();
    enterCampaign(storage, a, "A", 1, START);
    expect(ask(a, null, START)).toMatchObject({ taken: true });
    for (let count = 1; count <= 5; count += 1) {
      expect(ask(a, null, START)).toMatchObject({ waitMilliseconds: slots(count, 1) });
    }
    // Those five places stand far behind the first of the line.
    for (let count = 1; count <= 9; count += 1) {
      expect(ask(b, null, START)).toMatchObject({ waitMilliseconds: slots(count) });
    }
    // Until the line reaches them: the tenth of the others is behind the first of them.
    expect(ask(b, null, START)).toMatchObject({ waitMilliseconds: slots(11) });
    expect(ask(b, null, START)).toMatchObject({ waitMilliseconds: slots(12) });
    const before = { campaign: a, atMostMilliseconds: 5000 };
    for (let asks = 0; asks < 20; asks += 1) {
      expect(gate.take(before, START)).toMatchObject({ taken: false, place: null });
    }
    expect(ask(a, START + WHOLE, START + WHOLE)).toMatchObject({
      taken: true,
      waitMilliseconds: 0,
    });
    expect(ask(a, START + WHOLE, START + WHOLE)).toMatchObject({ taken: false });
  });

  it("a campaign with a limit of its own waits for it and for the others at the same time", () => {
    const { ask, storage } = open();
    enterCampaign(storage, a, "A", 1, START);
    for (let at = 0; at < 40; at += 1) ask(b, null, START);
    const places: number[] = [];
    let comesAt = START;
    for (let slot = 0; slot < 100; slot += 1) {
      const now = START + slots(slot);
      ask(b, null, now);
      if (now < comesAt) continue;
      const { place, waitMilliseconds } = ask(a, null, now);
      if (typeof place === "number") places.push(place);
      else comesAt = now + waitMilliseconds;
    }
    const gaps = places.slice(1).map((place, at) => place - (places[at] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(9);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(WHOLE - 1);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(WHOLE + 2 * TENTH);
  });

  it("C51: a hold shorter than a slot lets nobody in before the next slot", () => {
    const { gate, ask } = open(0.5);
    expect(ask(a, null, START)).toMatchObject({ taken: true, waitMilliseconds: 0 });
    gate.hold(1000, START + 100);
    const { place } = ask(b, null, START + 1100);
    expect((place ?? 0) - START).toBeGreaterThanOrEqual(2000);
  });

  it("C51: a retry-after takes back what was given out, and nobody is let in before it ends", () => {
    const { gate, ask } = open();
    const before = ask(a, null, START);
    expect(gate.stands(before.epoch)).toBe(true);
    gate.hold(7000, START);
    expect(gate.stands(before.epoch)).toBe(false);
    expect(ask(a, null, START, 5000)).toMatchObject({ taken: false, place: null });
    expect(ask(b, null, START)).toMatchObject({ place: START + 7000, epoch: 1 });
    // A shorter silence asked for meanwhile does not end the longer one.
    gate.hold(1000, START + 500);
    expect(ask(b, START + 7000, START + 6950)).toMatchObject({ taken: true, waitMilliseconds: 50 });
  });

  it("C51: limit and holds are kept, in whatever order they come", () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant("take"),
          of: fc.constantFrom(a, b),
          // Those of a release of before do not.
          standsInLine: fc.boolean(),
        }),
      },
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
  | { readonly kind: "take"; readonly of: CampaignId; readonly standsInLine: boolean }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "hold"; readonly ms: number };

/** Somebody who comes back at a moment: with a place in the line, or for a slot that it has. */
type Waiting = { readonly of: CampaignId; readonly at: number } & (
  | { readonly place: number }
  | { readonly epoch: number }
);

/** Consumers that stand in the line or wait for slots ahead, and come back when they are told to. */
class Consumers {
  readonly begins: number[] = [];
  readonly ownBegins: number[] = [];
  readonly inSilence: number[] = [];
  readonly #gate: RateGate;
  readonly #waiting = new Set<Waiting>();
  #silentUntil = 0;
  #now = START;

  constructor(gate: RateGate) {
    this.#gate = gate;
  }

  hold(milliseconds: number): void {
    this.#gate.hold(milliseconds, this.#now);
    this.#silentUntil = Math.max(this.#silentUntil, this.#now + milliseconds);
  }

  ask(of: CampaignId, place?: number | null): void {
    const ask = { campaign: of, atMostMilliseconds: 20_000, place };
    const slot = this.#gate.take(ask, this.#now);
    const at = this.#now + slot.waitMilliseconds;
    if (slot.taken) this.#wait({ of, at, epoch: slot.epoch });
    else if (typeof slot.place === "number") {
      this.#wait({ of, at: at - SLOT_LEAD_MILLISECONDS, place: slot.place });
    }
  }

  #wait(waiting: Waiting): void {
    this.#waiting.add(waiting);
    if (waiting.at <= this.#now) this.#back(waiting);
  }

  #back(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    const { of, at } = waiting;
    if ("place" in waiting) return this.ask(of, waiting.place);
    if (!this.#gate.stands(waiting.epoch)) return;
    this.begins.push(at);
    if (of === a) this.ownBegins.push(at);
    if (at < this.#silentUntil) this.inSilence.push(at);
  }

  pass(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#waiting].toSorted((x, y) => x.at - y.at);
      if (next === undefined || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      this.#back(next);
    }
    this.#now = until;
  }
}

function runSteps(gate: RateGate, steps: readonly Step[]): Consumers {
  const consumers = new Consumers(gate);
  for (const step of [...steps, { kind: "pass", ms: 60_000 } as const]) {
    if (step.kind === "pass") consumers.pass(step.ms);
    else if (step.kind === "hold") consumers.hold(step.ms);
    else if (step.standsInLine) consumers.ask(step.of, null);
    else consumers.ask(step.of);
  }
  return consumers;
}
