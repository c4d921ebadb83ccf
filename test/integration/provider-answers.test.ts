/** What the provider may answer, and what becomes of the people it was asked for (C22 to C53). */
import { describe, expect, it } from "vitest";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import { done } from "./harness/api.ts";
import { campaign, people, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive, testDeps } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const addresses = (count: number): string[] => people(count).map(({ email }) => email);
const without = (count: number, ...places: readonly number[]): string[] =>
  addresses(count).filter((_, at) => !places.includes(at + 1));

/** A started campaign whose messages the test hands out. */
async function sending(recipients: number, batchSize: number): Promise<TestCampaign> {
  stage.clock.stop();
  stage.queue.mood = () => "keep";
  const one = await campaign({ recipients, settings: { batchSize } });
  await one.start();
  return one;
}

function number(one: TestCampaign, query: string): Promise<number> {
  return one.inside((_, { sql }) => Number(Object.values(sql.exec(query).toArray()[0] ?? {})[0]));
}

/** Each recipient has the id that the provider gave to the mail for its address. */
async function expectOwnIds(one: TestCampaign): Promise<void> {
  const { items } = await done<{ items: { email: string; providerId: string | null }[] }>(
    "GET",
    `${one.path}/recipients?status=sent&limit=1000`,
  );
  const ids = new Map((await standIn.accepted()).map(({ to, id }) => [to, id]));
  expect(items.map(({ email, providerId }) => [email, providerId])).toEqual(
    items.map(({ email }) => [email, ids.get(email)]),
  );
}

describe("not now", () => {
  it("C22: 60 % of the calls are told 429, no attempt is burned and no row failed", async () => {
    const one = await sending(500, 10);
    await standIn.faults({ do: "rate", times: 45, chance: 0.6, seed: 22 });
    expect(await drive(one)).toMatchObject({
      state: "finished",
      stats: { sent: 500, failed: 0 },
    });
    expect(await number(one, "SELECT count(*) FROM attempts WHERE outcome = 'deferred'")).toBe(45);
    expect(await number(one, "SELECT max(unknown_attempts) FROM batches")).toBe(0);
    // The same batch and key: as many batches as there are, whatever they were told.
    expect(await number(one, "SELECT count(*) FROM batches")).toBe(50);
    await one.check();
    await one.expectMailedOnce(addresses(500));
  });

  it.each([
    { status: 401, name: "missing_api_key", message: "Missing API key" },
    { status: 403, name: "invalid_api_key", message: "API key is invalid" },
    { status: 400, name: "validation_error", message: "API key is invalid" },
  ])("C25: $status $name pauses at the first, and nobody has failed", async (answer) => {
    const one = await sending(50, 10);
    await standIn.config({ answer });
    expect(await drive(one)).toMatchObject({
      state: "paused",
      pause: { reason: "providerAuth" },
      stats: { sent: 0, failed: 0, inDoubt: 0, remaining: 50 },
    });
    expect(await standIn.totals()).toMatchObject({ requests: 1 });
    await standIn.config({ answer: null });
    await one.resume();
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 50 } });
    await one.expectMailedOnce(addresses(50));
  });

  it("C25: a sender that the provider refuses pauses as senderRefused", async () => {
    const one = await sending(20, 10);
    const message = "The mail.example.org domain is not verified.";
    await standIn.config({ answer: { status: 403, name: "validation_error", message } });
    expect(await drive(one)).toMatchObject({
      state: "paused",
      pause: { reason: "senderRefused" },
      stats: { failed: 0 },
    });
  });

  it("C52: the daily quota is reached in the middle", async () => {
    const one = await sending(100, 10);
    await standIn.config({ dailyQuota: 60 });
    expect(await drive(one)).toMatchObject({
      state: "paused",
      pause: { reason: "providerQuota" },
      stats: { sent: 60, failed: 0, inDoubt: 0, remaining: 40 },
    });
    expect(await standIn.totals()).toMatchObject({ requests: 7 });
    await standIn.config({ dailyQuota: null });
    await one.resume();
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 100 } });
    await one.expectMailedOnce(addresses(100));
  });

  it("C52: a pause by the provider may come while others are under way", async () => {
    const one = await sending(100, 10);
    await standIn.config({ dailyQuota: 60 });
    await one.ring();
    await Promise.all(stage.queue.take(one.id).map((dispatch) => deliver(one, dispatch)));
    await one.check();
    expect(await one.status()).toMatchObject({
      state: "paused",
      pause: { reason: "providerQuota" },
      stats: { sent: 60, failed: 0 },
    });
    await standIn.config({ dailyQuota: null });
    await one.resume();
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 100 } });
    await one.expectMailedOnce(addresses(100));
  });
});

describe("no to somebody", () => {
  it("C28: one address in the middle is refused, and only that one fails", async () => {
    await standIn.config({ refuseAddresses: ["p50@mail.example.org"] });
    const one = await sending(100, 100);
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 99, failed: 1 } });
    const story = await one.recipient("p50");
    expect(story).toMatchObject({ status: "failed", providerId: null });
    expect(story.reason).toContain("`to`");
    expect((await standIn.requests()).length).toBe(1);
    await expectOwnIds(one);
    await one.expectMailedOnce(without(100, 50));
  });

  it("C28: the whole request is refused for one that nobody names, who is found", async () => {
    const one = await sending(64, 64);
    const { provider } = testDeps();
    const refusal: AttemptOutcome = { kind: "rejected", reason: "422: no", faults: [] };
    // As under strict validation: all or nothing, and no word of who it was.
    const strict = {
      sendBatch: async (request: Parameters<typeof provider.sendBatch>[0]) =>
        request.emails.some(({ to }) => to === "p37@mail.example.org")
          ? refusal
          : provider.sendBatch(request),
    };
    const hand = (dispatch: number) => deliver(one, dispatch, { deps: { provider: strict } });
    const status = await drive(one, { hand, after: () => one.check() });
    expect(status).toMatchObject({ state: "finished", stats: { sent: 63, failed: 1 } });
    expect(await one.recipient("p37")).toMatchObject({ status: "failed", reason: "422: no" });
    const keys = (await standIn.requests()).map(({ key }) => key);
    expect(new Set(keys).size, "each new set of members has a new key").toBe(keys.length);
    await expectOwnIds(one);
    await one.expectMailedOnce(without(64, 37));
  });

  it("C29: the list of ids is shorter than the request, and each falls to its own", async () => {
    await standIn.config({ refuseAddresses: ["p3@mail.example.org", "p6@mail.example.org"] });
    const one = await sending(6, 6);
    await drive(one);
    expect(await one.stats()).toEqual({ sent: 4, failed: 2 });
    await expectOwnIds(one);
  });

  it("C29: a count that does not add up says nothing, and is asked again", async () => {
    const one = await sending(10, 10);
    await standIn.faults({ do: "wrongCount" });
    await one.ring();
    for (const dispatch of stage.queue.take(one.id)) await deliver(one, dispatch);
    expect(await one.stats()).toEqual({ reserved: 10 });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    await expectOwnIds(one);
    await one.expectMailedOnce(addresses(10));
  });

  it("C43: one recipient at place 13 of 200 fails for ever", async () => {
    await standIn.config({ refuseAddresses: ["p13@mail.example.org"] });
    const one = await sending(200, 20);
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 199, failed: 1 } });
    for (let replay = 0; replay < 3; replay += 1) {
      const report = await done("POST", `${one.path}/replay`, { body: { recipients: "failed" } });
      expect(report).toMatchObject({ replayed: 1, status: { state: "sending" } });
      expect(await drive(one)).toMatchObject({
        state: "finished",
        stats: { sent: 199, failed: 1 },
      });
    }
    await one.check();
    await one.expectMailedOnce(without(200, 13));
  });
});

describe("nobody knows", () => {
  it.each(["acceptThenBraces", "acceptThenHtml", "acceptThenEmpty", "acceptThenHalf"])(
    "C30, G3: %s is asked again under the same key with the same bytes, and under no other",
    async (fault) => {
      const one = await sending(10, 10);
      await standIn.faults({ do: fault, times: 3 });
      expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
      const requests = await standIn.requests();
      expect(requests).toHaveLength(4);
      expect(new Set(requests.map(({ key }) => key))).toEqual(new Set([`${one.id}:1`]));
      expect(new Set(requests.map(({ bodyDigest }) => bodyDigest)).size).toBe(1);
      expect(await number(one, "SELECT max(unknown_attempts) FROM batches")).toBe(3);
      await expectOwnIds(one);
      await one.expectMailedOnce(addresses(10));
    },
  );

  it("C30, G3: errors that the provider keeps under the key are survived as well", async () => {
    await standIn.config({ cacheErrors: true });
    const one = await sending(10, 10);
    await standIn.faults({ do: "answer500", times: null });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 0, inDoubt: 10 } });
    const keys = (await standIn.requests()).map(({ key }) => key);
    expect(keys).toEqual(Array.from({ length: 10 }, () => `${one.id}:1`));
  });

  it("C53: 409 in progress is repeated later under the same key", async () => {
    const one = await sending(10, 10);
    await standIn.faults({ do: "conflictProgress", times: 2 });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    const keys = (await standIn.requests()).map(({ key }) => key);
    expect(keys).toEqual(Array.from({ length: 3 }, () => `${one.id}:1`));
    await one.expectMailedOnce(addresses(10));
  });

  it("C53, G3: 409 for another body is never repeated: in doubt, and said so", async () => {
    const one = await sending(20, 10);
    await standIn.faults({ do: "conflictBody" });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10, inDoubt: 10 } });
    const keys = (await standIn.requests()).map(({ key }) => key);
    expect(keys).toEqual([`${one.id}:1`, `${one.id}:2`]);
    const { items } = await done<{ items: { type: string; detail: object }[] }>(
      "GET",
      `${one.path}/events`,
    );
    expect(items.find(({ type }) => type === "inDoubt")?.detail).toMatchObject({
      batch: 1,
      recipients: 10,
    });
    expect(await one.recipient("p1")).toMatchObject({ status: "inDoubt" });
  });
});
