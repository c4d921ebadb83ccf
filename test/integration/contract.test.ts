/** Every endpoint of DESIGN §4 that exists, with exactly the shape that is written there. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { httpDeps } from "../../src/deployment.ts";
import { handleRequest } from "../../src/http/router.ts";
import { api, done } from "./harness/api.ts";
import { account, campaign, finished, people, TestCampaign } from "./harness/campaign.ts";
import { drive } from "./harness/drive.ts";
import { DRAFT_STATUS, SETTINGS, TEXT, TIME, NUMBER, told } from "./harness/shapes.ts";
import { stage } from "./harness/stage.ts";

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
    expect(await api("POST", "/api/campaigns", { body })).toMatchObject({
      status: 200,
      body: view,
    });
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
    expect(await api("DELETE", "/api/campaigns/contract-1")).toMatchObject({
      status: 204,
      body: "",
    });
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
    for (let path = "/api/campaigns?limit=3"; path !== "";) {
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
      ...["start", "pause", "resume", "cancel", "finish"].map(
        (name) => ["POST", `/${name}`] as const,
      ),
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
      tables: storage.sql
        .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
        .toArray(),
      alarm: await storage.getAlarm(),
    }));
    expect(left).toEqual({ tables: [], alarm: null });
    expect(await done("GET", "/api/campaigns")).toEqual({ items: [], cursor: null });
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
    expect(await done("PUT", "/api/suppressions", { body })).toEqual({
      addresses: 1,
      added: 1,
      already: 0,
    });
    expect(await done("PUT", "/api/suppressions", { body })).toEqual({
      addresses: 1,
      added: 0,
      already: 1,
    });
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
    expect(await api("DELETE", "/api/suppressions/p2%40mail.example.org")).toMatchObject({
      status: 204,
    });
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
      ...[
        "recipients",
        "recipients/p1",
        "recipients.csv",
        "delivery-status",
        "dead-letters",
        "events",
      ].map((name) => `${one.path}/${name}`),
    ]) {
      const answer = await api("GET", path, { token: env.VIEWER_TOKEN ?? "" });
      expect(answer.status, path).toBe(200);
    }
  });

  it("healthz needs no token; without an operator token the API says so", async () => {
    expect(await api("GET", "/healthz", { token: null })).toMatchObject({
      status: 200,
      body: { status: "ok" },
    });
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
