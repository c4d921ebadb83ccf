/** What has become of a campaign and its recipients, in exactly the shapes of DESIGN §4. */
import { describe, expect, it } from "vitest";
import { api, done } from "./harness/api.ts";
import { campaign, people } from "./harness/campaign.ts";
import { deliver, drive } from "./harness/drive.ts";
import { STATUS, TEXT, TIME, told } from "./harness/shapes.ts";
import { stage } from "./harness/stage.ts";

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
        {
          ...row,
          id: "p2",
          email: "p2@mail.example.org",
          status: "failed",
          reason: TEXT,
          providerId: null,
        },
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
      const { items } = await done<{ items: unknown[] }>(
        "GET",
        `${one.path}/recipients?status=${status}`,
      );
      expect(items).toEqual(page.items.filter((each) => (each as typeof row).status === status));
    }
    for (const status of ["remaining", "pending", "reserved", "inDoubt", "cancelled"]) {
      expect(await done("GET", `${one.path}/recipients?status=${status}`)).toMatchObject({
        items: [],
      });
    }
    const first = await done<{ items: unknown[]; cursor: string }>(
      "GET",
      `${one.path}/recipients?limit=2`,
    );
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
    expect(first).toMatch(
      /^'=1\+1,p1@mail\.example\.org,pending,,,,[^,]+,"\{""name"":""Zoë \\""Z\\"", x""\}"$/,
    );
    expect(second).toMatch(/^p2,p2@mail\.example\.org,pending,,,,[^,]+,\{\}$/);
    expect(end).toBe("");
  });

  it("the CSV export of many pages", async () => {
    const one = await campaign({ recipients: 1_234 });
    const { body } = await api<string>("GET", `${one.path}/recipients.csv?status=remaining`);
    const ids = body
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(",")[0]);
    expect(ids).toEqual(people(1_234).map(({ id }) => id));
  });

  it("events, newest first, with what was done by whom and when", async () => {
    const one = await told();
    const { items } = await done<{ items: { number: number; type: string }[] }>(
      "GET",
      `${one.path}/events`,
    );
    expect(items.map(({ type }) => type).toReversed()).toEqual(["created", "started", "finished"]);
    expect(items[0]).toEqual({
      number: 3,
      at: TIME,
      type: "finished",
      detail: { total: 3, sent: 1, failed: 1, suppressed: 1, inDoubt: 0, cancelled: 0 },
    });
    const first = await done<{ items: unknown[]; cursor: string }>(
      "GET",
      `${one.path}/events?limit=2`,
    );
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
      stack: "    at x (y.js:1:2)",
      attempts: 6,
    });
    expect(await done("GET", `${one.path}/dead-letters`)).toEqual({
      items: [
        {
          number: 1,
          campaignId: one.id,
          at: TIME,
          messageId: "m-1",
          dispatch: 1,
          error: "broken",
          stack: "    at x (y.js:1:2)",
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
      status: {
        ...STATUS,
        state: "sending",
        finishedAt: null,
        expectedFinishAt: expect.anything(),
      },
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
