import { describe, expect, it } from "vitest";
import type { ReportRequest, ReserveAnswer, ReserveRequest } from "../../../src/campaign/rpc.ts";
import type { BatchNumber, RecipientId, Seq, Token } from "../../../src/domain/ids.ts";
import { accept, refuse } from "../../../src/domain/result.ts";
import { api, faultyPaths, NOW, problemOf, STATUS } from "./api.ts";

const RESERVATIONS = "/api/campaigns/spring/reservations";
const REPORT = `${RESERVATIONS}/m-1/report`;

const GRANT: ReserveAnswer = {
  granted: true,
  reservationId: "m-1",
  batch: 3 as BatchNumber,
  token: 1 as Token,
  expiresAt: NOW + 120_000,
  leaseMilliseconds: 120_000,
  idempotencyKey: "spring:3",
  contentId: null,
  members: [
    { seq: 1 as Seq, id: "u_1" as RecipientId, email: "Ada@example.org", data: { firstName: "A" } },
  ],
  skipped: [{ id: "u_2" as RecipientId, reason: "sent" }],
};
const REFUSED: ReserveAnswer = {
  granted: false,
  reason: "paused",
  skipped: [],
  retryAfterSeconds: 30,
};

function deepObject(levels: number): object {
  return levels === 0 ? {} : { inner: deepObject(levels - 1) };
}

describe("POST …/reservations", () => {
  it("enrols and reserves whom the consumer brings, in the shape of the contract", async () => {
    const { ask, calls } = api({ campaign: { reserve: async () => accept(GRANT) } });
    const response = await ask("POST", RESERVATIONS, {
      body: {
        reservationId: "m-1",
        recipients: [{ id: "u_1", email: " Ada@Example.org ", data: { firstName: "A" } }],
      },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      granted: true,
      reservationId: "m-1",
      token: 1,
      expiresAt: "2026-11-29T12:02:00.000Z",
      idempotencyKey: "spring:3",
      recipients: [{ id: "u_1", email: "Ada@example.org", data: { firstName: "A" } }],
      skipped: [{ id: "u_2", reason: "sent" }],
    });
    const request: ReserveRequest = {
      by: "recipients",
      reservationId: "m-1",
      recipients: [
        {
          line: 1,
          id: "u_1" as RecipientId,
          address: "ada@example.org" as never,
          email: "Ada@Example.org",
          data: { firstName: "A" },
        },
      ],
      claim: null,
    };
    expect(calls).toEqual([{ method: "reserve", args: [request] }]);
  });

  it("takes whoever is next, and the Idempotency-Key as the claim", async () => {
    const { ask, calls } = api({ campaign: { reserve: async () => accept(REFUSED) } });
    const response = await ask("POST", RESERVATIONS, {
      body: { reservationId: "m-1", limit: 100 },
      headers: { "idempotency-key": "try 1" },
    });
    expect(await response.json()).toEqual({
      granted: false,
      reason: "paused",
      skipped: [],
      retryAfterSeconds: 30,
    });
    expect(calls).toEqual([
      {
        method: "reserve",
        args: [{ by: "limit", reservationId: "m-1", limit: 100, claim: "try 1" }],
      },
    ]);
  });

  it("with a claim it is asked again where the answer was lost", async () => {
    let failures = 1;
    const { ask, calls } = api({
      campaign: {
        reserve: async () => {
          failures -= 1;
          if (failures >= 0) throw Object.assign(new Error("reset"), { durableObjectReset: true });
          return accept(GRANT);
        },
      },
    });
    const response = await ask("POST", RESERVATIONS, {
      body: { reservationId: "m-1", limit: 1 },
      headers: { "idempotency-key": "try-1" },
    });
    expect(response.status).toBe(200);
    expect(calls).toHaveLength(2);
  });

  const ada = { id: "u_1", email: "ada@example.org" };
  const crowd = Array.from({ length: 101 }, (_, index) => ({ email: `u${index}@example.org` }));

  it.each([
    ["reservationId", { limit: 1 }],
    ["reservationId", { reservationId: "", limit: 1 }],
    ["reservationId", { reservationId: "m".repeat(257), limit: 1 }],
    ["reservationId", { reservationId: 7, limit: 1 }],
    ["recipients", { reservationId: "m" }],
    ["recipients", { reservationId: "m", recipients: [] }],
    ["recipients", { reservationId: "m", recipients: crowd }],
    ["recipients", { reservationId: "m", recipients: "u_1" }],
    ["limit", { reservationId: "m", limit: 0 }],
    ["limit", { reservationId: "m", limit: 101 }],
    ["limit", { reservationId: "m", limit: 1.5 }],
    ["limit", { reservationId: "m", limit: 5, recipients: [ada] }],
    ["recipients.1.email", { reservationId: "m", recipients: [ada, { id: "x", email: "bob@@x" }] }],
    ["recipients.0.email", { reservationId: "m", recipients: [{ id: "x" }] }],
    ["recipients.0.id", { reservationId: "m", recipients: [{ ...ada, id: "" }] }],
    ["recipients.0.id", { reservationId: "m", recipients: [{ ...ada, id: "x".repeat(257) }] }],
    ["recipients.1.id", { reservationId: "m", recipients: [ada, ada] }],
    ["recipients.0.data", { reservationId: "m", recipients: [{ ...ada, data: [1] }] }],
    ["recipients.0.data", { reservationId: "m", recipients: [{ ...ada, data: deepObject(9) }] }],
    [
      "recipients.0.data",
      { reservationId: "m", recipients: [{ ...ada, data: { big: "x".repeat(16_384) } }] },
    ],
    ["recipients.0.name", { reservationId: "m", recipients: [{ ...ada, name: "Ada" }] }],
    ["batchSize", { reservationId: "m", limit: 1, batchSize: 5 }],
  ])("names %s in %.60j and changes nothing", async (path, body) => {
    const { ask, calls } = api();
    const response = await ask("POST", RESERVATIONS, { body });
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual([path]);
    expect(calls).toEqual([]);
  });

  it("data nested without end is refused, not a fault of ours", async () => {
    const levels = 100_000;
    const data = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const body = `{"reservationId":"m","recipients":[{"email":"a@x.test","data":${data}}]}`;
    const headers = { "content-type": "application/json" };
    const response = await api().ask("POST", RESERVATIONS, { body, headers });
    expect(response.status).toBe(400);
  });

  it.each(["", "x".repeat(257), "ä"])("an Idempotency-Key of %.9j is refused", async (key) => {
    const response = await api().ask("POST", RESERVATIONS, {
      body: { reservationId: "m", limit: 1 },
      headers: { "idempotency-key": key },
    });
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual(["Idempotency-Key"]);
  });

  it("is 409 for a managed campaign", async () => {
    const { ask } = api({
      campaign: { reserve: async () => refuse({ code: "wrongDelivery", delivery: "managed" }) },
    });
    const response = await ask("POST", RESERVATIONS, { body: { reservationId: "m", limit: 1 } });
    expect(response.status).toBe(409);
    expect((await problemOf(response)).code).toBe("wrongDelivery");
  });
});

describe("POST …/report", () => {
  const sent = { id: "u_1", outcome: "sent", providerId: "ses-1" };
  const failed = { id: "u_2", outcome: "failed", reason: "no such mailbox" };

  it.each<[object, ReportRequest["outcome"]]>([
    [
      { results: [sent, failed] },
      {
        kind: "results",
        results: [
          { id: "u_1" as RecipientId, outcome: "sent", providerId: "ses-1" },
          { id: "u_2" as RecipientId, outcome: "failed", reason: "no such mailbox" },
        ],
      },
    ],
    [
      { outcome: "unknown", reason: "timeout" },
      { kind: "unknown", reason: "timeout", retryAfterSeconds: null, repeat: true },
    ],
    [
      {
        results: [
          { ...sent, providerId: "\0ses" },
          { ...failed, reason: "\0\ud800" },
        ],
      },
      {
        kind: "results",
        results: [
          { id: "u_1" as RecipientId, outcome: "sent", providerId: "\ufffdses" },
          { id: "u_2" as RecipientId, outcome: "failed", reason: "\ufffd\ufffd" },
        ],
      },
    ],
    [
      { outcome: "deferred", reason: "rate", retryAfterSeconds: 7 },
      { kind: "deferred", reason: "rate", retryAfterSeconds: 7, pause: null },
    ],
  ])("%j becomes an outcome, answered with the delivery status", async (body, outcome) => {
    const { ask, calls } = api({ campaign: { report: async () => accept(STATUS) } });
    const path = `${RESERVATIONS}/${encodeURIComponent("m/1#a")}/report`;
    const response = await ask("POST", path, { body: { token: 2, ...body } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ campaignId: "spring", stats: STATUS.stats });
    expect(calls).toEqual([
      { method: "report", args: [{ batch: { reservationId: "m/1#a" }, token: 2, outcome }] },
    ]);
  });

  it.each([
    ["token", { results: [sent] }],
    ["token", { token: 0, results: [sent] }],
    ["token", { token: "1", results: [sent] }],
    ["token", { token: 1.5, results: [sent] }],
    ["results", { token: 1 }],
    ["results", { token: 1, results: [] }],
    ["results.0.outcome", { token: 1, results: [{ id: "u_1", outcome: "lost" }] }],
    ["results.0.outcome", { token: 1, results: [{ id: "u_1" }] }],
    ["results.0.providerId", { token: 1, results: [{ id: "u_1", outcome: "sent" }] }],
    ["results.0.providerId", { token: 1, results: [{ ...sent, providerId: "" }] }],
    ["results.0.providerId", { token: 1, results: [{ ...sent, providerId: "x".repeat(257) }] }],
    ["results.0.reason", { token: 1, results: [{ id: "u_1", outcome: "failed" }] }],
    ["results.0.reason", { token: 1, results: [{ ...failed, reason: "x".repeat(501) }] }],
    ["results.0.reason", { token: 1, results: [{ ...sent, reason: "why" }] }],
    ["results.1.id", { token: 1, results: [sent, { ...failed, id: "u_1" }] }],
    ["outcome", { token: 1, outcome: "sent", reason: "r" }],
    ["outcome", { token: 1, outcome: "unknown", results: [sent] }],
    ["reason", { token: 1, outcome: "unknown" }],
    ["reason", { token: 1, reason: "r", results: [sent] }],
    ["retryAfterSeconds", { token: 1, outcome: "deferred", reason: "r", retryAfterSeconds: -1 }],
    ["retryAfterSeconds", { token: 1, outcome: "deferred", reason: "r", retryAfterSeconds: 86401 }],
    ["pause", { token: 1, outcome: "deferred", reason: "r", pause: "operator" }],
  ])("names %s in %.70j and changes nothing", async (path, body) => {
    const { ask, calls } = api();
    const response = await ask("POST", REPORT, { body });
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual([path]);
    expect(calls).toEqual([]);
  });

  it.each([
    [{ code: "staleToken", current: 2 as Token }, 409, "staleToken"],
    [{ code: "unknownReservation" }, 404, "reservationNotFound"],
    [{ code: "notFound" }, 404, "campaignNotFound"],
    [{ code: "notInBatch", ids: ["u_1"] }, 400, "notInBatch"],
  ] as const)("%j is %i %s", async (refusal, status, code) => {
    const { ask } = api({ campaign: { report: async () => refuse(refusal) } });
    const response = await ask("POST", REPORT, { body: { token: 1, results: [sent] } });
    expect(response.status).toBe(status);
    expect((await problemOf(response)).code).toBe(code);
  });
});
