/**
 * Consumers that die, at each of the five points where dying differs, and an object that is evicted
 * under them. After every death the whole ledger is checked against its rows.
 */
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { campaign, people } from "./harness/campaign.ts";
import { deliver, drive, KILL_POINTS, orphansAnswered } from "./harness/drive.ts";
import type { Fate, KillPoint } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { seededChance } from "../support/chance.ts";

const addresses = (count: number): string[] => people(count).map(({ email }) => email);

describe("C20: a consumer is killed, and nobody is mailed twice or dropped", () => {
  /** Ten campaigns of ten batches each, the first consumer of every batch dies: 100 kills. */
  const CAMPAIGNS = 10;
  const RECIPIENTS = 20;

  it.each(KILL_POINTS)("C20, G1, G2, G5: killed %s, a hundred times", async (killAt) => {
    let kills = 0;
    for (let run = 0; run < CAMPAIGNS; run += 1) {
      kills += await runWithKills(killAt, seededChance(run + 1));
    }
    expect(kills).toBeGreaterThanOrEqual(100);
  });

  async function runWithKills(killAt: KillPoint, draw: () => number): Promise<number> {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const settings = { batchSize: 2, leaseSeconds: 20 };
    const one = await campaign({ recipients: RECIPIENTS, settings });
    await one.start();
    const killed = new Map<number, number>();
    const hand = async (dispatch: number, attempts: number): Promise<Fate> => {
      const before = killed.get(dispatch) ?? 0;
      // The first consumer always dies, and every fourth of those that come after it.
      const dies = before === 0 || (before < 4 && draw() < 0.25);
      if (!dies) return deliver(one, dispatch, { attempts });
      const fate = await deliver(one, dispatch, { attempts, killAt, arrives: draw() < 0.5 });
      if (fate === "killed") killed.set(dispatch, before + 1);
      await one.check();
      return fate;
    };
    const status = await drive(one, { hand });
    await one.check();
    await orphansAnswered();
    expect(status).toMatchObject({ state: "finished", stats: { sent: RECIPIENTS } });
    await one.expectMailedOnce(addresses(RECIPIENTS));
    return [...killed.values()].reduce((sum, each) => sum + each, 0);
  }

  it("C20: killed anywhere, again and again, in one campaign", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const draw = seededChance(20);
    const one = await campaign({ recipients: 200, settings: { batchSize: 5 } });
    await one.start();
    let kills = 0;
    const hand = async (dispatch: number, attempts: number): Promise<Fate> => {
      const killAt = KILL_POINTS[Math.floor(draw() * 10)] ?? null;
      const fate = await deliver(one, dispatch, { attempts, killAt, arrives: draw() < 0.5 });
      if (fate === "killed") kills += 1;
      return fate;
    };
    const status = await drive(one, { hand, after: () => one.check() });
    await orphansAnswered();
    expect(kills).toBeGreaterThan(20);
    expect(status).toMatchObject({ state: "finished", stats: { sent: 200 } });
    await one.expectMailedOnce(addresses(200));
  });
});

describe("C21: the object is evicted while it sends", () => {
  it.each([1, 3, 7])("C21: every %i deliveries, between them", async (every) => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 120, settings: { batchSize: 4 } });
    await one.start();
    let deliveries = 0;
    const after = async (): Promise<void> => {
      deliveries += 1;
      if (deliveries % every === 0) await evictDurableObject(one.stub);
      await one.check();
    };
    const status = await drive(one, { after });
    expect(status).toMatchObject({ state: "finished", stats: { sent: 120 } });
    await one.expectMailedOnce(addresses(120));
  });

  it("C21: while the real queue and the real alarm are at work", async () => {
    const one = await campaign({ recipients: 300, settings: { batchSize: 5 } });
    await one.start();
    let evictions = 0;
    while ((await one.status()).state !== "finished") {
      await evictDurableObject(one.stub);
      evictions += 1;
      // The local runtime rings no alarm of an object that is evicted without a pause.
      await scheduler.wait(10);
      await one.check();
    }
    expect(evictions).toBeGreaterThan(0);
    expect(await one.stats()).toEqual({ sent: 300 });
    await one.expectMailedOnce(addresses(300));
  });
});
