import { describe, expect, it } from "vitest";
import { CAMPAIGN_STATES } from "../../../src/domain/campaign.ts";
import { accept, refuse } from "../../../src/domain/result.ts";
import { refused, type RpcRefusal } from "../../../src/http/refusal.ts";
import { PROBLEMS } from "../../../src/http/problem.ts";
import type { RecipientId, Token } from "../../../src/domain/ids.ts";
import type { DeadLetterView, EventView } from "../../../src/campaign/rpc.ts";
import type { DispatchNumber } from "../../../src/domain/ids.ts";
import { api, DRAFT, faultyPaths, NOW, problemOf, STATUS, VIEW } from "./api.ts";

const SPRING = "/api/campaigns/spring";

const start = async () => accept(STATUS);
const none = async () => null;

describe("start", () => {
  it.each([
    ["no body", null, {}],
    ["an empty body with a type", "", { "content-type": "application/json" }],
    ["an empty body with another type", "", { "content-type": "text/plain" }],
    ["an empty object", "{}", { "content-type": "application/json" }],
  ])("begins at once with %s", async (_, body, headers) => {
    const { ask, calls } = api({ campaign: { start } });
    const response = await ask("POST", `${SPRING}/start`, { body, headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ campaignId: "spring", state: "sending" });
    expect(calls.slice(1)).toEqual([
      { method: "start", args: [{ at: null, publicUrl: "https://mail.test" }] },
    ]);
  });

  it("schedules for a time with an offset", async () => {
    const { ask, calls } = api({ campaign: { start } });
    await ask("POST", `${SPRING}/start`, { body: { at: "2026-12-01T09:00:00+01:00" } });
    expect(calls[1]?.args[0]).toMatchObject({ at: Date.UTC(2026, 11, 1, 8) });
  });

  it("C80: a time without an offset is 400 and says what to add", async () => {
    const { ask, calls } = api();
    const response = await ask("POST", `${SPRING}/start`, { body: { at: "2026-12-01T10:00:00" } });
    expect(response.status).toBe(400);
    const { errors, detail } = await problemOf(response);
    expect(errors?.[0]?.path).toBe("at");
    expect(detail).toContain("add one, as in 2026-12-01T10:00:00Z");
    expect(calls).toEqual([]);
  });

  it.each([
    ["at", { at: "2026-11-29T11:58:59Z" }],
    ["at", { at: "2028-01-01T00:00:00Z" }],
    ["at", { at: 1_796_112_000 }],
    ["at", { at: null }],
    ["when", { when: "now" }],
  ])("names %s in %j", async (path, body) => {
    const response = await api().ask("POST", `${SPRING}/start`, { body });
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual([path]);
  });

  it.each(["null", "[]", '""', "0"])(
    "begins nothing by a body of %s, which is no object",
    async (body) => {
      const headers = { "content-type": "application/json" };
      const { ask, calls } = api({ campaign: { start } });
      expect(await faultyPaths(await ask("POST", `${SPRING}/start`, { body, headers }))).toEqual([
        "",
      ]);
      expect(calls).toEqual([]);
    },
  );

  it("begins nothing whose unsubscribe links would lead nowhere", async () => {
    const content = DRAFT.content === null ? null : { ...DRAFT.content, unsubscribe: true };
    const status = { ...STATUS, state: "draft", startedAt: null } as const;
    const view = async () => ({ ...VIEW, status, draft: { ...DRAFT, content } });
    const page = async () => ({ items: [], cursor: null });
    const deps = { publicUrl: "mail.test" };
    const { ask, calls } = api({ campaign: { start, describe: view, recipients: page }, deps });
    expect(await problemOf(await ask("POST", `${SPRING}/start`))).toMatchObject({
      code: "preflightFailed",
      errors: [{ code: "brokenUnsubscribeLink" }],
    });
    expect(calls.map(({ method }) => method)).not.toContain("start");
  });

  it("takes a time that has just passed on the way", async () => {
    const { ask } = api({ campaign: { start } });
    const body = { at: "2026-11-29T11:59:30Z" };
    expect((await ask("POST", `${SPRING}/start`, { body })).status).toBe(200);
  });

  it("C07: a second start is 409", async () => {
    const { ask } = api({
      campaign: {
        start: async () => refuse({ code: "wrongState", state: "sending", command: "begin" }),
      },
    });
    const response = await ask("POST", `${SPRING}/start`);
    expect(response.status).toBe(409);
    const { detail } = await problemOf(response);
    expect(detail).toBe("The campaign is in state sending and can't be started now.");
  });
});

describe.each(["pause", "resume", "cancel", "finish"] as const)("%s", (verb) => {
  it("takes no body or an empty object, and answers the delivery status", async () => {
    const { ask, calls } = api({ campaign: { [verb]: async () => accept(STATUS) } });
    for (const body of [null, {}]) {
      const response = await ask("POST", `${SPRING}/${verb}`, { body });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ campaignId: "spring", version: 7 });
    }
    expect(calls.map((call) => call.method)).toEqual([verb, verb]);
  });

  it("refuses a field by name", async () => {
    const { ask, calls } = api();
    const response = await ask("POST", `${SPRING}/${verb}`, { body: { force: true } });
    expect(await faultyPaths(response)).toEqual(["force"]);
    expect(calls).toEqual([]);
  });

  it("is 404 for a campaign that is not there", async () => {
    const { ask } = api({ campaign: { [verb]: async () => refuse({ code: "notFound" }) } });
    const response = await ask("POST", `${SPRING}/${verb}`);
    expect(response.status).toBe(404);
    expect((await problemOf(response)).code).toBe("campaignNotFound");
  });
});

it("a pause by the API is the operator's", async () => {
  const { ask, calls } = api({ campaign: { pause: async () => accept(STATUS) } });
  await ask("POST", `${SPRING}/pause`);
  expect(calls[0]?.args[0]).toBe("operator");
});

it("the delivery status tells a pause with its time", async () => {
  const pause = { reason: "providerQuota", detail: "daily quota", since: NOW } as const;
  const { ask } = api({
    campaign: { deliveryStatus: async () => ({ ...STATUS, state: "paused", pause }) },
  });
  const response = await ask("GET", `${SPRING}/delivery-status`);
  expect(await response.json()).toMatchObject({
    pause: { reason: "providerQuota", detail: "daily quota", since: "2026-11-29T12:00:00.000Z" },
  });
});

describe("replay and resolve", () => {
  const report = { replayed: 3, reopened: 1, left: [], status: STATUS };

  it.each([
    [{ recipients: "failed" }, { recipients: "failed" }],
    [{ recipients: "deadLettered" }, { recipients: "deadLettered" }],
    [
      { recipients: "inDoubt", acceptDuplicateRisk: true },
      { recipients: "inDoubt", acceptDuplicateRisk: true },
    ],
    [{ ids: ["a", "b", "a"] }, { ids: ["a", "b"], acceptDuplicateRisk: false }],
    [
      { ids: ["a"], acceptDuplicateRisk: true },
      { ids: ["a"], acceptDuplicateRisk: true },
    ],
  ])("replays %j", async (body, request) => {
    const { ask, calls } = api({ campaign: { replay: async () => accept(report) } });
    const response = await ask("POST", `${SPRING}/replay`, { body });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ replayed: 3, reopened: 1, left: [] });
    expect(calls).toEqual([{ method: "replay", args: [request] }]);
  });

  it.each([
    ["replay", "recipients", {}],
    ["replay", "recipients", { recipients: "all" }],
    ["replay", "recipients", { recipients: "failed", ids: ["a"] }],
    ["replay", "acceptDuplicateRisk", { recipients: "inDoubt" }],
    ["replay", "acceptDuplicateRisk", { recipients: "inDoubt", acceptDuplicateRisk: false }],
    ["replay", "acceptDuplicateRisk", { recipients: "failed", acceptDuplicateRisk: true }],
    ["replay", "acceptDuplicateRisk", { ids: ["a"], acceptDuplicateRisk: "yes" }],
    ["replay", "ids", { ids: [] }],
    ["replay", "ids", { ids: Array.from({ length: 1001 }, (_, index) => `u_${index}`) }],
    ["replay", "ids.1", { ids: ["a", ""] }],
    ["replay", "ids.0", { ids: ["x".repeat(257)] }],
    ["replay", "ids.0", { ids: ["a\u0000b"] }],
    ["replay", "quickly", { recipients: "failed", quickly: true }],
    ["resolve", "as", { ids: ["a"] }],
    ["resolve", "as", { ids: ["a"], as: "lost" }],
    ["resolve", "ids", { as: "sent" }],
    ["resolve", "ids.0", { ids: [7], as: "sent" }],
  ])("%s names %s in %.70j", async (verb, path, body) => {
    const { ask, calls } = api();
    const response = await ask("POST", `${SPRING}/${verb}`, { body });
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual([path]);
    expect(calls).toEqual([]);
  });

  it("resolves by hand", async () => {
    const { ask, calls } = api({ campaign: { resolve: async () => accept(STATUS) } });
    const response = await ask("POST", `${SPRING}/resolve`, { body: { ids: ["a"], as: "sent" } });
    expect(response.status).toBe(200);
    expect(calls).toEqual([{ method: "resolve", args: [{ ids: ["a"], as: "sent" }] }]);
  });
});

describe("refusals of the objects", () => {
  const id = "u_1" as RecipientId;

  it.each<[RpcRefusal, keyof typeof PROBLEMS, number, object]>([
    [{ code: "notFound" }, "campaignNotFound", 404, {}],
    [{ code: "exists" }, "campaignExists", 409, {}],
    [{ code: "inFlight", reserved: 7 }, "stillReserved", 409, { reserved: 7 }],
    [{ code: "wrongDelivery", delivery: "managed" }, "wrongDelivery", 409, { delivery: "managed" }],
    [{ code: "unknownReservation" }, "reservationNotFound", 404, {}],
    [{ code: "notInBatch", ids: ["x"] }, "notInBatch", 400, { ids: ["x"] }],
    [{ code: "unknownRecipients", ids: [id] }, "recipientNotFound", 404, { ids: ["u_1"] }],
    [{ code: "duplicateRisk", inDoubt: 4 }, "duplicateRisk", 409, { inDoubt: 4 }],
    [
      { code: "notInDoubt", recipients: [{ id, status: "sent" }] },
      "notInDoubt",
      409,
      { recipients: [{ id: "u_1", status: "sent" }] },
    ],
  ])("%j", (refusal, code, status, evidence) => {
    const problem = refused(refusal);
    expect(problem.code).toBe(code);
    expect(PROBLEMS[code].status).toBe(status);
    expect(problem.extra.evidence ?? {}).toEqual(evidence);
  });

  it("a stale token is 409 and doesn't tell the current one", () => {
    const problem = refused({ code: "staleToken", current: 5 as Token });
    expect(PROBLEMS[problem.code].status).toBe(409);
    expect(JSON.stringify([problem.message, problem.extra])).not.toContain("5");
  });

  it.each(CAMPAIGN_STATES)("wrongState names %s", (state) => {
    const problem = refused({ code: "wrongState", state, command: "edit" });
    expect(problem.extra.evidence).toEqual({ state, command: "edit" });
    expect(problem.message).toContain(`in state ${state} and can't be changed`);
  });
});

describe("history", () => {
  const letter: DeadLetterView = {
    number: 4,
    at: NOW,
    messageId: "m1",
    dispatch: 9 as DispatchNumber,
    error: "boom",
    stack: null,
    attempts: 6,
    recipients: 100,
    replayedAt: null,
  };
  const event: EventView = { number: 1, at: NOW, type: "paused", detail: { reason: "operator" } };

  it("lists dead letters", async () => {
    const { ask, calls } = api({
      campaign: { deadLetters: async () => ({ items: [letter], cursor: null }) },
    });
    const response = await ask("GET", `${SPRING}/dead-letters?limit=5&cursor=c`);
    expect(calls).toEqual([{ method: "deadLetters", args: ["c", 5] }]);
    expect(await response.json()).toEqual({
      items: [{ ...letter, campaignId: "spring", at: "2026-11-29T12:00:00.000Z" }],
      cursor: null,
    });
  });

  it("lists events", async () => {
    const { ask } = api({ campaign: { events: async () => ({ items: [event], cursor: "c" }) } });
    expect(await (await ask("GET", `${SPRING}/events`)).json()).toEqual({
      items: [{ ...event, at: "2026-11-29T12:00:00.000Z" }],
      cursor: "c",
    });
  });

  it.each(["events", "dead-letters", "recipients", "recipients.csv", "delivery-status"])(
    "%s of a campaign that is not there is 404",
    async (list) => {
      const { ask } = api({
        campaign: { events: none, deadLetters: none, recipients: none, deliveryStatus: none },
      });
      const response = await ask("GET", `${SPRING}/${list}`);
      expect(response.status).toBe(404);
      expect((await problemOf(response)).code).toBe("campaignNotFound");
    },
  );
});
