/** G4 and the clock of a campaign: pause, schedule, cancel. */
import { describe, expect, it } from "vitest";
import { api, done } from "./harness/api.ts";
import { campaign, finished, people, until, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

/** Leases that were ever given, by the rows. */
function leases(one: TestCampaign): Promise<number> {
  return one.inside((_, storage) =>
    Number(storage.sql.exec("SELECT count(*) AS n FROM attempts").toArray()[0]?.["n"]),
  );
}

type Asking = {
  /** Set once `pause` has answered. */
  paused: boolean;
  over: boolean;
  granted: number;
  grantedAfterPause: number;
  askedAfterPause: number;
};

/** Asks without a break, and remembers what an ask that began after the pause was told. */
async function askOn(asking: Asking, ask: () => Promise<boolean>): Promise<void> {
  while (!asking.over) {
    const { paused } = asking;
    const granted = await ask();
    if (granted) asking.granted += 1;
    if (paused) asking.askedAfterPause += 1;
    if (paused && granted) asking.grantedAfterPause += 1;
    // Twenty of them leave the object no rest; without a turn of the loop no timer would ring.
    await scheduler.wait(0);
  }
}

async function pauseUnderFire(one: TestCampaign, asks: readonly (() => Promise<boolean>)[]) {
  const asking = {
    paused: false,
    over: false,
    granted: 0,
    grantedAfterPause: 0,
    askedAfterPause: 0,
  };
  const consumers = asks.map((ask) => askOn(asking, ask));
  await until(
    () => Promise.resolve(asking.granted),
    (granted) => granted >= 20,
    1,
  );
  const status = await one.pause();
  asking.paused = true;
  const leasesThen = await leases(one);
  await until(
    () => Promise.resolve(asking.askedAfterPause),
    (asked) => asked >= 200,
    5,
  );
  asking.over = true;
  await Promise.all(consumers);
  expect(status.state).toBe("paused");
  expect(asking.grantedAfterPause, "grants after the pause had answered").toBe(0);
  expect(await leases(one), "leases that were given after it").toBe(leasesThen);
  // What was reserved before is told, and has only become less since.
  const { stats } = await one.status();
  expect(stats.reserved).toBeLessThanOrEqual(status.stats.reserved ?? 0);
  await one.check();
}

describe("G4: once pause has answered, nobody is granted anything", () => {
  it("G4: twenty consumers of the queue ask without a break", async () => {
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: 4_000, settings: { batchSize: 1 } });
    await one.start();
    let asked = 0;
    const ask = async (): Promise<boolean> => {
      asked += 1;
      // The numbers of the window, and later the same again: repeated asks as well as new ones.
      const dispatch = ((asked - 1) % 40) + 1;
      const answer = await one.rpc.reserve({
        by: "dispatch",
        dispatch: dispatch as never,
        claim: `claim-${asked % 60}`,
      });
      return answer.ok && answer.value.granted;
    };
    await pauseUnderFire(
      one,
      Array.from({ length: 20 }, () => ask),
    );
  });

  it("G4: twenty consumers of another queue ask over HTTP", async () => {
    const one = await campaign({ recipients: 4_000, delivery: "external" });
    await one.start();
    let asked = 0;
    const ask = async (): Promise<boolean> => {
      asked += 1;
      const { body } = await api<{ granted: boolean }>("POST", `${one.path}/reservations`, {
        body: { reservationId: `message-${asked}`, limit: 3 },
      });
      return body.granted;
    };
    await pauseUnderFire(
      one,
      Array.from({ length: 20 }, () => ask),
    );
  });

  it("G4: what was reserved before the pause may be reported, and nothing is taken anew", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 30, settings: { batchSize: 10 } });
    await one.start();
    await one.ring();
    const [first = 0, second = 0, third = 0] = stage.queue.take(one.id);
    await standIn.faults({ do: "acceptThenHang" });
    const underWay = deliver(one, first);
    await until(standIn.requests, (requests) => requests.length === 1);
    expect(await one.pause()).toMatchObject({ stats: { reserved: 10, remaining: 20 } });
    await deliver(one, second);
    await standIn.release();
    await underWay;
    await deliver(one, third);
    // Neither an alarm nor the end of a lease gives anything out.
    stage.clock.advance(3_600_000);
    await one.ring();
    expect(stage.queue.take(one.id)).toEqual([]);
    expect(await one.stats()).toEqual({ sent: 10, remaining: 20 });
    await one.resume();
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 30 } });
    await one.expectMailedOnce(people(30).map(({ email }) => email));
  });
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const started = async (one: TestCampaign): Promise<number> => {
  const { items } = await done<{ items: { type: string }[] }>("GET", `${one.path}/events`);
  return items.filter(({ type }) => type === "started").length;
};

describe("schedules", () => {
  it("C80: a time without an offset is refused, and the refusal says what to add", async () => {
    const one = await campaign({ recipients: 1 });
    const before = await one.rows();
    const answer = await api("POST", `${one.path}/start`, { body: { at: "2026-12-01T10:00:00" } });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "invalidFields", errors: [{ path: "at" }] },
    });
    expect(JSON.stringify(answer.body)).toContain("2026-12-01T10:00:00+01:00");
    expect(await one.rows()).toBe(before);
  });

  it("C81: paused before its time and resumed after it, it starts once", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 10 });
    await done("POST", `${one.path}/start`, { body: { at: inAnHour() } });
    expect(await one.pause()).toMatchObject({ state: "paused" });
    stage.clock.advance(7_200_000);
    await one.ring();
    expect(await one.status()).toMatchObject({ state: "paused", startedAt: null });
    expect(await one.resume()).toMatchObject({ state: "sending" });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    expect(await started(one)).toBe(1);
    await one.expectMailedOnce(people(10).map(({ email }) => email));
  });

  it("C81: paused and resumed before its time, it waits for it, and starts once", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 10 });
    await done("POST", `${one.path}/start`, { body: { at: inAnHour() } });
    await one.pause();
    expect(await one.resume()).toMatchObject({ state: "scheduled" });
    await one.ring();
    expect(await one.status()).toMatchObject({ state: "scheduled", startedAt: null });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    expect(await started(one)).toBe(1);
  });

  it("a scheduled campaign begins by the platform's own alarm", async () => {
    const one = await campaign({ recipients: 10 });
    await done("POST", `${one.path}/start`, {
      body: { at: new Date(Date.now() + 300).toISOString() },
    });
    await finished(one);
    expect(await started(one)).toBe(1);
    await one.expectMailedOnce(people(10).map(({ email }) => email));
  });
});

describe("cancel", () => {
  it("C42: the provider is dead for an hour and the operator cancels", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    await standIn.faults({ do: "answer500", times: null });
    const one = await campaign({ recipients: 1_000, settings: { batchSize: 5 } });
    await one.start();
    for (let minutes = 0; minutes < 60; minutes += 4) {
      await one.ring();
      for (const dispatch of stage.queue.take(one.id)) await deliver(one, dispatch);
      stage.clock.advance(240_000);
    }
    // A dead provider does not put everybody in doubt: most have never been tried.
    const { sent, remaining } = (await one.status()).stats;
    expect(sent).toBe(0);
    expect(remaining).toBeGreaterThanOrEqual(850);
    expect(await one.cancel()).toMatchObject({
      state: "cancelled",
      stats: { cancelled: remaining },
    });
    await drive(one);
    const { total, inDoubt = 0, cancelled = 0 } = (await one.status()).stats;
    expect(inDoubt + cancelled).toBe(total);
    await one.check();
    expect(await api("POST", `${one.path}/resume`)).toMatchObject({ status: 409 });
    expect(await standIn.counts(one.id)).toMatchObject({ accepted: 0 });
  });

  it("C42: what is under way when it is cancelled ends where the truth is", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 30, settings: { batchSize: 10 } });
    await one.start();
    await one.ring();
    const [first = 0, second = 0, third = 0] = stage.queue.take(one.id);
    await standIn.faults({ do: "acceptThenHang" });
    const underWay = deliver(one, first);
    await until(standIn.requests, (requests) => requests.length === 1);
    await deliver(one, second, { killAt: "afterReserve" });
    expect(await one.cancel()).toMatchObject({ stats: { reserved: 20, cancelled: 10 } });
    await standIn.release();
    await underWay;
    await deliver(one, third);
    await drive(one);
    // Nobody knows of the one whose consumer died.
    expect(await one.stats()).toEqual({ sent: 10, inDoubt: 10, cancelled: 10 });
  });
});
