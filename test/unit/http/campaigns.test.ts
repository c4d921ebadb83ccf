import { describe, expect, it } from "vitest";
import { accept, refuse } from "../../../src/domain/result.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings.ts";
import type { Draft } from "../../../src/campaign/rpc.ts";
import { api, DRAFT, faultyPaths, MANAGED, problemOf, SPRING, STATUS, VIEW } from "./api.ts";

const { id: _id, ...WITHOUT_ID } = MANAGED;

/** A campaign that is not there before it is created. */
function fresh(created = true) {
  return api({
    campaign: {
      describe: async () => null,
      create: async (draft) => accept({ created, view: { ...VIEW, draft } }),
    },
  });
}

describe("POST /api/campaigns", () => {
  it("registers first, then creates, and answers 201 with the place", async () => {
    const { ask, calls } = fresh();
    const response = await ask("POST", "/api/campaigns", { body: MANAGED });
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe("/api/campaigns/spring");
    expect(calls).toEqual([
      { method: "describe", args: [] },
      { method: "register", args: ["spring", "Spring", null] },
      { method: "create", args: [DRAFT] },
    ]);
  });

  it("answers the campaign in the shape of the contract", async () => {
    const response = await api().ask("GET", "/api/campaigns/spring");
    expect(await response.json()).toEqual({
      id: "spring",
      name: "Spring",
      delivery: "managed",
      from: "Ada <ada@sender.test>",
      replyTo: null,
      subject: "Hello",
      html: null,
      text: "Hi {{ firstName }}",
      headers: {},
      tags: {},
      unsubscribe: true,
      settings: {
        batchSize: 100,
        leaseSeconds: 120,
        maxAttempts: 10,
        idempotencyWindowSeconds: 72000,
        requestsPerSecond: null,
        pauseAtFailureRate: 0.05,
        pauseAtDeadLetters: 100,
      },
      createdAt: "2026-11-29T11:58:00.000Z",
      scheduledAt: null,
      enrolmentClosed: false,
      state: "sending",
      status: {
        campaignId: "spring",
        state: "sending",
        pause: null,
        stats: STATUS.stats,
        feedback: STATUS.feedback,
        duplicatesPrevented: 2,
        deadLetters: 0,
        ratePerSecond: 1.5,
        startedAt: "2026-11-29T11:59:00.000Z",
        finishedAt: null,
        expectedFinishAt: "2026-11-29T12:01:00.000Z",
        version: 7,
      },
    });
  });

  it("the same campaign again is 200, and its entry is there if it was missing", async () => {
    const { ask, calls } = api({
      campaign: { create: async () => accept({ created: false, view: VIEW }) },
    });
    const response = await ask("POST", "/api/campaigns", { body: MANAGED });
    expect(response.status).toBe(200);
    expect(calls.map((call) => call.method)).toEqual(["describe", "create", "register"]);
    expect(calls.at(-1)?.args).toEqual([
      SPRING,
      VIEW.draft.name,
      VIEW.draft.settings.requestsPerSecond,
    ]);
  });

  it("another campaign under the id is 409 and leaves the directory alone", async () => {
    const { ask, calls } = api({ campaign: { create: async () => refuse({ code: "exists" }) } });
    const response = await ask("POST", "/api/campaigns", { body: { ...MANAGED, name: "Other" } });
    expect(response.status).toBe(409);
    expect((await problemOf(response)).code).toBe("campaignExists");
    expect(calls.map((call) => call.method)).not.toContain("register");
  });

  it("whoever loses a race for an id puts the winner's entry back", async () => {
    let asked = 0;
    const { ask, calls } = api({
      campaign: {
        describe: async () => {
          asked += 1;
          return asked === 1 ? null : VIEW;
        },
        create: async () => refuse({ code: "exists" }),
      },
    });
    await ask("POST", "/api/campaigns", { body: { ...MANAGED, name: "Other" } });
    const registered = calls.filter((call) => call.method === "register");
    expect(registered.map((call) => call.args[1])).toEqual(["Other", "Spring"]);
  });

  it("draws an id where none is given, and is 201 though a first answer was lost", async () => {
    const { ask, calls } = fresh(false);
    const response = await ask("POST", "/api/campaigns", { body: WITHOUT_ID });
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe("/api/campaigns/drawn-id");
    expect(calls[0]).toEqual({ method: "register", args: ["drawn-id", "Spring", null] });
  });

  it("gives the same draft for the same campaign, however its JSON is arranged", async () => {
    const { ask, calls } = fresh();
    const headers = { "X-B": "2", "X-A": "1" };
    const settings = { leaseSeconds: 60, batchSize: 10 };
    await ask("POST", "/api/campaigns", { body: { ...MANAGED, headers, settings } });
    const turned = {
      settings: { batchSize: 10, leaseSeconds: 60 },
      headers: { "X-A": "1", "X-B": "2" },
      replyTo: null,
      unsubscribe: true,
      ...MANAGED,
    };
    await ask("POST", "/api/campaigns", { body: turned });
    const [first, second] = calls.filter((call) => call.method === "create");
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });

  it("takes the window of the deployment where settings name none", async () => {
    const { ask, calls } = api({
      campaign: { describe: async () => null },
      deps: { defaultIdempotencyWindowSeconds: 0 },
    });
    await ask("POST", "/api/campaigns", { body: { ...MANAGED, settings: { batchSize: 7 } } });
    const draft = calls.find((call) => call.method === "create")?.args[0] as Draft;
    expect(draft.settings).toEqual({
      ...DEFAULT_SETTINGS,
      batchSize: 7,
      idempotencyWindowSeconds: 0,
    });
  });

  it("takes an external campaign without content", async () => {
    const { ask, calls } = fresh();
    expect(
      (await ask("POST", "/api/campaigns", { body: { name: "Spring", delivery: "external" } }))
        .status,
    ).toBe(201);
    const draft = calls.find((call) => call.method === "create")?.args[0] as Draft;
    expect(draft).toMatchObject({ delivery: "external", content: null });
  });
});

function patch(body: object, given: Parameters<typeof api>[0] = {}) {
  const { ask, calls } = api(given);
  return { answer: ask("PATCH", "/api/campaigns/spring", { body }), calls };
}

describe("PATCH /api/campaigns/:id", () => {
  it("changes what it names and keeps the rest", async () => {
    const { answer, calls } = patch({ subject: "New", html: "<p>", settings: { batchSize: 5 } });
    expect((await answer).status).toBe(200);
    expect(calls.find((call) => call.method === "edit")?.args[0]).toEqual({
      ...DRAFT,
      content: { ...DRAFT.content, subject: "New", html: "<p>" },
      settings: { ...DRAFT.settings, batchSize: 5 },
    });
    expect(calls.map((call) => call.method)).not.toContain("register");
  });

  it("tells the directory of a new name and a new rate", async () => {
    const { answer, calls } = patch({ name: "Summer", settings: { requestsPerSecond: 2 } });
    await answer;
    expect(calls.at(-1)).toEqual({ method: "register", args: [SPRING, "Summer", 2] });
  });

  it.each([
    ["id", { id: "other" }],
    ["delivery", { delivery: "external" }],
    ["html", { text: null }],
    ["colour", { colour: "red" }],
    ["settings.batchSize", { settings: { batchSize: 0 } }],
  ])("refuses a change of %s", async (path, body) => {
    const { answer, calls } = patch(body);
    expect(await faultyPaths(await answer)).toEqual([path]);
    expect(calls.map((call) => call.method)).not.toContain("edit");
  });

  it("refuses content for an external campaign", async () => {
    const draft: Draft = { ...DRAFT, delivery: "external", content: null };
    const { answer } = patch(
      { subject: "New" },
      { campaign: { describe: async () => ({ ...VIEW, draft }) } },
    );
    expect(await faultyPaths(await answer)).toEqual(["subject"]);
  });

  it("is 409 once it has started and 404 where it is not there", async () => {
    const started = patch(
      { name: "x" },
      {
        campaign: {
          edit: async () => refuse({ code: "wrongState", state: "sending", command: "edit" }),
        },
      },
    );
    expect((await started.answer).status).toBe(409);
    const missing = patch({ name: "x" }, { campaign: { describe: async () => null } });
    expect((await missing.answer).status).toBe(404);
  });
});

describe("DELETE /api/campaigns/:id", () => {
  it("erases, then leaves the directory, and answers 204", async () => {
    let there = true;
    const { ask, calls } = api({
      campaign: {
        describe: async () => (there ? VIEW : null),
        erase: async () => {
          there = false;
          return accept({ erased: true });
        },
      },
    });
    const response = await ask("DELETE", "/api/campaigns/spring");
    expect(response.status).toBe(204);
    const methods = calls.map((call) => call.method);
    expect(methods).toEqual(["describe", "erase", "unregister", "describe"]);
    expect((await ask("DELETE", "/api/campaigns/spring")).status).toBe(404);
  });

  it("G6: a campaign that was created anew meanwhile is registered again", async () => {
    const { ask, calls } = api({ campaign: { erase: async () => accept({ erased: true }) } });
    await ask("DELETE", "/api/campaigns/spring");
    expect(calls.at(-1)).toEqual({ method: "register", args: [SPRING, "Spring", null] });
  });

  it.each([
    ["wrongState", { code: "wrongState", state: "sending", command: "erase" }],
    ["stillReserved", { code: "inFlight", reserved: 100 }],
  ] as const)("is 409 %s and stays registered", async (code, refusal) => {
    const { ask, calls } = api({ campaign: { erase: async () => refuse(refusal) } });
    const response = await ask("DELETE", "/api/campaigns/spring");
    expect(response.status).toBe(409);
    expect((await problemOf(response)).code).toBe(code);
    expect(calls.map((call) => call.method)).not.toContain("unregister");
  });
});

describe("GET /api/campaigns", () => {
  const entries = [
    { id: SPRING, name: "Spring", createdAt: 0 },
    { id: "gone" as typeof SPRING, name: "Gone", createdAt: 0 },
  ];
  const account = { campaigns: async () => ({ items: entries, cursor: "more" }) };

  it("lists names without waking a campaign", async () => {
    const { ask, stubs } = api({ account });
    const response = await ask("GET", "/api/campaigns?limit=2");
    expect(await response.json()).toEqual({
      items: [
        { id: "spring", name: "Spring", createdAt: "1970-01-01T00:00:00.000Z" },
        { id: "gone", name: "Gone", createdAt: "1970-01-01T00:00:00.000Z" },
      ],
      cursor: "more",
    });
    expect(stubs).toEqual([]);
  });

  it("with include=status asks each, and leaves out those that are not there", async () => {
    let asked = 0;
    const deliveryStatus = async () => {
      asked += 1;
      return asked === 1 ? STATUS : null;
    };
    const { ask } = api({ account, campaign: { deliveryStatus } });
    const response = await ask("GET", "/api/campaigns?include=status");
    const { items } = await response.json<{ items: { id: string; status: object }[] }>();
    expect(items).toMatchObject([{ id: "spring", status: { state: "sending" } }]);
  });
});
