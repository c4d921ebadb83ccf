/**
 * The rate gate under fifty consumers (C51). The limit is proved by virtual time: every consumer is
 * the product's own, over the real account object, and its clock is put forward only when all of
 * them are waiting, so that the moments of leaving are those that the gate has decided on, whatever
 * the machine is doing. A run in real time shows that the two sides agree well enough to finish.
 */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type { ConsumerDeps } from "../../src/queue/deps.ts";
import { Pace } from "../../src/queue/pace.ts";
import { account, campaign, finished, people, type TestCampaign } from "./harness/campaign.ts";
import { deliver, type Fate } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

/** Consumers that wait; the stopped clock goes on when nobody does anything else. */
class VirtualTime {
  readonly #sleepers: { readonly wakeAt: number; readonly wake: () => void }[] = [];
  #alive = 0;

  sleep = (milliseconds: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sleepers.push({ wakeAt: stage.clock.now() + milliseconds, wake: resolve });
    this.#alive -= 1;
    this.#pass();
    return promise;
  };

  /** Runs them beside each other until all have ended. */
  async run<T>(consumers: readonly (() => Promise<T>)[]): Promise<T[]> {
    this.#alive = consumers.length;
    return Promise.all(
      consumers.map(async (consumer) => {
        const end = await consumer();
        this.#alive -= 1;
        this.#pass();
        return end;
      }),
    );
  }

  /** With everybody asleep, the first wakes; who wakes at the same moment wakes with it. */
  #pass(): void {
    if (this.#alive > 0 || this.#sleepers.length === 0) return;
    const at = Math.min(...this.#sleepers.map(({ wakeAt }) => wakeAt));
    stage.clock.advance(Math.max(at - stage.clock.now(), 0));
    const awake = this.#sleepers.filter(({ wakeAt }) => wakeAt <= at);
    this.#sleepers.splice(0, Infinity, ...this.#sleepers.filter(({ wakeAt }) => wakeAt > at));
    this.#alive += awake.length;
    for (const { wake } of awake) wake();
  }
}

type Leaving = { readonly at: number; readonly key: string };

/** A provider that notes when each call leaves, and asks for silence at some of them. */
function notingProvider(leavings: Leaving[], silentAt: ReadonlySet<number>, retryAfter: number) {
  const sendBatch: ConsumerDeps["provider"]["sendBatch"] = async (request) => {
    leavings.push({ at: stage.clock.now(), key: request.idempotencyKey });
    if (silentAt.has(leavings.length)) {
      const told: AttemptOutcome = {
        kind: "deferred",
        reason: "429",
        retryAfterSeconds: retryAfter,
        pause: null,
      };
      return told;
    }
    const results = request.seqs.map((seq) => ({
      seq,
      outcome: "sent" as const,
      providerId: `mail-${seq}`,
    }));
    return { kind: "answered", results };
  };
  return { sendBatch };
}

/** The most calls in any window of one second that begins with a call. */
function mostInOneSecond(leavings: readonly Leaving[]): number {
  const times = leavings.map(({ at }) => at);
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
  );
}

/** Hands everything out to fifty consumers at once, until the campaign is at rest. */
async function runWithFifty(one: TestCampaign, deps: Partial<ConsumerDeps>, time: VirtualTime) {
  const hand = (dispatch: number) => (): Promise<Fate> => deliver(one, dispatch, { deps });
  for (let round = 0; round < 200; round += 1) {
    await one.ring();
    const dispatches = stage.queue.take(one.id);
    if (dispatches.length > 0) {
      // Fifty in all: the campaign gives out forty at a time, and ten of them come twice.
      await time.run([...dispatches, ...dispatches.slice(0, 10)].map(hand));
      continue;
    }
    const deadline = await one.deadline();
    if (deadline === null) return;
    stage.clock.advance(Math.max(deadline - stage.clock.now(), 0));
  }
  throw new Error("never comes to rest");
}

/** The account's object, which has to run in order to be evicted. */
async function built() {
  await account().slotStands(0);
  return account();
}

const gate = () => env.ACCOUNT.getByName("limit-2");

describe("C51: never over the limit in any window of one second", () => {
  it.each([2, 10])("C51: fifty consumers, %i a second, retry-after 7", async (limit) => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 60, settings: { batchSize: 1 } });
    await one.start();
    const leavings: Leaving[] = [];
    const time = new VirtualTime();
    const deps: Partial<ConsumerDeps> = {
      provider: notingProvider(leavings, new Set([12, 30]), 7),
      account: () => env.ACCOUNT.getByName(`limit-${limit}`),
      sleep: time.sleep,
      pace: new Pace(limit),
    };
    await runWithFifty(one, deps, time);
    expect(await one.stats()).toEqual({ sent: 60 });
    expect(leavings).toHaveLength(62);
    expect(mostInOneSecond(leavings)).toBeLessThanOrEqual(limit);
    for (const silentAt of [12, 30]) {
      const { at = 0, key } = leavings[silentAt - 1] ?? {};
      const next = leavings[silentAt]?.at ?? 0;
      // Who had been let through already may still leave; nobody else does, and the batch itself
      // waits for its turn as well.
      const during = leavings.filter((each) => each.at > at && each.at < at + 7_000);
      expect(during.length, "calls in the silence").toBeLessThanOrEqual(1);
      expect(next).toBeGreaterThan(at);
      const again = leavings.find((each) => each.at > at && each.key === key);
      expect(again?.at).toBeGreaterThanOrEqual(at + 7_000);
    }
    await one.check();
  });

  it("C51: the gate survives the eviction of its object", async () => {
    stage.clock.stop();
    const take = () => gate().takeSlot("evicted" as never, 60_000);
    const first = await take();
    await evictDurableObject(gate());
    const second = await take();
    expect(second.waitMilliseconds - first.waitMilliseconds).toBeGreaterThanOrEqual(500);
    await gate().holdSlots(7_000);
    await evictDurableObject(gate());
    expect(await gate().slotStands(second.epoch)).toBe(false);
    expect((await take()).waitMilliseconds).toBeGreaterThanOrEqual(7_000);
  });

  it("C51: in real time, against the provider's own sliding window", async () => {
    const limit = 10;
    await standIn.config({ requestsPerSecond: limit });
    stage.requestsPerSecond = limit;
    await evictDurableObject(await built());
    const one = await campaign({ recipients: 150, settings: { batchSize: 5 } });
    await one.start();
    await finished(one);
    // A busy machine may let two calls arrive closer than they left. The provider then says 429,
    // and that costs a wait and nothing else.
    expect(await one.stats()).toEqual({ sent: 150 });
    const { requests } = await standIn.totals();
    expect(requests).toBeGreaterThanOrEqual(30);
    await one.expectMailedOnce(people(150).map(({ email }) => email));
  });

  it("C51: a campaign with a limit of its own takes no slot of the others while it waits", async () => {
    stage.clock.stop();
    const ten = env.ACCOUNT.getByName("limit-10");
    await ten.register("slow" as never, "Slow", 0.5);
    await ten.register("quick" as never, "Quick", null);
    const take = (id: string) => ten.takeSlot(id as never, 60_000);
    const first = await take("slow");
    expect(first.taken).toBe(true);
    for (let ask = 0; ask < 20; ask += 1) expect((await take("slow")).taken).toBe(false);
    const { taken, waitMilliseconds } = await take("quick");
    expect(taken).toBe(true);
    // The next slot of ten a second, and not one behind those that the slow one did not take.
    expect(waitMilliseconds - first.waitMilliseconds).toBeLessThan(200);
    stage.clock.advance(first.waitMilliseconds + 3_000);
    expect((await take("slow")).taken).toBe(true);
  });
});
