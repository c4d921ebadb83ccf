/**
 * Consumers in the line of the account, in virtual time and by the real loop that waits for slots:
 * nobody waits for ever, no slot is left unused while anybody waits, campaigns with a limit of their
 * own have what it allows, and few requests are made for a call.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { enterCampaign } from "../../../src/account/directory.ts";
import { Line } from "../../../src/account/line.ts";
import { RateGate } from "../../../src/account/rate-gate.ts";
import { ACCOUNT_MIGRATIONS } from "../../../src/account/schema.ts";
import { slotMilliseconds } from "../../../src/domain/gate.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";
import { DISPATCH_WINDOW } from "../../../src/domain/limits.ts";
import { migrate } from "../../../src/ledger/migrations.ts";
import type { ConsumerDeps } from "../../../src/queue/deps.ts";
import { waitForSlot } from "../../../src/queue/slot.ts";
import { Random } from "../../simulation/random.ts";
import { Scheduler } from "../../simulation/scheduler.ts";
import { NodeStorage } from "../../support/node-storage.ts";

const SEED = 20_261_130;
const CALL_MILLISECONDS = 150;

type Asking = {
  readonly id: string;
  /** Its own limit, in requests a second. */
  readonly own?: number;
  readonly consumers?: number;
};
type Setting = {
  readonly limit: number;
  readonly campaigns: readonly Asking[];
  /** By so much at the most everything is late, in milliseconds. */
  readonly late?: number;
};

class Crowd {
  readonly scheduler = new Scheduler(new Random(SEED));
  /** When the slots began, for each campaign. */
  readonly begins = new Map<string, number[]>();
  asks = 0;
  /** From so many asks on, the consumer that has asked dies with its answer. */
  deaths: readonly number[] = [];
  readonly #setting: Setting;
  readonly #storage = new NodeStorage();
  readonly #random = new Random(SEED);
  #gate: RateGate;
  /** Consumers that go on. */
  #waiting = 0;
  /** Nobody begins anew after this. */
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(setting: Setting) {
    this.#setting = setting;
    migrate(this.#storage, ACCOUNT_MIGRATIONS);
    this.#gate = new RateGate(this.#storage, setting.limit);
    for (const { id, own } of setting.campaigns) {
      const { now } = this.scheduler;
      enterCampaign(this.#storage, id as CampaignId, id, own ?? null, now);
      this.begins.set(id, []);
    }
  }

  get calls(): readonly number[] {
    return [...this.begins.values()].flat().toSorted((a, b) => a - b);
  }

  evict(): void {
    this.#gate = new RateGate(this.#storage, this.#setting.limit);
  }

  hold(milliseconds: number): void {
    this.#gate.hold(milliseconds, this.scheduler.now);
  }

  /** Lets everybody ask again and again for so many seconds, and then until the last has its slot. */
  async run(seconds: number): Promise<number> {
    const { now } = this.scheduler;
    this.#endsAt = now + seconds * 1000;
    for (const { id, consumers = DISPATCH_WINDOW } of this.#setting.campaigns) {
      for (let at = 0; at < consumers; at += 1) {
        this.#waiting += 1;
        this.scheduler.after(0, () => void this.#consume(id).then(() => (this.#waiting -= 1)));
      }
    }
    while (this.#waiting > 0 && (await this.scheduler.step(this.#endsAt + 600_000)));
    expect(this.#waiting, "somebody waits for ever").toBe(0);
    this.#storage.database.close();
    return this.scheduler.now - this.#endsAt;
  }

  async #consume(id: string): Promise<void> {
    let dies = false;
    const account = {
      takeSlot: async (campaign: CampaignId, atMostMilliseconds: number, place?: number | null) => {
        this.asks += 1;
        dies ||= this.deaths.includes(this.asks);
        if (this.#setting.late !== undefined) await this.#sleep(0);
        return this.#gate.take({ campaign, atMostMilliseconds, place }, this.scheduler.now);
      },
      slotStands: async (epoch: number) => this.#gate.stands(epoch),
    };
    const deps = {
      account: () => account,
      monotonic: () => this.scheduler.now,
      sleep: (milliseconds: number) => this.#sleep(milliseconds),
    } as unknown as ConsumerDeps;
    while (this.scheduler.now < this.#endsAt) {
      const slot = await waitForSlot(id as CampaignId, deps);
      if (dies) return;
      if (!slot.taken) await this.#sleep(slot.waitMilliseconds);
      else {
        this.begins.get(id)?.push(slot.callAt);
        await this.#sleep(slot.callAt - this.scheduler.now + CALL_MILLISECONDS);
      }
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    const late = (this.#setting.late ?? 0) * this.#random.next();
    return new Promise((resolve) => this.scheduler.after(milliseconds + late, resolve));
  }
}

/** How many of the slots of so many seconds were used. */
function used(calls: readonly number[], seconds: number, limit: number): number {
  const from = calls[0] ?? 0;
  const within = calls.filter((at) => at < from + seconds * 1000);
  return within.length / Math.floor((seconds * 1000) / slotMilliseconds(limit));
}

function closest(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.min(...sorted.slice(1).map((at, before) => at - (sorted[before] ?? 0)));
}

const own = (count: number, limit: number): Asking[] =>
  Array.from({ length: count }, (_, at) => ({ id: `own${at}`, own: limit }));
const OWN = "own" as CampaignId;
const FREE: Asking = { id: "free" };

describe("the line of the account", () => {
  it("no two places are nearer than a slot, and none is left free before the next one", () => {
    const ask = fc.record({ pass: fc.integer({ min: 0, max: 900 }), isOwn: fc.boolean() });
    fc.assert(
      fc.property(
        fc.constantFrom(0.5, 2, 10, 97),
        fc.constantFrom(0.3, 1, 7, 200),
        fc.array(ask, { maxLength: 80 }),
        (limit, ownLimit, asks) => {
          const spacing = slotMilliseconds(limit);
          const line = new Line(spacing);
          const places: number[] = [];
          const ofOwn: number[] = [];
          let now = 1_790_000_000_000;
          for (const { pass, isOwn } of asks) {
            now += pass;
            const place = isOwn ? line.nextOf(OWN, 0, now) : line.next(now);
            const nearest = Math.min(...places.map((other) => Math.abs(other - place)));
            expect(nearest).toBeGreaterThan(spacing - 2);
            const ahead = places.filter((other) => other > now - spacing).length;
            // Between two places less than another one may be left.
            if (!isOwn) expect(place - now).toBeLessThanOrEqual(ahead * 2 * spacing);
            line.give(place, now);
            places.push(place);
            if (!isOwn) continue;
            line.giveOf(OWN, place, slotMilliseconds(ownLimit), now);
            ofOwn.push(place);
          }
          expect(closest(ofOwn)).toBeGreaterThan(slotMilliseconds(ownLimit) - 2);
        },
      ),
      { seed: SEED, numRuns: 200 },
    );
  });

  const SECONDS = 60;
  const settings: [string, Setting][] = [
    ["one campaign", { limit: 10, campaigns: [FREE] }],
    ["one campaign at a slot a second", { limit: 1, campaigns: [FREE] }],
    ["whoever is late, at a slot a second", { limit: 1, late: 200, campaigns: [FREE] }],
    ["whoever is late, at two a second", { limit: 2, late: 200, campaigns: [FREE] }],
    ["eight campaigns", { limit: 10, campaigns: "abcdefgh".split("").map((id) => ({ id })) }],
    ["own limits beside a long line", { limit: 10, campaigns: [...own(3, 2), FREE] }],
    ["own limits that are all of the slots", { limit: 10, campaigns: own(5, 2) }],
    ["one above the account's limit", { limit: 10, campaigns: own(1, 50) }],
    ["many slots", { limit: 100, campaigns: [...own(1, 20), { id: "free", consumers: 80 }] }],
  ];
  it.each(settings)("uses every slot, and asks little: %s", async (_, setting) => {
    const crowd = new Crowd(setting);
    await crowd.run(SECONDS);
    expect(used(crowd.calls, SECONDS, setting.limit)).toBeGreaterThanOrEqual(0.98);
    // Two for a slot; and one for each time that it was further away than a consumer waits.
    expect(crowd.asks / crowd.calls.length).toBeLessThanOrEqual(4);
  });

  it("a campaign with a limit of its own has what it allows, whoever stands in line", async () => {
    for (const campaigns of [own(1, 2), [...own(3, 2), FREE], [...own(1, 0.5), FREE]]) {
      const crowd = new Crowd({ limit: 10, campaigns });
      await crowd.run(SECONDS);
      for (const { id, own: limit } of campaigns) {
        if (limit === undefined) continue;
        const begins = crowd.begins.get(id) ?? [];
        expect(used(begins, SECONDS, limit)).toBeGreaterThanOrEqual(0.95);
        expect(closest(begins)).toBeGreaterThanOrEqual(slotMilliseconds(limit) - 1);
      }
      expect(crowd.asks / crowd.calls.length).toBeLessThanOrEqual(4);
    }
  });

  it("consumers of a campaign that are late do not all come for each of its turns", async () => {
    const crowd = new Crowd({ limit: 10, late: 100, campaigns: own(1, 5) });
    await crowd.run(SECONDS);
    expect(crowd.asks / crowd.calls.length).toBeLessThanOrEqual(4);
    expect(used(crowd.calls, SECONDS, 5)).toBeGreaterThanOrEqual(0.8);
  });

  it("C51: nobody waits for ever, whoever dies, whatever is forgotten, and the limits are kept", async () => {
    const event = fc.record({
      at: fc.integer({ min: 0, max: 30_000 }),
      holds: fc.option(fc.integer({ min: 1, max: 12_000 }), { nil: null }),
    });
    const limits = fc.constantFrom(0.5, 1, 2, 10, 40);
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(fc.option(limits, { nil: undefined }), { minLength: 1, maxLength: 4 }),
        fc.array(event, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 60 }),
        async (limit, owns, events, deaths) => {
          const campaigns = owns.map((each, at) =>
            each === undefined ? { id: `c${at}` } : { id: `c${at}`, own: each },
          );
          const crowd = new Crowd({ limit, campaigns });
          crowd.deaths = deaths;
          for (const { at, holds } of events) {
            crowd.scheduler.after(at, () => (holds === null ? crowd.evict() : crowd.hold(holds)));
          }
          const after = await crowd.run(30);
          // A wait of 20 s, the one that it was told of when it went, and a silence at the end.
          const slowest = Math.min(limit, ...owns.map((each) => each ?? limit));
          const most = 20 + 20 + 12 + (DISPATCH_WINDOW * owns.length) / slowest;
          expect(after / 1000).toBeLessThanOrEqual(most);
          expect(closest(crowd.calls)).toBeGreaterThanOrEqual(slotMilliseconds(limit) - 1);
        },
      ),
      { seed: SEED, numRuns: 25 },
    );
  });
});
