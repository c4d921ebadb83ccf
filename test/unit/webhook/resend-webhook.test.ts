import { describe, expect, it } from "vitest";
import type { Address, Seq } from "../../../src/domain/ids.ts";
import type { FeedbackAnswer, FeedbackEvent } from "../../../src/domain/feedback.ts";
import { MAX_WEBHOOK_BYTES } from "../../../src/domain/limits.ts";
import { api, NOW, problemOf } from "../http/api.ts";
import { OTHER_SECRET, SECRET, signedHeaders } from "./signed.ts";

const ADA = "ada@example.org" as Address;
const KNOWN: FeedbackAnswer = { address: ADA, changed: true };

const DELIVERED = {
  type: "email.delivered",
  created_at: "2026-11-29T11:59:59.000Z",
  data: {
    email_id: "re_7",
    created_at: "2026-11-29T11:58:00.000Z",
    from: "Ada <ada@sender.test>",
    to: ["Ada <Ada@example.org>"],
    subject: "Hello",
    tags: { campaign: "spring", recipient: "7" },
  },
};

const bounced = (type: string) => ({
  ...DELIVERED,
  type: "email.bounced",
  data: { ...DELIVERED.data, bounce: { type, subType: "General", message: "no such user" } },
});

function endpoint(answer: FeedbackAnswer = KNOWN, secret: string | undefined = SECRET) {
  const rig = api({
    campaign: { recordFeedback: async (events) => events.map(() => answer) },
    account: { suppress: async () => undefined },
    deps: { webhookSecret: secret },
  });
  const post = (
    event: unknown,
    headers: Record<string, string> = signedHeaders(textOf(event), NOW),
  ): Promise<Response> =>
    rig.ask("POST", "/webhooks/resend", { token: null, body: textOf(event), headers });
  return { ...rig, post };
}

function textOf(event: unknown): string {
  return typeof event === "string" ? event : JSON.stringify(event);
}

function toldIn(calls: readonly { method: string; args: readonly unknown[] }[]): FeedbackEvent {
  const [events] = calls.find((call) => call.method === "recordFeedback")?.args ?? [];
  const [event] = events as FeedbackEvent[];
  if (event === undefined) throw new Error("nothing was told");
  return event;
}

describe("POST /webhooks/resend", () => {
  it("records what an event tells, without a token, and answers 200", async () => {
    const { post, calls, stubs } = endpoint();
    const response = await post(DELIVERED);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ignored: false });
    expect(stubs).toEqual(["spring"]);
    expect(calls.map((call) => call.method)).toEqual(["recordFeedback"]);
    expect(toldIn(calls)).toEqual({
      seq: 7 as Seq,
      providerId: "re_7",
      fate: "delivered",
      at: Date.UTC(2026, 10, 29, 11, 59, 59),
      acceptedAt: Date.UTC(2026, 10, 29, 11, 58),
      addresses: [ADA],
    });
  });

  it("C64: takes tags as a list, unknown fields, and fields that are missing", async () => {
    const { tags: _, ...data } = DELIVERED.data;
    const listed = [
      { name: "campaign", value: "spring" },
      { name: "recipient", value: "7" },
      { name: "kind", value: "news" },
    ];
    const { post, calls } = endpoint();
    const strange = { ...DELIVERED, data: { ...data, tags: listed, novelty: { deep: [1] } } };
    expect((await post({ ...strange, api_version: 9 })).status).toBe(200);
    expect(toldIn(calls)).toMatchObject({ seq: 7, fate: "delivered" });
    const bare = endpoint();
    const { campaign, recipient } = DELIVERED.data.tags;
    const least = { type: "email.sent", data: { email_id: "re_7", tags: { campaign, recipient } } };
    expect(await (await bare.post(least)).json()).toEqual({ ignored: false });
    expect(toldIn(bare.calls)).toMatchObject({ at: null, acceptedAt: null, addresses: [] });
  });

  it.each<[string, unknown]>([
    ["without tags", { ...DELIVERED, data: { ...DELIVERED.data, tags: undefined } }],
    ["with tags of others", { ...DELIVERED, data: { ...DELIVERED.data, tags: { app: "shop" } } }],
    ["with a campaign that can't be", { type: "email.sent", data: { tags: { campaign: "a b" } } }],
    ["of a type nobody knows", { ...DELIVERED, type: "email.transmogrified" }],
    ["about a contact", { type: "contact.created", data: { id: "c_1", email: "a@b.test" } }],
    ["without a mail", { ...DELIVERED, data: { tags: DELIVERED.data.tags } }],
    ["that is a list", []],
    ["that is null", null],
    ["that is text", '"hello"'],
  ])("C64: an event %s is 200 and wakes no object", async (_, event) => {
    const { post, stubs } = endpoint();
    const response = await post(event);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ignored: true });
    expect(stubs).toEqual([]);
  });

  it("C64: an event that the campaign doesn't know is 200 and suppresses nobody", async () => {
    const { post, calls } = endpoint(null);
    const response = await post(bounced("Permanent"));
    expect(await response.json()).toEqual({ ignored: true });
    expect(calls.map((call) => call.method)).toEqual(["recordFeedback"]);
  });

  it.each([
    ["a hard bounce", bounced("Permanent"), "hardBounce"],
    ["a complaint", { ...DELIVERED, type: "email.complained" }, "complaint"],
    ["the provider's own list", { ...DELIVERED, type: "email.suppressed" }, "hardBounce"],
  ])("G6: suppresses the ledger's address for %s before it answers", async (_, event, reason) => {
    // Also where it was known: the first delivery may have failed right after the record.
    const { post, calls } = endpoint({ address: ADA, changed: false });
    expect((await post(event)).status).toBe(200);
    expect(calls.at(-1)).toEqual({ method: "suppress", args: [[ADA], reason] });
  });

  it("suppresses nobody for a mailbox that was only full", async () => {
    const { post, calls } = endpoint();
    await post(bounced("Transient"));
    expect(calls.map((call) => call.method)).toEqual(["recordFeedback"]);
  });

  it("G6: a suppression that failed is no 2xx, so that the provider tells it again", async () => {
    const rig = api({
      campaign: { recordFeedback: async () => [KNOWN] },
      account: {
        suppress: async () => {
          throw new Error("a campaign does not answer");
        },
      },
      deps: { webhookSecret: SECRET },
    });
    const body = JSON.stringify(bounced("Permanent"));
    const headers = signedHeaders(body, NOW);
    const response = await rig.ask("POST", "/webhooks/resend", { token: null, body, headers });
    expect(response.status).toBe(500);
  });

  it("C65: refuses what it can't believe with 401 and asks no object", async () => {
    const { post, stubs } = endpoint();
    const text = JSON.stringify(DELIVERED);
    const changed = await post(text.replace("re_7", "re_8"), signedHeaders(text, NOW));
    expect(changed.status).toBe(401);
    expect(await problemOf(changed)).toMatchObject({ code: "badSignature" });
    for (const now of [NOW - 360_000, NOW + 360_000]) {
      expect((await post(DELIVERED, signedHeaders(text, now))).status).toBe(401);
    }
    expect((await post(DELIVERED, {})).status).toBe(401);
    expect((await post(DELIVERED, signedHeaders(text, NOW, [OTHER_SECRET, SECRET]))).status).toBe(
      200,
    );
    expect(stubs).toEqual(["spring"]);
  });

  it("answers 503 without a secret, and with one that is none", async () => {
    for (const secret of ["", "whsec_%%%"]) {
      const response = await endpoint(KNOWN, secret).post(DELIVERED);
      expect(response.status).toBe(503);
      expect(await problemOf(response)).toMatchObject({ code: "webhookNotConfigured" });
      expect(response.headers.get("retry-after")).not.toBeNull();
    }
    const { ask } = api();
    expect((await ask("POST", "/webhooks/resend", { body: "{}" })).status).toBe(503);
  });

  it("answers 400 for what is signed and no JSON, and 413 before it reads too much", async () => {
    const { post } = endpoint();
    const broken = await post('{"type":');
    expect(broken.status).toBe(400);
    expect(await problemOf(broken)).toMatchObject({ code: "malformedJson" });
    expect((await post(" ".repeat(MAX_WEBHOOK_BYTES + 1))).status).toBe(413);
  });
});
