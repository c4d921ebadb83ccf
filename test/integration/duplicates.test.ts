/** G1 under every way in which the same people could be mailed again (C01 to C12). */
import { describe, expect, it } from "vitest";
import { env } from "cloudflare:workers";
import { resendProvider } from "../../src/provider/resend-provider.ts";
import type { Seq } from "../../src/domain/ids.ts";
import { api, done } from "./harness/api.ts";
import { campaign, finished, people, until, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive, testDeps } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const addresses = (count: number): string[] => people(count).map(({ email }) => email);

/** A campaign that sends, whose dispatches are handed out by the test. */
async function inHand(recipients: number, batchSize = 100, settings: object = {}) {
  stage.clock.stop();
  stage.queue.mood = () => "keep";
  const one = await campaign({ recipients, settings: { batchSize, ...settings } });
  await one.start();
  await one.ring();
  return { one, dispatches: stage.queue.take(one.id) };
}

describe("pauses", () => {
  it("C01: paused and resumed five times, then toggled fifty times", async () => {
    const one = await campaign({ recipients: 500, settings: { batchSize: 5 } });
    await one.start();
    for (const mark of [40, 80, 120, 160, 200]) {
      await until(
        () => one.status(),
        ({ stats }) => (stats.sent ?? 0) >= mark,
      );
      await one.pause();
      await one.check();
      await one.resume();
    }
    for (let toggle = 0; toggle < 50; toggle += 1) {
      const { state } = await one.status();
      if (state === "finished") break;
      // It may finish in between, and a finished campaign can't be paused.
      const paused = await api("POST", `${one.path}/pause`);
      if (paused.status === 200) await api("POST", `${one.path}/resume`);
    }
    await finished(one);
    expect(await one.stats()).toEqual({ sent: 500 });
    await one.check();
    await one.expectMailedOnce(addresses(500));
  });
});

/** A late "not sent" under the token of a lease that is over. */
async function notSent(one: TestCampaign, token: number): Promise<void> {
  const answer = await one.rpc.report({
    batch: { number: 1 as never },
    token: token as never,
    outcome: { kind: "deferred", reason: "late", retryAfterSeconds: null, pause: null },
  });
  expect(answer).toMatchObject({ ok: false, refusal: { code: "staleToken" } });
}

/** Refusing is counted, and nothing else is. */
function withoutCounts(rows: string): unknown {
  const { counters, ...rest } = JSON.parse(rows) as Record<string, unknown>;
  const [{ version, duplicates_prevented, ...numbers }] = counters as [Record<string, unknown>];
  expect([typeof version, typeof duplicates_prevented]).toEqual(["number", "number"]);
  return { ...rest, numbers };
}

describe("answers that say nothing of an acceptance", () => {
  it.each(["acceptThen500", "acceptThenDrop"])("C02: %s for recipient 7", async (fault) => {
    const { one, dispatches } = await inHand(10);
    await standIn.faults({ do: fault, match: { address: "p7@mail.example.org" } });
    await deliver(one, dispatches[0] ?? 0);
    expect(await one.stats()).toEqual({ reserved: 10 });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    await one.expectMailedOnce(addresses(10));
    const requests = await standIn.requests();
    expect(requests.map(({ key, replay }) => ({ key, replay }))).toEqual([
      { key: `${one.id}:1`, replay: false },
      { key: `${one.id}:1`, replay: true },
    ]);
    expect(new Set(requests.map(({ bodyDigest }) => bodyDigest)).size).toBe(1);
    const mail = (await standIn.accepted()).find(({ to }) => to === "p7@mail.example.org");
    const story = await one.recipient("p7");
    expect(story).toMatchObject({ status: "sent", providerId: mail?.id });
    expect(story.attempts.map(({ outcome }) => outcome)).toEqual(["unknown", "answered"]);
  });

  it("C08, G3: the report is lost and the window passes: in doubt, and not sent again", async () => {
    const { one, dispatches } = await inHand(10);
    await deliver(one, dispatches[0] ?? 0, { killAt: "afterAcceptance" });
    stage.clock.advance(72_000_000);
    await one.ring();
    expect(await one.stats()).toEqual({ inDoubt: 10 });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { inDoubt: 10 } });
    expect((await standIn.requests()).length).toBe(1);
    expect(await one.recipient("p1")).toMatchObject({
      status: "inDoubt",
      idempotencyKey: `${one.id}:1`,
    });
    await one.expectMailedOnce(addresses(10));
  });

  it("C09: answered after the lease was given to somebody else", async () => {
    const { one, dispatches } = await inHand(10);
    const dispatch = dispatches[0] ?? 0;
    await standIn.faults({ do: "acceptThenHang" });
    const late = deliver(one, dispatch);
    await until(standIn.requests, (requests) => requests.length === 1);
    stage.clock.advance(120_000);
    await one.ring();
    stage.clock.advance(10_000);
    await one.ring();
    expect(stage.queue.take(one.id)).toEqual([dispatch]);
    // The first request still has its key in progress, so the second is told to come later.
    await deliver(one, dispatch);
    expect(await one.stats()).toEqual({ reserved: 10 });
    const before = await one.rows();
    await notSent(one, 1);
    expect(withoutCounts(await one.rows())).toEqual(withoutCounts(before));
    await standIn.release();
    expect(await late).toBe("acked");
    expect(await one.stats()).toEqual({ sent: 10 });
    await notSent(one, 1);
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    await one.expectMailedOnce(addresses(10));
  });
});

describe("the same work twice", () => {
  it("C03: one address in two uploads of two kinds is one row", async () => {
    const one = await campaign({ recipients: 10 });
    const again = await one.enrol(people(12));
    expect(again).toMatchObject({ added: 2, duplicates: 10, total: 12 });
    expect(again.problems[0]).toMatchObject({ line: 1, code: "duplicateId" });
    const csv = "id,email\nother,P1@Mail.Example.org\nnew,new@mail.example.org\n";
    const third = await done(`POST`, `${one.path}/recipients`, { body: csv, type: "text/csv" });
    expect(third).toMatchObject({
      added: 1,
      duplicates: 1,
      total: 13,
      problems: [{ line: 2, code: "duplicateAddress" }],
    });
    await one.start();
    await finished(one);
    await one.expectMailedOnce([...addresses(12), "new@mail.example.org"]);
  });

  it("C04: two consumers, two alarms and a redelivery with the same message", async () => {
    const { one, dispatches } = await inHand(50);
    const dispatch = dispatches[0] ?? 0;
    const fates = await Promise.all([
      deliver(one, dispatch),
      deliver(one, dispatch),
      one.ring(),
      one.ring(),
      deliver(one, dispatch, { attempts: 2 }),
    ]);
    expect(fates.filter((fate) => typeof fate === "string")).toEqual(["acked", "acked", "acked"]);
    expect(await drive(one)).toMatchObject({
      state: "finished",
      stats: { sent: 50 },
      duplicatesPrevented: 100,
    });
    expect((await standIn.requests()).length).toBe(1);
    await one.expectMailedOnce(addresses(50));
  });

  it("C05: twenty consumers race for the same hundred recipients", async () => {
    const { one, dispatches } = await inHand(100);
    const dispatch = dispatches[0] ?? 0;
    await Promise.all(Array.from({ length: 20 }, () => deliver(one, dispatch)));
    expect(await drive(one)).toMatchObject({
      state: "finished",
      stats: { sent: 100 },
      duplicatesPrevented: 1900,
    });
    await one.expectMailedOnce(addresses(100));
  });

  it("C05: twenty consumers race with twenty messages for the same recipients", async () => {
    const { one, dispatches } = await inHand(100, 5);
    expect(dispatches).toHaveLength(20);
    const everybody = dispatches.flatMap((dispatch) => [dispatch, dispatch]);
    await Promise.all(everybody.map((dispatch) => deliver(one, dispatch)));
    await one.check();
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 100 } });
    await one.expectMailedOnce(addresses(100));
  });

  it("C07: started twice in the same moment, and again later", async () => {
    const one = await campaign({ recipients: 20 });
    const answers = await Promise.all([
      api("POST", `${one.path}/start`),
      api("POST", `${one.path}/start`),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    await finished(one);
    const before = await one.rows();
    expect(await api("POST", `${one.path}/start`)).toMatchObject({
      status: 409,
      body: { code: "wrongState", state: "finished" },
    });
    expect(await one.rows()).toBe(before);
    await one.expectMailedOnce(addresses(20));
  });

  it("C07: started again after the client has not heard of its first start", async () => {
    const one = await campaign({ recipients: 20 });
    stage.replies.lose("start", "abort");
    expect(await api("POST", `${one.path}/start`)).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
    expect(await api("POST", `${one.path}/start`)).toMatchObject({
      status: 409,
      body: { code: "wrongState" },
    });
    await finished(one);
    await one.expectMailedOnce(addresses(20));
    const { items } = await done<{ items: { type: string }[] }>("GET", `${one.path}/events`);
    expect(items.filter(({ type }) => type === "started")).toHaveLength(1);
  });

  it("C11: a dispatch that died is replayed under the key that it had", async () => {
    const { one, dispatches } = await inHand(10);
    const dispatch = dispatches[0] ?? 0;
    const deps = testDeps();
    // The provider accepts, and the report never gets through: the queue gives up in the end.
    const deaf = {
      campaign: (id: Parameters<typeof deps.campaign>[0]) => {
        const real = deps.campaign(id);
        const methods: Partial<typeof real> = {
          reserve: (request) => real.reserve(request),
          content: () => real.content(),
          decline: (order) => real.decline(order),
          recordDeadLetter: (letter) => real.recordDeadLetter(letter),
          report: () => Promise.reject(new Error("no way to the ledger")),
        };
        return methods as typeof real;
      },
    };
    expect(await deliver(one, dispatch, { attempts: 6, deps: deaf })).toBe("retried");
    expect(await done("GET", `${one.path}/dead-letters`)).toMatchObject({
      items: [{ dispatch, error: "Error: no way to the ledger", recipients: 10, replayedAt: null }],
    });
    stage.clock.advance(120_000);
    await one.ring();
    stage.queue.take(one.id);
    const report = await done("POST", `${one.path}/replay`, {
      body: { recipients: "deadLettered" },
    });
    expect(report).toMatchObject({ replayed: 0, reopened: 10 });
    expect(await drive(one)).toMatchObject({
      state: "finished",
      stats: { sent: 10 },
      deadLetters: 1,
    });
    const requests = await standIn.requests();
    expect(requests.map(({ key, replay }) => ({ key, replay }))).toEqual([
      { key: `${one.id}:1`, replay: false },
      { key: `${one.id}:1`, replay: true },
    ]);
    await one.expectMailedOnce(addresses(10));
  });

  it("C12: two sends through one client carry each its own key", async () => {
    const provider = resendProvider({
      apiKey: "re_integration",
      baseUrl: env.RESEND_BASE_URL,
      version: "0",
      now: () => Date.now(),
    });
    const send = (key: string, to: string) =>
      provider.sendBatch({
        idempotencyKey: key,
        emails: [{ from: "a@mail.example.org", to, subject: "Hello", text: "Hi" }],
        seqs: [1 as Seq],
        timeoutMilliseconds: 10_000,
      });
    await send("first:1", "one@mail.example.org");
    await send("second:1", "two@mail.example.org");
    await Promise.all([
      send("third:1", "3@mail.example.org"),
      send("fourth:1", "4@mail.example.org"),
    ]);
    const keys = (await standIn.accepted()).map(({ key, to }) => [key, to]);
    expect(keys.slice(0, 2)).toEqual([
      ["first:1", "one@mail.example.org"],
      ["second:1", "two@mail.example.org"],
    ]);
    expect(new Map(keys.slice(2) as [string, string][])).toEqual(
      new Map([
        ["fourth:1", "4@mail.example.org"],
        ["third:1", "3@mail.example.org"],
      ]),
    );
  });
});
