/** A queue that refuses, hangs, loses and doubles; alarms that throw; a worker of two queues. */
import {
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { QUEUE_SEND_TIMEOUT_SECONDS } from "../../src/domain/limits.ts";
import { done } from "./harness/api.ts";
import { campaign, finished, people, until, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive } from "./harness/drive.ts";
import { stage, type QueueMood } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";
import worker from "./worker.ts";

const addresses = (count: number): string[] => people(count).map(({ email }) => email);

/** Runs a campaign of many sends with a queue in this mood, and looks at every row behind it. */
async function runWith(mood: (nth: number) => QueueMood): Promise<TestCampaign> {
  stage.clock.stop();
  stage.queue.mood = mood;
  const one = await campaign({ recipients: 500, settings: { batchSize: 5 } });
  await one.start();
  expect(await drive(one)).toMatchObject({
    state: "finished",
    stats: { total: 500, sent: 500 },
  });
  expect(stage.queue.sends).toBeGreaterThanOrEqual(4);
  await one.check();
  await one.expectMailedOnce(addresses(500));
  return one;
}

/** Lets the time of a send be over at once; every other timer runs as it is. @returns what was asked for */
function shortenSends(): readonly number[] {
  const asked: number[] = [];
  const setTimer = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (work: () => void, milliseconds: number) => {
    if (milliseconds < 1000) return setTimer(work, milliseconds);
    asked.push(milliseconds);
    return setTimer(work, 100);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return asked;
}

describe("C23: the rows are saved and the queue did not take the message", () => {
  it("C23: the first send throws", async () => {
    await runWith((nth) => (nth === 1 ? "throw" : "keep"));
  });

  it("C23: the third send of many throws", async () => {
    await runWith((nth) => (nth === 3 ? "throw" : "keep"));
  });

  it("C23: every other send is lost", async () => {
    await runWith((nth) => (nth % 2 === 0 ? "lose" : "keep"));
  });

  it("C23: the first send hangs for good", async () => {
    const givenUpAfter = shortenSends();
    const one = await runWith((nth) => (nth === 1 ? "hang" : "keep"));
    expect(givenUpAfter[0]).toBe(QUEUE_SEND_TIMEOUT_SECONDS * 1000);
    expect(
      await one.inside((_, { sql }) => sql.exec("SELECT * FROM dispatches").toArray()),
    ).toEqual([]);
  });

  it("C23: the real queue takes the messages and throws all the same", async () => {
    stage.queue.mood = (nth) => (nth === 1 ? "throwAfter" : "pass");
    const one = await campaign({ recipients: 50, settings: { batchSize: 5 } });
    await one.start();
    await finished(one);
    expect(await one.stats()).toEqual({ sent: 50 });
    await one.check();
    await one.expectMailedOnce(addresses(50));
  });

  it("C23: a send that throws is made again by the platform's own alarm", async () => {
    stage.queue.mood = (nth) => (nth === 1 ? "throw" : "pass");
    const one = await campaign({ recipients: 50, settings: { batchSize: 5 } });
    await one.start();
    await finished(one);
    await one.expectMailedOnce(addresses(50));
  });
});

describe("C26: messages are lost", () => {
  it("C26, G2: the queue is purged in the middle, with consumers under way", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 500, settings: { batchSize: 5 } });
    await one.start();
    await one.ring();
    const [first = 0, second = 0, third = 0] = stage.queue.take(one.id);
    await deliver(one, first);
    await deliver(one, second, { killAt: "afterReserve" });
    await deliver(one, third, { killAt: "afterAcceptance" });
    // All the others are gone, and so are the messages of those that died.
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 500 } });
    await one.expectMailedOnce(addresses(500));
  });

  it("C26, G2: every message is lost for an hour", async () => {
    stage.clock.stop();
    const hourFromNow = stage.clock.now() + 3_600_000;
    stage.queue.mood = () => (stage.clock.now() < hourFromNow ? "lose" : "keep");
    const one = await campaign({ recipients: 100, settings: { batchSize: 5 } });
    await one.start();
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 100 } });
    await one.expectMailedOnce(addresses(100));
  });
});

const batchOf = (queue: string, ...bodies: readonly unknown[]) =>
  createMessageBatch(
    queue,
    bodies.map((body, at) => ({
      id: `${queue}-${at}`,
      timestamp: Date.now(),
      attempts: 1,
      body,
    })),
  );

async function consume(batch: MessageBatch) {
  const ctx = createExecutionContext();
  await worker.queue(batch, env);
  return getQueueResult(batch, ctx);
}

describe("C44: one worker consumes both queues", () => {
  it("C44: a dispatch is sent by the one, and a dead letter kept by the other", async () => {
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: 10 });
    await one.start();
    await one.ring();
    const body = { v: 1, campaignId: one.id, dispatch: 1 };
    const letter = await consume(batchOf("sendonce-dead-letters", body));
    expect(letter).toMatchObject({ outcome: "ok", explicitAcks: ["sendonce-dead-letters-0"] });
    expect(await one.stats()).toEqual({ remaining: 10 });
    const sent = await consume(batchOf("sendonce-dispatch", body));
    expect(sent).toMatchObject({ outcome: "ok", explicitAcks: ["sendonce-dispatch-0"] });
    expect(await one.status()).toMatchObject({ stats: { sent: 10 }, deadLetters: 1 });
  });

  it("C44: the platform's own dead-letter queue reaches the ledger, each letter once", async () => {
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: 10 });
    await one.start();
    await one.ring();
    await env.DEAD_LETTERS.send({ v: 1, campaignId: one.id, dispatch: 1 });
    await until(
      () => one.status(),
      ({ deadLetters }) => deadLetters === 1,
    );
    expect(await done("GET", `${one.path}/dead-letters`)).toMatchObject({
      items: [{ number: 1, dispatch: 1, recipients: 0, replayedAt: null }],
      cursor: null,
    });
  });

  it("C44: a queue of another name is an error, and nothing of it is acknowledged", async () => {
    const batch = batchOf("sendonce-other", { v: 1, campaignId: "x", dispatch: 1 });
    await expect(worker.queue(batch, env)).rejects.toThrow("sendonce-other");
  });

  it("one bad message does not touch its neighbours", async () => {
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: 20, settings: { batchSize: 10 } });
    await one.start();
    await one.ring();
    const result = await consume(
      batchOf(
        "sendonce-dispatch",
        { v: 1, campaignId: one.id, dispatch: 1 },
        "not a dispatch",
        { v: 2, campaignId: one.id, dispatch: 2 },
        { v: 1, campaignId: "never-made", dispatch: 1 },
        { v: 1, campaignId: one.id, dispatch: 2 },
      ),
    );
    expect(result.retryMessages.map(({ msgId }) => msgId)).toEqual([
      "sendonce-dispatch-1",
      "sendonce-dispatch-2",
    ]);
    expect(result.explicitAcks).toHaveLength(3);
    expect(await one.stats()).toEqual({ sent: 20 });
  });
});

describe("C45: the alarm throws", () => {
  it("C45: seven times in a row for its own work, and is armed again each time", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 50, settings: { batchSize: 5 } });
    await one.start();
    await one.inside((_, { sql }) =>
      sql.exec(`CREATE TRIGGER broken BEFORE INSERT ON dispatches
        BEGIN SELECT RAISE(ABORT, 'broken by the test'); END`),
    );
    for (let ring = 0; ring < 7; ring += 1) expect(await one.ring(), `ring ${ring}`).toBe(true);
    expect(await alarmOf(one)).not.toBeNull();
    await one.inside((_, { sql }) => sql.exec("DROP TRIGGER broken"));
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 50 } });
    await one.expectMailedOnce(addresses(50));
  });

  it("C45: the platform gave its alarm up, and looking at the campaign sets it again", async () => {
    const one = await campaign({ recipients: 50, settings: { batchSize: 5 } });
    stage.queue.mood = () => "lose";
    await one.start();
    await until(
      () => Promise.resolve(stage.queue.sends),
      (sends) => sends > 0,
    );
    // What is left when a release could not even load: work to do, no alarm, an empty queue.
    await runInDurableObject(one.stub, (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(one.stub);
    expect(await alarmOf(one)).toBeNull();
    await one.status();
    expect(await alarmOf(one)).not.toBeNull();
  });

  it("an alarm is left only where there is something to do", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 50, settings: { batchSize: 5 } });
    expect(await alarmOf(one)).toBeNull();
    await one.start();
    await drive(one);
    await one.ring();
    expect(await alarmOf(one)).toBeNull();
  });
});

describe("C46: a fresh object leaves the alarm that is due", () => {
  it("C46: an object that is woken before its alarm does not put it off", async () => {
    const one = await campaign({ recipients: 10 });
    const at = Date.now() + 1_500;
    await done("POST", `${one.path}/start`, { body: { at: new Date(at).toISOString() } });
    for (let wake = 0; wake < 5; wake += 1) {
      await evictDurableObject(one.stub);
      await one.status();
      await one.enrol([{ id: `later-${wake}`, email: `later-${wake}@mail.example.org` }]);
      const alarm = await alarmOf(one);
      // Null once it is ringing.
      if (alarm !== null) expect(alarm).toBeLessThanOrEqual(Math.max(at, Date.now()));
    }
    expect(await finished(one)).toMatchObject({ state: "finished" });
    expect(await standIn.counts(one.id)).toMatchObject({ duplicates: 0, accepted: 15 });
  });

  it("C46: an alarm that is overdue when the object is built rings, and is not replaced", async () => {
    const one = await campaign({ recipients: 10 });
    stage.queue.mood = () => "lose";
    await one.start();
    await until(
      () => Promise.resolve(stage.queue.sends),
      (sends) => sends > 0,
    );
    stage.queue.mood = () => "pass";
    // As if it had been due long ago: the fresh object has to do the work that is due by its rows.
    await one.inside((_, { sql }) => sql.exec("UPDATE dispatches SET state = 'due', due_at = 1"));
    await evictDurableObject(one.stub);
    await runInDurableObject(one.stub, (_, { storage }) => storage.setAlarm(Date.now() + 1));
    await one.status();
    await finished(one);
    await one.expectMailedOnce(addresses(10));
  });
});

function alarmOf(one: TestCampaign): Promise<number | null> {
  return runInDurableObject(one.stub, (_, { storage }) => storage.getAlarm());
}
