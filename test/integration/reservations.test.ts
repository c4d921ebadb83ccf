/** Reservations for consumers of other queues (DESIGN §6), over HTTP and as RPC. */
import { describe, expect, it } from "vitest";
import type { Address, RecipientId, Token } from "../../src/domain/ids.ts";
import { api, done } from "./harness/api.ts";
import { campaign, people, type Person, type TestCampaign } from "./harness/campaign.ts";
import { stage } from "./harness/stage.ts";

type Granted = {
  readonly granted: boolean;
  readonly token: number;
  readonly idempotencyKey: string;
  readonly recipients: readonly { readonly id: string }[];
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
};

const reserve = (one: TestCampaign, body: object): Promise<Granted> =>
  done("POST", `${one.path}/reservations`, { body });
const report = (one: TestCampaign, reservation: string, body: object) =>
  api("POST", `${one.path}/reservations/${encodeURIComponent(reservation)}/report`, { body });
const sent = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, outcome: "sent", providerId: `mail-${id}` }));
const ids = (grant: Granted): string[] => grant.recipients.map(({ id }) => id);

async function external(recipients: number | readonly Person[] = 0): Promise<TestCampaign> {
  stage.clock.stop();
  const one = await campaign({ recipients, delivery: "external" });
  await one.start();
  return one;
}

describe("over HTTP", () => {
  it("a consumer brings its recipients, mails them itself and reports each", async () => {
    const one = await external();
    const recipients = [
      { id: "u_1", email: "Ada@mail.example.org", data: { firstName: "Ada" } },
      { id: "u_2", email: "bob@mail.example.org" },
    ];
    const answer = await api("POST", `${one.path}/reservations`, {
      body: { reservationId: "sqs/42", recipients },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      granted: true,
      reservationId: "sqs/42",
      token: 1,
      expiresAt: new Date(stage.clock.now() + 120_000).toISOString(),
      idempotencyKey: `${one.id}:1`,
      recipients: [
        { id: "u_1", email: "Ada@mail.example.org", data: { firstName: "Ada" } },
        { id: "u_2", email: "bob@mail.example.org", data: {} },
      ],
      skipped: [],
    });
    const told = await report(one, "sqs/42", {
      token: 1,
      results: [...sent("u_1"), { id: "u_2", outcome: "failed", reason: "mailbox full" }],
    });
    expect(told).toMatchObject({ status: 200, body: { stats: { total: 2, sent: 1, failed: 1 } } });
    expect(await one.recipient("u_1")).toMatchObject({ status: "sent", providerId: "mail-u_1" });
    expect(await one.recipient("u_2")).toMatchObject({ status: "failed", reason: "mailbox full" });
    await one.check();
  });

  it("says of each one that was not granted why", async () => {
    await done("PUT", "/api/suppressions", { body: { addresses: ["gone@mail.example.org"] } });
    const one = await external(people(4));
    await reserve(one, { reservationId: "m-1", limit: 3 });
    await report(one, "m-1", {
      token: 1,
      results: [...sent("p1"), { id: "p2", outcome: "failed", reason: "no" }],
    });
    const grant = await reserve(one, {
      reservationId: "m-2",
      recipients: [
        ...people(4),
        { id: "other", email: "P4@mail.example.org" },
        { id: "gone", email: "gone@mail.example.org" },
        { id: "new", email: "new@mail.example.org" },
      ],
    });
    expect(ids(grant)).toEqual(["p4", "new"]);
    expect(grant.skipped).toEqual([
      { id: "p1", reason: "sent" },
      { id: "p2", reason: "failed" },
      { id: "p3", reason: "reserved" },
      { id: "other", reason: "duplicateAddress" },
      { id: "gone", reason: "suppressed" },
    ]);
    expect(await one.status()).toMatchObject({ duplicatesPrevented: 2, stats: { total: 6 } });
    await one.check();
  });

  it.each([
    ["draft", "notStarted"],
    ["paused", "paused"],
    ["finished", "finished"],
    ["cancelled", "cancelled"],
  ])("grants nothing in state %s", async (state, reason) => {
    stage.clock.stop();
    const one = await campaign({ recipients: 5, delivery: "external" });
    if (state !== "draft") await one.start();
    if (state === "paused") await one.pause();
    if (state === "cancelled") await one.cancel();
    if (state === "finished") {
      await reserve(one, { reservationId: "m-0", limit: 5 });
      await report(one, "m-0", { token: 1, results: sent("p1", "p2", "p3", "p4", "p5") });
      await done("POST", `${one.path}/finish`);
    }
    expect((await one.status()).state).toBe(state);
    const before = JSON.parse(await one.rows()) as Record<string, unknown>;
    for (const body of [
      { reservationId: "m-1", limit: 5 },
      { reservationId: "m-2", recipients: [{ id: "new", email: "new@mail.example.org" }] },
    ]) {
      expect(await reserve(one, body)).toMatchObject({ granted: false, reason });
    }
    const after = JSON.parse(await one.rows()) as Record<string, unknown>;
    expect(after["recipients"]).toEqual(before["recipients"]);
    expect(after["batches"]).toEqual(before["batches"]);
  });

  it("C05, G1: twenty consumers ask for whoever is next, and nobody is given out twice", async () => {
    const one = await external(people(100));
    const grants = await Promise.all(
      Array.from({ length: 20 }, (_, at) => reserve(one, { reservationId: `m-${at}`, limit: 5 })),
    );
    const given = grants.flatMap(ids);
    expect(new Set(given).size).toBe(100);
    expect(given).toHaveLength(100);
    expect(await reserve(one, { reservationId: "m-20", limit: 5 })).toMatchObject({
      granted: false,
      reason: "nothingDue",
    });
  });

  it("C05, G1: twenty consumers bring the same hundred people", async () => {
    const one = await external();
    const recipients = people(100);
    const grants = await Promise.all(
      Array.from({ length: 20 }, (_, at) => reserve(one, { reservationId: `m-${at}`, recipients })),
    );
    expect(grants.filter(({ granted }) => granted)).toHaveLength(1);
    expect(await one.status()).toMatchObject({
      stats: { total: 100, reserved: 100 },
      duplicatesPrevented: 1_900,
    });
    await one.check();
  });

  it("C09, G1: a lease that is over has a new token; of the old one only `sent` is taken", async () => {
    const one = await external(people(3));
    await reserve(one, { reservationId: "m-1", limit: 3 });
    stage.clock.advance(121_000);
    await one.ring();
    stage.clock.advance(10_000);
    const again = await reserve(one, { reservationId: "m-1", limit: 3 });
    expect(again).toMatchObject({ granted: true, token: 2, idempotencyKey: `${one.id}:1` });
    expect(ids(again)).toEqual(["p1", "p2", "p3"]);
    const failed = { id: "p1", outcome: "failed", reason: "late" };
    expect(await report(one, "m-1", { token: 1, results: [failed] })).toMatchObject({
      status: 409,
      body: { code: "staleToken" },
    });
    for (const outcome of ["unknown", "deferred"]) {
      const stale = await report(one, "m-1", { token: 1, outcome, reason: "late" });
      expect(stale).toMatchObject({ status: 409, body: { code: "staleToken" } });
    }
    expect(await one.stats()).toEqual({ reserved: 3 });
    const late = await report(one, "m-1", { token: 1, results: sent("p2") });
    expect(late).toMatchObject({ status: 200, body: { stats: { sent: 1, reserved: 2 } } });
    await report(one, "m-1", { token: 2, results: sent("p1", "p2", "p3") });
    expect(await one.stats()).toEqual({ sent: 3 });
    // What the provider said first stands.
    expect(await one.recipient("p2")).toMatchObject({ providerId: "mail-p2" });
    await one.check();
  });

  it("deferred comes back under the same key, and only those that are still open", async () => {
    const one = await external(people(3));
    await reserve(one, { reservationId: "m-1", limit: 3 });
    await report(one, "m-1", { token: 1, results: sent("p1") });
    const body = { token: 1, outcome: "deferred", retryAfterSeconds: 7, reason: "429" };
    expect(await report(one, "m-1", body)).toMatchObject({ status: 200 });
    const waiting = await reserve(one, { reservationId: "m-1", limit: 3 });
    expect(waiting).toMatchObject({ granted: false, reason: "inFlight", retryAfterSeconds: 7 });
    stage.clock.advance(7_000);
    const again = await reserve(one, { reservationId: "m-1", limit: 3 });
    expect(again).toMatchObject({ granted: true, token: 2, idempotencyKey: `${one.id}:1` });
    expect(ids(again)).toEqual(["p2", "p3"]);
  });

  it("G3: where the provider keeps no keys, a lease that is over is in doubt at once", async () => {
    stage.clock.stop();
    const settings = { idempotencyWindowSeconds: 0 };
    const one = await campaign({ recipients: 2, delivery: "external", settings });
    await one.start();
    await reserve(one, { reservationId: "m-1", limit: 2 });
    stage.clock.advance(121_000);
    await one.ring();
    expect(await one.stats()).toEqual({ inDoubt: 2 });
    expect(await reserve(one, { reservationId: "m-1", limit: 2 })).toMatchObject({
      granted: false,
      reason: "settled",
    });
    const settled = await done("POST", `${one.path}/resolve`, {
      body: { ids: ["p1"], as: "sent" },
    });
    expect(settled).toMatchObject({ stats: { sent: 1, inDoubt: 1 } });
  });

  it("finishes when its enrolment is closed and nothing is open", async () => {
    const one = await external(people(2));
    await reserve(one, { reservationId: "m-1", limit: 2 });
    expect(await done("POST", `${one.path}/finish`)).toMatchObject({ state: "sending" });
    // Closed: whoever is brought now is not enrolled.
    const late = [{ id: "late", email: "late@mail.example.org" }];
    expect(await reserve(one, { reservationId: "m-2", recipients: late })).toMatchObject({
      granted: false,
      reason: "nothingDue",
    });
    const end = await report(one, "m-1", { token: 1, results: sent("p1", "p2") });
    expect(end).toMatchObject({ body: { state: "finished", stats: { total: 2, sent: 2 } } });
    expect(await done("POST", `${one.path}/finish`)).toMatchObject({ state: "finished" });
  });

  it("refuses a report that names strangers, and takes nothing of it", async () => {
    const one = await external(people(4));
    await reserve(one, { reservationId: "m-1", limit: 2 });
    const before = await one.rows();
    for (const id of ["p3", "nobody"]) {
      const answer = await report(one, "m-1", { token: 1, results: sent("p1", id) });
      expect(answer).toMatchObject({ status: 400, body: { code: "notInBatch", ids: [id] } });
    }
    expect(await report(one, "m-9", { token: 1, results: sent("p1") })).toMatchObject({
      status: 404,
      body: { code: "reservationNotFound" },
    });
    expect(await one.rows()).toBe(before);
  });

  it("is not for a managed campaign", async () => {
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: 2 });
    await one.start();
    const body = { reservationId: "m-1", limit: 2 };
    for (const [path, sending] of [
      ["reservations", { body }],
      ["finish", {}],
    ] as const) {
      expect(await api("POST", `${one.path}/${path}`, sending)).toMatchObject({
        status: 409,
        body: { code: "wrongDelivery", delivery: "managed" },
      });
    }
  });
});

describe("as RPC, for a consumer that is bound to the object", () => {
  it("reserves and reports by the same methods", async () => {
    const one = await external();
    const recipients = [1, 2].map((line) => ({
      line,
      id: `r${line}` as RecipientId,
      address: `r${line}@mail.example.org` as Address,
      email: `r${line}@mail.example.org`,
      data: {},
    }));
    const ask = {
      by: "recipients",
      reservationId: "job-1",
      recipients,
      claim: "worker-1",
    } as const;
    const answer = await one.rpc.reserve(ask);
    expect(answer).toMatchObject({ ok: true, value: { granted: true, token: 1, skipped: [] } });
    // The same ask again is the same grant; somebody else's is refused.
    expect(await one.rpc.reserve(ask)).toEqual(answer);
    expect(await one.rpc.reserve({ ...ask, claim: "worker-2" })).toMatchObject({
      ok: true,
      value: { granted: false, reason: "inFlight" },
    });
    const told = await one.rpc.report({
      batch: { reservationId: "job-1" },
      token: 1 as Token,
      outcome: {
        kind: "results",
        results: recipients.map(({ id }) => ({ id, outcome: "sent", providerId: `mail-${id}` })),
      },
    });
    expect(told).toMatchObject({ ok: true, value: { stats: { sent: 2 } } });
    expect(await one.rpc.reserve(ask)).toMatchObject({
      ok: true,
      value: { granted: false, reason: "settled" },
    });
    expect(await one.status()).toMatchObject({ duplicatesPrevented: 4 });
  });
});
