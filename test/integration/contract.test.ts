/** Every endpoint of DESIGN §4 that exists, with exactly the shape that is written there. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { httpDeps } from "../../src/deployment.ts";
import { handleRequest } from "../../src/http/router.ts";
import { api, done } from "./harness/api.ts";
import { account, campaign, finished, people, TestCampaign } from "./harness/campaign.ts";
import { drive } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const NUMBER = expect.any(Number) as unknown;
const TEXT = expect.any(String) as unknown;

const STATUS = {
  campaignId: TEXT,
  state: TEXT,
  pause: null,
  stats: {
    total: NUMBER,
    sent: NUMBER,
    reserved: NUMBER,
    failed: NUMBER,
    remaining: NUMBER,
    suppressed: NUMBER,
    inDoubt: NUMBER,
    cancelled: NUMBER,
  },
  feedback: { delivered: 0, delayed: 0, bounced: 0, complained: 0 },
  duplicatesPrevented: NUMBER,
  deadLetters: NUMBER,
  ratePerSecond: NUMBER,
  startedAt: TIME,
  finishedAt: TIME,
  expectedFinishAt: null,
  version: NUMBER,
};
const DRAFT_STATUS = { ...STATUS, startedAt: null, finishedAt: null };

const SETTINGS = {
  batchSize: 100,
  leaseSeconds: 120,
  maxAttempts: 10,
  idempotencyWindowSeconds: 72_000,
  requestsPerSecond: null,
  pauseAtFailureRate: 0.05,
  pauseAtDeadLetters: 100,
};

/** A finished campaign of three: one sent, one failed, one suppressed. */
async function told(): Promise<TestCampaign> {
  stage.clock.stop();
  stage.queue.mood = () => "keep";
  await done("PUT", "/api/suppressions", { body: { addresses: ["p3@mail.example.org"] } });
  await standIn.config({ refuseAddresses: ["p2@mail.example.org"] });
  const one = await campaign({ recipients: 3 });
  await one.start();
  await drive(one);
  return one;
}

describe("campaigns", () => {
  it("create, get, list, change and erase", async () => {
    const body = {
      id: "contract-1",
      name: "Spring",
      from: "Shop <shop@mail.example.org>",
      replyTo: "help@mail.example.org",
      subject: "Hello",
      html: "<p>Hi</p>",
      headers: { "X-B": "2", "X-A": "1" },
      tags: { season: "spring" },
    };
    const view = {
      ...body,
      text: null,
      delivery: "managed",
      unsubscribe: true,
      settings: SETTINGS,
      createdAt: TIME,
      scheduledAt: null,
      enrolmentClosed: false,
      state: "draft",
      status: DRAFT_STATUS,
    };
    const created = await api("POST", "/api/campaigns", { body });
    expect(created).toMatchObject({ status: 201 });
    expect(created.headers.get("location")).toBe("/api/campaigns/contract-1");
    expect(created.body).toEqual(view);
    expect(await api("POST", "/api/campaigns", { body })).toMatchObject({ status: 200, body: view });
    expect(await done("GET", "/api/campaigns/contract-1")).toEqual(view);
    expect(await done("GET", "/api/campaigns")).toEqual({
      items: [{ id: "contract-1", name: "Spring", createdAt: TIME }],
      cursor: null,
    });
    expect(await done("GET", "/api/campaigns?include=status&limit=1")).toEqual({
      items: [{ id: "contract-1", name: "Spring", createdAt: TIME, status: DRAFT_STATUS }],
      cursor: TEXT,
    });
    const change = { body: { name: "Summer", settings: { batchSize: 7 } } };
    expect(await done("PATCH", "/api/campaigns/contract-1", change)).toEqual({
      ...view,
      name: "Summer",
      settings: { ...SETTINGS, batchSize: 7 },
      status: { ...DRAFT_STATUS, version: NUMBER },
    });
    expect(await done("GET", "/api/campaigns")).toMatchObject({ items: [{ name: "Summer" }] });
    expect(await api("DELETE", "/api/campaigns/contract-1")).toMatchObject({ status: 204, body: "" });
    expect(await api("GET", "/api/campaigns/contract-1")).toMatchObject({ status: 404 });
    expect(await done("GET", "/api/campaigns")).toEqual({ items: [], cursor: null });
  });

  it("lists page by page, newest first, each once", async () => {
    stage.clock.stop();
    const made: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      made.unshift((await campaign({ delivery: "external" })).id);
      stage.clock.advance(at % 2);
    }
    const seen: string[] = [];
    for (let path = "/api/campaigns?limit=3"; path !== ""; ) {
      const page = await done<{ items: { id: string }[]; cursor: string | null }>("GET", path);
      seen.push(...page.items.map(({ id }) => id));
      path = page.cursor === null ? "" : `/api/campaigns?limit=3&cursor=${page.cursor}`;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });

  it("asking for a campaign that does not exist writes nothing", async () => {
    const never = new TestCampaign("never-made");
    const asks: readonly (readonly [string, string, unknown?])[] = [
      ["GET", ""],
      ["PATCH", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/recipients", { recipients: people(1) }],
      ["GET", "/recipients"],
      ["GET", "/recipients/p1"],
      ["GET", "/recipients.csv"],
      ["POST", "/preview"],
      ...["start", "pause", "resume", "cancel", "finish"].map((name) => ["POST", `/${name}`] as const),
      ["POST", "/replay", { recipients: "failed" }],
      ["POST", "/resolve", { ids: ["p1"], as: "sent" }],
      ["GET", "/delivery-status"],
      ["GET", "/dead-letters"],
      ["GET", "/events"],
      ["POST", "/reservations", { reservationId: "m", recipients: people(1) }],
      ["POST", "/reservations/m/report", { token: 1, outcome: "unknown", reason: "x" }],
    ];
    for (const [method, path, body] of asks) {
      const answer = await api(method, never.path + path, body === undefined ? {} : { body });
      expect(answer, `${method} ${path}`).toMatchObject({
        status: 404,
        body: { code: "campaignNotFound" },
      });
    }
    const { rpc } = never;
    expect(await rpc.reserve({ by: "dispatch", dispatch: 1 as never, claim: "x" })).toMatchObject({
      refusal: { code: "notFound" },
    });
    await rpc.suppress([{ address: "x@mail.example.org" as never, reason: "operator", at: 1 }]);
    await rpc.postpone(1 as never, 1_000);
    expect(await rpc.content()).toBeNull();
    const left = await runInDurableObject(never.stub, async (_, { storage }) => ({
      tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
      alarm: await storage.getAlarm(),
    }));
    expect(left).toEqual({ tables: [], alarm: null });
    expect(await done("GET", "/api/campaigns")).toEqual({ items: [], cursor: null });
  });
});

describe("what has become of it", () => {
  it("delivery-status, and each command answers the same", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: 3 });
    const sending = { ...STATUS, state: "sending", finishedAt: null };
    expect(await one.start()).toEqual(sending);
    expect(await one.pause()).toEqual({
      ...sending,
      state: "paused",
      pause: { reason: "operator", detail: TEXT, since: TIME },
    });
    expect(await one.pause()).toMatchObject({ state: "paused" });
    expect(await one.resume()).toEqual(sending);
    expect(await one.cancel()).toEqual({ ...STATUS, state: "cancelled" });
    const status = await done("GET", `${one.path}/delivery-status`);
    expect(status).toEqual({ ...STATUS, state: "cancelled" });
    expect(Object.keys(status as object)).toEqual(Object.keys(STATUS));
  });

  it("a rate and an expected finish while it sends", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 40, settings: { batchSize: 10 } });
    await one.start();
    await one.ring();
    const { deliver } = await import("./harness/drive.ts");
    const [first = 0] = stage.queue.take(one.id);
    stage.clock.advance(2_000);
    await deliver(one, first);
    expect(await one.status()).toMatchObject({
      ratePerSecond: 5,
      expectedFinishAt: new Date(stage.clock.now() + 6_000).toISOString(),
    });
  });

  it("recipients: the list, by status, and page by page", async () => {
    const one = await told();
    const row = {
      id: "p1",
      email: "p1@mail.example.org",
      data: {},
      status: "sent",
      reason: null,
      providerId: TEXT,
      batch: 1,
      updatedAt: TIME,
    };
    const page = await done<{ items: unknown[] }>("GET", `${one.path}/recipients`);
    expect(page).toEqual({
      items: [
        row,
        { ...row, id: "p2", email: "p2@mail.example.org", status: "failed", reason: TEXT, providerId: null },
        {
          ...row,
          id: "p3",
          email: "p3@mail.example.org",
          status: "suppressed",
          reason: "operator",
          providerId: null,
          batch: null,
        },
      ],
      cursor: null,
    });
    for (const status of ["sent", "failed", "suppressed"]) {
      const { items } = await done<{ items: unknown[] }>("GET", `${one.path}/recipients?status=${status}`);
      expect(items).toEqual(page.items.filter((each) => (each as typeof row).status === status));
    }
    for (const status of ["remaining", "pending", "reserved", "inDoubt", "cancelled"]) {
      expect(await done("GET", `${one.path}/recipients?status=${status}`)).toMatchObject({ items: [] });
    }
    const first = await done<{ items: unknown[]; cursor: string }>("GET", `${one.path}/recipients?limit=2`);
    const rest = await done<{ items: unknown[] }>(
      "GET",
      `${one.path}/recipients?limit=2&cursor=${first.cursor}`,
    );
    expect([...first.items, ...rest.items]).toEqual(page.items);
  });

  it("one recipient with its whole story", async () => {
    const one = await told();
    expect(await one.recipient("p1")).toEqual({
      id: "p1",
      email: "p1@mail.example.org",
      data: {},
      status: "sent",
      reason: null,
      providerId: TEXT,
      batch: 1,
      updatedAt: TIME,
      idempotencyKey: `${one.id}:1`,
      attempts: [
        {
          token: 1,
          startedAt: TIME,
          expiresAt: TIME,
          endedAt: TIME,
          outcome: "answered",
          reason: null,
        },
      ],
      feedback: null,
      suppression: null,
    });
    expect(await one.recipient("p3")).toMatchObject({
      status: "suppressed",
      attempts: [],
      idempotencyKey: null,
      suppression: { reason: "operator", at: TIME },
    });
  });

  it("the CSV export has them all, and a formula in a name is not one", async () => {
    const one = await campaign({
      recipients: [
        { id: "=1+1", email: "p1@mail.example.org", data: { name: 'Zoë "Z", x' } },
        { id: "p2", email: "p2@mail.example.org" },
      ],
    });
    const answer = await api<string>("GET", `${one.path}/recipients.csv`);
    expect(answer.headers.get("content-type")).toContain("text/csv");
    expect(answer.headers.get("content-disposition")).toContain(`recipients-${one.id}.csv`);
    const [header, first, second, end] = answer.body.split("\r\n");
    expect(header).toBe("id,email,status,reason,providerId,batch,updatedAt,data");
    expect(first).toMatch(/^'=1\+1,p1@mail\.example\.org,pending,,,,[^,]+,"\{""name"":""Zoë \\""Z\\"", x""\}"$/);
    expect(second).toMatch(/^p2,p2@mail\.example\.org,pending,,,,[^,]+,\{\}$/);
    expect(end).toBe("");
  });

  it("the CSV export of many pages", async () => {
    const one = await campaign({ recipients: 1_234 });
    const { body } = await api<string>("GET", `${one.path}/recipients.csv?status=remaining`);
    const ids = body.split("\r\n").slice(1, -1).map((line) => line.split(",")[0]);
    expect(ids).toEqual(people(1_234).map(({ id }) => id));
  });

  it("events, newest first, with what was done by whom and when", async () => {
    const one = await told();
    const { items } = await done<{ items: { number: number; type: string }[] }>("GET", `${one.path}/events`);
    expect(items.map(({ type }) => type).toReversed()).toEqual(["created", "started", "finished"]);
    expect(items[0]).toEqual({
      number: 3,
      at: TIME,
      type: "finished",
      detail: { total: 3, sent: 1, failed: 1, suppressed: 1, inDoubt: 0, cancelled: 0 },
    });
    const first = await done<{ items: unknown[]; cursor: string }>("GET", `${one.path}/events?limit=2`);
    expect(first.items).toEqual(items.slice(0, 2));
    const rest = await done("GET", `${one.path}/events?limit=2&cursor=${first.cursor}`);
    expect(rest).toEqual({ items: items.slice(2), cursor: null });
  });

  it("dead letters", async () => {
    const one = await told();
    await one.rpc.recordDeadLetter({
      messageId: "m-1",
      dispatch: 1 as never,
      error: "broken",
      stack: "at x",
      attempts: 6,
    });
    expect(await done("GET", `${one.path}/dead-letters`)).toEqual({
      items: [
        {
          number: 1,
          at: TIME,
          messageId: "m-1",
          dispatch: 1,
          error: "broken",
          stack: "at x",
          attempts: 6,
          recipients: 2,
          replayedAt: null,
        },
      ],
      cursor: null,
    });
  });

  it("replay and resolve", async () => {
    const one = await told();
    expect(await done("POST", `${one.path}/replay`, { body: { recipients: "failed" } })).toEqual({
      replayed: 1,
      reopened: 0,
      left: [],
      status: { ...STATUS, state: "sending", finishedAt: null, expectedFinishAt: expect.anything() },
    });
    await drive(one);
    const ids = ["p1", "p3"];
    expect(await done("POST", `${one.path}/replay`, { body: { ids } })).toMatchObject({
      replayed: 0,
      left: [
        { id: "p1", status: "sent" },
        { id: "p3", status: "suppressed" },
      ],
    });
  });

  it("preview renders for one recipient and stores nothing", async () => {
    const one = await campaign({
      recipients: [{ id: "p1", email: "p1@mail.example.org", data: { name: "Ada" } }],
      more: { subject: "For {{ name }}", text: "Hi {{ name | default: 'you' }}" },
    });
    const before = await one.rows();
    const preview = await done("POST", `${one.path}/preview`, { body: { recipientId: "p1" } });
    expect(preview).toMatchObject({
      recipient: { id: "p1", email: "p1@mail.example.org" },
      from: "Shop <shop@mail.example.org>",
      subject: "For Ada",
    });
    expect(JSON.stringify(preview)).toContain("Hi Ada");
    const missing = { body: { recipient: { email: "x@mail.example.org" } } };
    expect(await api("POST", `${one.path}/preview`, missing)).toMatchObject({
      status: 400,
      body: { code: "templateFault", errors: [{ path: "subject" }] },
    });
    expect(await one.rows()).toBe(before);
  });
});

describe("suppressions and the rest", () => {
  it("G6: puts, lists and lifts suppressions, and tells every campaign", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 3, settings: { batchSize: 1 } });
    const other = await campaign({ recipients: 3 });
    await one.start();
    const body = { addresses: ["P2@mail.example.org", "p2@mail.example.org"], reason: "complaint" };
    expect(await done("PUT", "/api/suppressions", { body })).toEqual({ addresses: 1, added: 1, already: 0 });
    expect(await done("PUT", "/api/suppressions", { body })).toEqual({ addresses: 1, added: 0, already: 1 });
    expect(await done("GET", "/api/suppressions")).toEqual({
      items: [{ address: "p2@mail.example.org", reason: "complaint", at: TIME }],
      cursor: null,
    });
    await other.start();
    expect(await drive(one)).toMatchObject({ stats: { sent: 2, suppressed: 1 } });
    expect(await drive(other)).toMatchObject({ stats: { sent: 2, suppressed: 1 } });
    for (const each of [one, other]) {
      await each.check();
      await each.expectMailedOnce(["p1@mail.example.org", "p3@mail.example.org"]);
    }
    expect(await api("DELETE", "/api/suppressions/p2%40mail.example.org")).toMatchObject({ status: 204 });
    expect(await done("GET", "/api/suppressions")).toEqual({ items: [], cursor: null });
    const later = await campaign({ recipients: 3 });
    expect(await later.start()).toMatchObject({ stats: { remaining: 3, suppressed: 0 } });
  });

  it("a viewer may read everything", async () => {
    const one = await told();
    for (const path of [
      one.path,
      "/api/campaigns",
      "/api/suppressions",
      ...["recipients", "recipients/p1", "recipients.csv", "delivery-status", "dead-letters", "events"].map(
        (name) => `${one.path}/${name}`,
      ),
    ]) {
      const answer = await api("GET", path, { token: env.VIEWER_TOKEN ?? "" });
      expect(answer.status, path).toBe(200);
    }
  });

  it("healthz needs no token; without an operator token the API says so", async () => {
    expect(await api("GET", "/healthz", { token: null })).toMatchObject({ status: 200, body: { ok: true } });
    const bare = { ...env, OPERATOR_TOKEN: "" } as unknown as Env;
    const request = new Request("http://sendonce.test/api/campaigns", {
      headers: { authorization: "Bearer anything" },
    });
    const response = await handleRequest(request, httpDeps(bare));
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).not.toBeNull();
    expect(await response.json()).toMatchObject({ code: "notConfigured" });
  });

  it("the numbers of the directory are those of the account's object", async () => {
    const one = await campaign({ recipients: 10 });
    await one.start();
    await finished(one);
    const names = await runInDurableObject(account(), (_, { storage }) =>
      storage.sql.exec("SELECT id, name FROM campaigns").toArray(),
    );
    expect(names).toEqual([{ id: one.id, name: `Campaign ${one.id}` }]);
  });
});
