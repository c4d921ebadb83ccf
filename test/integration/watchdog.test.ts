/** The watchdog over the real objects: who has lost its alarm goes on, and nobody else is touched. */
import { createScheduledController, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ACCOUNT_NAME } from "../../src/account/rpc.ts";
import { watchdogDeps } from "../../src/deployment.ts";
import type { CampaignId } from "../../src/domain/ids.ts";
import { watchCampaigns, type WatchdogDeps } from "../../src/watchdog/watchdog.ts";
import { account, campaign, finished, newId, people, until } from "./harness/campaign.ts";
import type { TestCampaign } from "./harness/campaign.ts";
import { stage } from "./harness/stage.ts";
import worker from "./worker.ts";

const addresses = (count: number): string[] => people(count).map(({ email }) => email);

/** What the platform does every five minutes. */
const cron = () => worker.scheduled(createScheduledController(), env);

const alarmOf = (one: TestCampaign): Promise<number | null> =>
  runInDurableObject(one.stub, (_, { storage }) => storage.getAlarm());

/** One send of 40 dispatches arrives, and five people are in a batch. */
const ARRIVE = 200;

/** In the middle of its work its messages are lost, its alarm is gone, and it has been evicted. */
async function asleep(recipients: number): Promise<TestCampaign> {
  const one = await campaign({ recipients, settings: { batchSize: 5 } });
  stage.queue.mood = (nth) => (nth === 1 ? "pass" : "lose");
  await one.start();
  await until(
    () => one.status(),
    ({ stats: { sent = 0 } }) => sent === ARRIVE,
  );
  // The alarm of the last report has sent what is lost, and has ended.
  await until(
    () => one.stub.vitals(),
    (vitals) => vitals?.isRinging === false && vitals.unansweredMilliseconds !== null,
  );
  await runInDurableObject(one.stub, (_, { storage }) => storage.deleteAlarm());
  await evictDurableObject(one.stub);
  stage.queue.mood = () => "pass";
  return one;
}

function die(one: TestCampaign): Promise<never> {
  return runInDurableObject(one.stub, (_, ctx) => {
    ctx.abort("the object died by the test");
    throw new Error("it died by the test");
  });
}

/** Everybody's turn has come. */
async function turnsCome(): Promise<void> {
  await runInDurableObject(account(), (_, { storage }) =>
    storage.sql.exec("UPDATE campaigns SET look_at = 0"),
  );
}

describe("the watchdog", () => {
  it("G2, R-watch: a campaign whose alarm and whose messages are gone finishes", async () => {
    const one = await asleep(400);
    expect(await alarmOf(one)).toBeNull();
    await turnsCome();
    await cron();
    expect(await finished(one)).toMatchObject({ state: "finished", stats: { sent: 400 } });
    await one.check();
    await one.expectMailedOnce(addresses(400));
  });

  it("R-watch: without it nobody would bring the campaign up", async () => {
    const one = await asleep(400);
    await scheduler.wait(4_000);
    expect(await alarmOf(one)).toBeNull();
    expect((await one.inside((ledger) => ledger.status(Date.now())))?.state).toBe("sending");
  });

  it("R-watch: rows and alarms of the healthy, the resting and the unmade stay as they are", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const sending = await campaign({ recipients: 50, settings: { batchSize: 5 } });
    const draft = await campaign({ recipients: 5 });
    const erased = await campaign({ recipients: 5 });
    await sending.start();
    await sending.ring();
    await erased.stub.erase();
    const never = newId("never") as CampaignId;
    await env.ACCOUNT.getByName(ACCOUNT_NAME).register(never, "Never made", null);
    const all = [sending, draft];
    const look = () => Promise.all(all.flatMap((one) => [one.rows(), alarmOf(one)]));
    const before = await look();
    expect(await watchCampaigns({ ...watchdogDeps(env), log: () => undefined })).toEqual({
      healthy: 1,
      resting: 3,
      woken: 0,
      failed: 0,
    });
    expect(await look()).toEqual(before);
    // Of an object that was asked in vain nothing is left either.
    const tables = await runInDurableObject(env.CAMPAIGNS.getByName(never), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("R-watch: one that fails to answer keeps the others from nothing", async () => {
    const one = await asleep(300);
    const broken = await campaign({ recipients: 5 });
    await turnsCome();
    const real = watchdogDeps(env);
    const deps: WatchdogDeps = {
      ...real,
      log: () => undefined,
      campaign: (id) => {
        // The object dies of the question.
        if (id === broken.id) return { ...real.campaign(id), vitals: () => die(broken) };
        return real.campaign(id);
      },
    };
    expect(await watchCampaigns(deps)).toMatchObject({ woken: 1, failed: 1 });
    expect(await alarmOf(one)).not.toBeNull();
  });

  it("R-watch: woken beside its own alarm, a campaign mails nobody twice", async () => {
    const one = await campaign({ recipients: 300, settings: { batchSize: 5 } });
    await one.start();
    let wakes = 0;
    while ((await one.status()).state !== "finished") {
      await one.stub.wake();
      wakes += 1;
      await scheduler.wait(5);
    }
    expect(wakes).toBeGreaterThan(0);
    await one.check();
    await one.expectMailedOnce(addresses(300));
  });
});
