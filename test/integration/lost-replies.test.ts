/**
 * Answers that get lost after the work was done: an error in their place, or an object that dies
 * with its rows on disk, or in the very moment of writing them. Asked again, it gives the same.
 */
import { describe, expect, it } from "vitest";
import { api, done } from "./harness/api.ts";
import { campaign, people, until, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive, testDeps } from "./harness/drive.ts";
import { stage, type Loss } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const addresses = (count: number): string[] => people(count).map(({ email }) => email);
const LOSSES: readonly Loss[] = ["throw", "abort", "abortUnsaved"];

async function inHand(recipients: number): Promise<{ one: TestCampaign; dispatch: number }> {
  stage.clock.stop();
  stage.queue.mood = () => "keep";
  const one = await campaign({ recipients });
  await one.start();
  await one.ring();
  const [dispatch = 0] = stage.queue.take(one.id);
  return { one, dispatch };
}

function countEnrolments(one: TestCampaign): Promise<number> {
  return one.inside((_, { sql }) =>
    Number(sql.exec("SELECT count(*) AS n FROM recipients").toArray()[0]?.["n"]),
  );
}

describe("a consumer of the queue", () => {
  it.each(LOSSES)("the answer of reserve is lost (%s): the same grant again", async (loss) => {
    const { one, dispatch } = await inHand(10);
    stage.replies.lose("reserve", loss, loss);
    expect(await deliver(one, dispatch)).toBe("acked");
    expect(stage.replies.lost).toBe(2);
    // One lease, one attempt: the second ask was given what the first had been given.
    const story = await one.recipient("p1");
    expect(story.attempts.map(({ token, outcome }) => ({ token, outcome }))).toEqual([
      { token: 1, outcome: "answered" },
    ]);
    expect(await one.status()).toMatchObject({ duplicatesPrevented: 0, stats: { sent: 10 } });
    await one.check();
    await one.expectMailedOnce(addresses(10));
  });

  it.each(LOSSES)("the answer of report is lost (%s): the same report again", async (loss) => {
    const { one, dispatch } = await inHand(10);
    stage.replies.lose("report", loss, loss);
    expect(await deliver(one, dispatch)).toBe("acked");
    expect(stage.replies.lost).toBe(2);
    expect(await one.status()).toMatchObject({
      state: "finished",
      duplicatesPrevented: 0,
      stats: { sent: 10 },
    });
    await one.check();
    await one.expectMailedOnce(addresses(10));
  });

  it.each(LOSSES)("every answer of report is lost (%s) until the lease is over", async (loss) => {
    const { one, dispatch } = await inHand(10);
    stage.replies.lose("report", loss, loss, loss, loss);
    expect(await deliver(one, dispatch)).toBe("retried");
    await one.check();
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    await one.expectMailedOnce(addresses(10));
  });

  it("C22: the account can't be told of a 429, and the ledger is told all the same", async () => {
    const { one, dispatch } = await inHand(10);
    await standIn.faults({ do: "rate" });
    const deps = testDeps();
    const deaf = () => {
      const real = deps.account();
      const methods: Partial<typeof real> = {
        takeSlot: (id, most) => real.takeSlot(id, most),
        slotStands: (epoch) => real.slotStands(epoch),
        holdSlots: () => Promise.reject(new Error("no way to the account")),
      };
      return methods as typeof real;
    };
    expect(await deliver(one, dispatch, { deps: { account: deaf } })).toBe("acked");
    expect((await one.recipient("p1")).attempts).toMatchObject([{ outcome: "deferred" }]);
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
  });
});

describe("a client of the API", () => {
  it.each(["throw", "abort"] as const)("create is lost (%s)", async (loss) => {
    const body = { id: `lost-create-${loss}`, name: "Lost", delivery: "external" };
    stage.replies.lose("create", loss);
    const first = await api("POST", "/api/campaigns", { body });
    // A reset is asked again by the edge itself; another error is the client's to repeat.
    expect(first.status).toBe(loss === "abort" ? 200 : 500);
    expect(await api("POST", "/api/campaigns", { body })).toMatchObject({ status: 200, body });
    await done("DELETE", `/api/campaigns/${body.id}`);
  });

  it("pause is lost, and asked again by the edge itself: it stands", async () => {
    stage.queue.mood = () => "lose";
    const one = await campaign({ recipients: 10 });
    await one.start();
    stage.replies.lose("pause", "abort");
    expect(await one.pause()).toMatchObject({ state: "paused", pause: { reason: "operator" } });
    const { items } = await done<{ items: { type: string }[] }>("GET", `${one.path}/events`);
    expect(items.filter(({ type }) => type === "paused")).toHaveLength(1);
  });

  it("an upload is lost in its second page: what is stored is told, a repeat completes it", async () => {
    const one = await campaign();
    const list = people(2_500);
    // The first ask has no rows: it asks whether recipients may be added at all.
    let page = 0;
    stage.replies.onTake = (method) => {
      if (method === "enrol") page += 1;
      if (method === "enrol" && page === 3) stage.replies.lose("enrol", "abort");
    };
    const lost = await api("POST", `${one.path}/recipients`, { body: { recipients: list } });
    expect(lost).toMatchObject({ status: 503, body: { code: "unavailable", added: 1_000 } });
    expect(await countEnrolments(one)).toBe(2_000);
    stage.replies.onTake = () => undefined;
    expect(await one.enrol(list)).toMatchObject({ added: 500, duplicates: 2_000, total: 2_500 });
    await one.check();
  });

  it("a reservation is lost and has an idempotency key: the edge asks again for the same", async () => {
    const one = await campaign({ recipients: 10, delivery: "external" });
    await one.start();
    stage.replies.lose("reserve", "abort");
    const ask = { body: { reservationId: "m-1", limit: 5 }, headers: { "idempotency-key": "k1" } };
    const first = await done<object>("POST", `${one.path}/reservations`, ask);
    expect(first).toMatchObject({ granted: true, token: 1 });
    expect(stage.replies.lost).toBe(1);
    // The client did not hear of it either, and asks with the same key.
    expect(await done("POST", `${one.path}/reservations`, ask)).toEqual(first);
    const other = { ...ask, headers: { "idempotency-key": "k2" } };
    expect(await done("POST", `${one.path}/reservations`, other)).toMatchObject({
      granted: false,
      reason: "inFlight",
    });
  });

  it("a reservation without a key is lost: nobody gets it before its lease is over", async () => {
    stage.clock.stop();
    const one = await campaign({ recipients: 10, delivery: "external" });
    await one.start();
    stage.replies.lose("reserve", "abort");
    const ask = { body: { reservationId: "m-1", limit: 5 } };
    expect(await api("POST", `${one.path}/reservations`, ask)).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
    expect(await done("POST", `${one.path}/reservations`, ask)).toMatchObject({
      granted: false,
      reason: "inFlight",
      retryAfterSeconds: 120,
    });
    stage.clock.advance(122_000);
    const late = await done<{ recipients: { id: string }[] }>(
      "POST",
      `${one.path}/reservations`,
      ask,
    );
    expect(late).toMatchObject({ granted: true, token: 2, idempotencyKey: `${one.id}:1` });
    expect(late.recipients.map(({ id }) => id)).toEqual(["p1", "p2", "p3", "p4", "p5"]);
  });

  it("a report is lost, and told again by the edge and by the client", async () => {
    const one = await campaign({ recipients: 2, delivery: "external" });
    await one.start();
    await done("POST", `${one.path}/reservations`, { body: { reservationId: "m-1", limit: 2 } });
    stage.replies.lose("report", "abort");
    const results = ["p1", "p2"].map((id) => ({ id, outcome: "sent", providerId: `mail-${id}` }));
    const report = { body: { token: 1, results } };
    const path = `${one.path}/reservations/m-1/report`;
    const first = await done("POST", path, report);
    expect(first).toMatchObject({ stats: { sent: 2 }, duplicatesPrevented: 0 });
    const before = await one.rows();
    expect(await done("POST", path, report)).toMatchObject({ stats: { sent: 2 } });
    expect(await one.rows()).toBe(before);
    await until(
      () => one.status(),
      ({ state }) => state === "sending",
    );
  });
});
