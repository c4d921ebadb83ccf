/** The kit over the real ledger, by both of its ways. */
import { describe, expect, it } from "vitest";
import { NotAccepted, type SendResult } from "../../../src/consumer/consumer.ts";
import { never, people, TestCampaign, TestProvider, WAYS, type Way } from "./campaign.ts";

describe.each(WAYS)("createConsumer by %s", (way) => {
  plain(way);
  crashes(way);
  outcomes(way);
  refusals(way);
});

function plain(way: Way): void {
  it("mails whoever the message brings, and acknowledges", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    const consumer = campaign.consumer(provider.send);
    const decision = await consumer.handle({ id: "m1", recipients: people("a", "b") });
    expect(decision).toEqual({
      action: "ack",
      reason: "settled",
      detail: null,
      skipped: [],
      invalid: [],
      uncovered: [],
    });
    expect(provider.accepted).toEqual(["a@example.org", "b@example.org"]);
    expect(await campaign.stats()).toEqual({ sent: 2 });
  });

  it("keeps what a provider says with a NUL and half a character in it", async () => {
    const campaign = await TestCampaign.start(way);
    const consumer = campaign.consumer(async () => [
      { id: "a", outcome: "sent", providerId: "\0x\ud800" },
      { id: "b", outcome: "failed", reason: "\0no" },
    ]);
    await consumer.handle({ id: "m1", recipients: people("a", "b") });
    const path = "/api/campaigns/spring/recipients";
    const { items } = await campaign.stack.json<{ items: object[] }>("GET", path);
    expect(items).toMatchObject([
      { id: "a", status: "sent", providerId: "\ufffdx\ufffd" },
      { id: "b", status: "failed", reason: "\ufffdno" },
    ]);
  });

  it("G1: a redelivery, and another message with the same people, mail nobody", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    const consumer = campaign.consumer(provider.send);
    await consumer.handle({ id: "m1", recipients: people("a", "b") });
    for (const id of ["m1", "m2"]) {
      expect(await consumer.handle({ id, recipients: people("a", "b") })).toMatchObject({
        action: "ack",
        reason: "settled",
        skipped: [
          { id: "a", reason: "sent" },
          { id: "b", reason: "sent" },
        ],
      });
    }
    expect(provider.accepted).toHaveLength(2);
  });

  it("gives send the data, the key, a signal, and a deadline before the lease's end", async () => {
    const campaign = await TestCampaign.start(way);
    let seen: unknown = null;
    const now = Date.now();
    const consumer = campaign.consumer(async ({ signal, deadline, ...rest }) => {
      seen = rest;
      expect(signal.aborted).toBe(false);
      expect(deadline.getTime()).toBeGreaterThan(now + 50_000);
      expect(deadline.getTime()).toBeLessThanOrEqual(Date.now() + 58_000);
      return [{ id: "a", outcome: "sent", providerId: "x" }];
    });
    await consumer.handle({ id: "m1", recipients: people("a") });
    const recipients = [{ id: "a", email: "a@example.org", data: { name: "a" } }];
    expect(seen).toEqual({ recipients, idempotencyKey: "spring:1" });
  });

  it("cuts a long message into reservations, and finds them all again", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    const recipients = people(...Array.from({ length: 250 }, (_, at) => `r${at}`));
    const consumer = campaign.consumer(provider.send);
    expect(await consumer.handle({ id: "m1", recipients })).toMatchObject({ action: "ack" });
    expect(provider.keys).toEqual(["spring:1", "spring:2", "spring:3"]);
    // Cut differently after a deploy: nobody is mailed again, and nobody is left out.
    const other = campaign.consumer(provider.send, { batchSize: 7 });
    const more = [...recipients, ...people("late")];
    expect(await other.handle({ id: "m1", recipients: more })).toMatchObject({ action: "ack" });
    expect(new Set(provider.accepted).size).toBe(251);
    expect(provider.accepted).toHaveLength(251);
    expect(await campaign.stats()).toEqual({ sent: 251 });
  });

  it("asks for whoever is next, where there is a limit", async () => {
    const campaign = await TestCampaign.start(way);
    const list = { recipients: people("a", "b", "c") };
    await campaign.stack.json("POST", "/api/campaigns/spring/recipients", list);
    const provider = new TestProvider();
    const consumer = campaign.consumer(provider.send);
    expect(await consumer.handle({ id: "p1", limit: 2 })).toMatchObject({ reason: "settled" });
    expect(await consumer.handle({ id: "p2", limit: 2 })).toMatchObject({ reason: "settled" });
    const last = await consumer.handle({ id: "p3", limit: 2 });
    expect(last).toMatchObject({ action: "ack", reason: "nothingDue" });
    expect(provider.accepted).toHaveLength(3);
  });

  it("names those whom nobody can mail, and mails the others", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    const recipients = [
      ...people("a"),
      { id: "x", email: "x@@example.org" },
      { id: "a", email: "A@EXAMPLE.org", data: null },
      { id: "a", email: "other@example.org" },
      { email: "c@example.org" },
    ];
    const { invalid, action } = await campaign
      .consumer(provider.send)
      .handle({ id: "m1", recipients });
    expect(action).toBe("ack");
    expect(invalid.map(({ index }) => index)).toEqual([1, 3]);
    expect(provider.accepted).toEqual(["a@example.org", "c@example.org"]);
  });
}

function crashes(way: Way): void {
  it("C20, G1: dead after the acceptance: the same key when the lease is over", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    const dying = campaign.consumer(async (batch) => {
      await provider.send(batch);
      return never();
    });
    void dying.handle({ id: "m1", recipients: people("a") });
    await expect.poll(() => provider.keys.length).toBe(1);
    const next = campaign.consumer(provider.send);
    const message = { id: "m1", recipients: people("a") };
    const early = await next.handle(message);
    expect(early).toMatchObject({ action: "retry", reason: "inFlight" });
    expect(early.action === "retry" && early.afterSeconds).toBe(60);
    await campaign.advance(60);
    expect(await next.handle(message)).toMatchObject({ action: "ack", reason: "settled" });
    expect(provider.keys).toEqual(["spring:1", "spring:1"]);
  });

  it("G3: the same where the provider keeps no keys: in doubt, and never again unasked", async () => {
    const campaign = await TestCampaign.start(way, { idempotencyWindowSeconds: 0 });
    const provider = new TestProvider();
    const dying = campaign.consumer(
      async (batch) => {
        await provider.send(batch);
        return batch.recipients[0]?.id === "b" ? never() : [sent("a")];
      },
      { batchSize: 1 },
    );
    const message = { id: "m1", recipients: people("a", "b", "c") };
    void dying.handle(message);
    await expect.poll(() => provider.accepted.length).toBe(2);
    await campaign.advance(60);
    const decision = await campaign.consumer(provider.send, { batchSize: 1 }).handle(message);
    expect(decision).toMatchObject({
      action: "ack",
      skipped: [
        { id: "a", reason: "sent" },
        { id: "b", reason: "inDoubt" },
      ],
    });
    expect(provider.accepted).toEqual(["a@example.org", "b@example.org", "c@example.org"]);
    expect(await campaign.stats()).toEqual({ sent: 2, inDoubt: 1 });
  });

  it("a lost answer to reserve or report is asked for again, and is the same", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    campaign.lost.add(1).add(3);
    const decision = await campaign
      .consumer(provider.send)
      .handle({ id: "m1", recipients: people("a") });
    expect(decision).toMatchObject({ action: "ack", reason: "settled" });
    expect(campaign.calls).toBe(4);
    expect(provider.keys).toEqual(["spring:1"]);
    expect(await campaign.stats()).toEqual({ sent: 1 });
  });
}

function outcomes(way: Way): void {
  it("G3: an error leaves open what happened, and the same key goes out again", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    let calls = 0;
    const consumer = campaign.consumer(async (batch) => {
      const results = await provider.send(batch);
      calls += 1;
      if (calls === 1) throw new Error("socket hang up");
      return results;
    });
    const message = { id: "m1", recipients: people("a", "b") };
    expect(await consumer.handle(message)).toMatchObject({
      action: "retry",
      reason: "unknown",
      detail: "socket hang up",
      afterSeconds: 2,
    });
    await campaign.advance(2);
    expect(await consumer.handle(message)).toMatchObject({ action: "ack", reason: "settled" });
    expect(provider.keys).toEqual(["spring:1", "spring:1"]);
  });

  it("NotAccepted is deferred, for as long as the provider asked", async () => {
    const campaign = await TestCampaign.start(way, { idempotencyWindowSeconds: 0 });
    const provider = new TestProvider();
    const refusing = campaign.consumer(async () => {
      throw new NotAccepted("slow down", { retryAfterSeconds: 7 });
    });
    const message = { id: "m1", recipients: people("a") };
    const decision = await refusing.handle(message);
    expect(decision).toMatchObject({ action: "retry", reason: "deferred", afterSeconds: 7 });
    expect(await campaign.stats()).toMatchObject({ reserved: 1 });
    await campaign.advance(7);
    const next = await campaign.consumer(provider.send).handle(message);
    expect(next).toMatchObject({ action: "ack", reason: "settled" });
    expect(await campaign.stats()).toEqual({ sent: 1 });
  });

  it("one recipient fails and the others are sent", async () => {
    const campaign = await TestCampaign.start(way);
    const consumer = campaign.consumer(async () => [
      sent("a"),
      { id: "b", outcome: "failed", reason: "550 no such user" },
    ]);
    const decision = await consumer.handle({ id: "m1", recipients: people("a", "b") });
    expect(decision).toMatchObject({ action: "ack" });
    expect(await campaign.stats()).toEqual({ sent: 1, failed: 1 });
  });

  it("a send that yields leaves open only those without a result", async () => {
    const campaign = await TestCampaign.start(way, { idempotencyWindowSeconds: 0 });
    const consumer = campaign.consumer(async function* () {
      yield sent("a");
      yield sent("b");
      expect(await campaign.stats()).toEqual({ sent: 2, reserved: 1 });
      throw new Error("reset");
    });
    const message = { id: "m1", recipients: people("a", "b", "c") };
    expect(await consumer.handle(message)).toMatchObject({ action: "retry", reason: "unknown" });
    expect(await campaign.stats()).toEqual({ sent: 2, inDoubt: 1 });
  });

  it.each([
    ["nobody's", [sent("a"), sent("z")], "send gave a result for z, who has none to come"],
    ["a second one", [sent("a"), sent("a")], "send gave a result for a, who has none to come"],
    ["too few", [sent("a")], "send has ended without a word about 1 recipient"],
  ])("results that don't add up (%s) are unknown, but for facts", async (_, results, detail) => {
    const campaign = await TestCampaign.start(way);
    const consumer = campaign.consumer(async () => results);
    const decision = await consumer.handle({ id: "m1", recipients: people("a", "b") });
    expect(decision).toMatchObject({ action: "retry", reason: "unknown", detail });
    expect(await campaign.stats()).toEqual({ sent: 1, reserved: 1 });
  });

  it("where the provider gives no id, the key stands for it", async () => {
    const campaign = await TestCampaign.start(way);
    const consumer = campaign.consumer(async () => [{ id: "a", outcome: "sent" }]);
    await consumer.handle({ id: "m1", recipients: people("a") });
    const story = await campaign.stack.json("GET", "/api/campaigns/spring/recipients/a");
    expect(story).toMatchObject({ status: "sent", providerId: "spring:1" });
  });
}

function refusals(way: Way): void {
  it("G4: a pause sends the message back, for longer at each delivery", async () => {
    const campaign = await TestCampaign.start(way);
    await campaign.command("pause");
    const provider = new TestProvider();
    const consumer = campaign.consumer(provider.send);
    const waits = [1, 2, 3, 30].map(async (attempts) => {
      const decision = await consumer.handle({ id: "m1", attempts, recipients: people("a") });
      expect(decision.reason).toBe("paused");
      return decision.action === "retry" ? decision.afterSeconds : null;
    });
    expect(await Promise.all(waits)).toEqual([30, 60, 120, 600]);
    expect(provider.accepted).toEqual([]);
  });

  it("G2: somebody new after the enrolment's close is not lost from view", async () => {
    const campaign = await TestCampaign.start(way);
    const provider = new TestProvider();
    const consumer = campaign.consumer(provider.send);
    await consumer.handle({ id: "m1", recipients: people("a") });
    await campaign.command("finish");
    const decision = await consumer.handle({ id: "m2", recipients: people("a", "new") });
    expect(decision).toMatchObject({
      action: "retry",
      reason: "notCovered",
      uncovered: ["new"],
      skipped: [{ id: "a", reason: "sent" }],
    });
    expect(provider.accepted).toEqual(["a@example.org"]);
  });

  it("after a cancel the message is of no use any more", async () => {
    const campaign = await TestCampaign.start(way);
    await campaign.command("cancel");
    const decision = await campaign
      .consumer(new TestProvider().send)
      .handle({ id: "m1", recipients: people("a") });
    expect(decision).toMatchObject({ action: "ack", reason: "cancelled" });
  });

  it("G6: who is suppressed is skipped", async () => {
    const campaign = await TestCampaign.start(way);
    await campaign.stack.json("PUT", "/api/suppressions", { addresses: ["a@example.org"] });
    const provider = new TestProvider();
    const decision = await campaign
      .consumer(provider.send)
      .handle({ id: "m1", recipients: people("a", "b") });
    expect(decision).toMatchObject({
      action: "ack",
      skipped: [{ id: "a", reason: "suppressed" }],
    });
    expect(provider.accepted).toEqual(["b@example.org"]);
  });

  it("refuses a message that isn't one", async () => {
    const campaign = await TestCampaign.start(way);
    const consumer = campaign.consumer(new TestProvider().send);
    await expect(consumer.handle({ id: "", limit: 1 })).rejects.toThrow("message.id");
    await expect(consumer.handle({ id: "m", limit: 0 })).rejects.toThrow("message.limit");
    const malformed = { id: "m", recipients: "all" } as unknown as { id: string; limit: number };
    await expect(consumer.handle(malformed)).rejects.toThrow("message.recipients");
    const options = { batchSize: 101 };
    expect(() => campaign.consumer(new TestProvider().send, options)).toThrow("batchSize");
  });
}

function sent(id: string): SendResult {
  return { id, outcome: "sent", providerId: `x-${id}` };
}
