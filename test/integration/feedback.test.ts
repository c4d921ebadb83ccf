/** Webhooks and unsubscribe links through the Worker and its objects, in workerd. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ACCOUNT_NAME } from "../../src/account/rpc.ts";
import type { CampaignObject } from "../../src/campaign/campaign-object.ts";
import type { RecipientStory } from "../../src/domain/history.ts";
import type { Address, CampaignId, RecipientId, Seq } from "../../src/domain/ids.ts";
import { importLinkSecret, unsubscribeToken } from "../../src/message/unsubscribe-link.ts";
import { DRAFT } from "../unit/http/api.ts";

type Stub = DurableObjectStub<CampaignObject>;

const encoder = new TextEncoder();

async function post(told: object): Promise<Response> {
  const body = JSON.stringify(told);
  const id = "msg_1";
  const timestamp = String(Math.floor(Date.now() / 1000));
  const secret = Buffer.from(env.RESEND_WEBHOOK_SECRET.replace("whsec_", ""), "base64");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const signed = encoder.encode(`${id}.${timestamp}.${body}`);
  const signature = Buffer.from(await crypto.subtle.sign("HMAC", key, signed)).toString("base64");
  return exports.default.fetch("https://mail.test/webhooks/resend", {
    method: "POST",
    body,
    headers: {
      "svix-id": id,
      "svix-timestamp": timestamp,
      "svix-signature": `v1,${signature}`,
    },
  });
}

function event(type: string, name: string, seq: number) {
  return {
    type: `email.${type}`,
    created_at: new Date().toISOString(),
    data: {
      email_id: `re_${name}_${seq}`,
      created_at: new Date().toISOString(),
      to: [addressOf(name, seq)],
      tags: { campaign: name, recipient: String(seq) },
    },
  };
}

type Delivery = "managed" | "external";

/** p1 and p2 in a campaign of their own, which has not begun. */
async function campaign(name: string, delivery: Delivery): Promise<Stub> {
  const stub = env.CAMPAIGNS.getByName(name);
  await env.ACCOUNT.getByName(ACCOUNT_NAME).register(name as CampaignId, name, null);
  const content = delivery === "managed" ? DRAFT.content : null;
  await stub.create({ ...DRAFT, name, delivery, content });
  const rows = [1, 2].map((seq) => {
    const email = addressOf(name, seq);
    return { line: seq, id: `p${seq}` as RecipientId, address: email, email, data: {} };
  });
  await stub.enrol(rows);
  return stub;
}

function addressOf(name: string, seq: number): Address {
  return `${name.split("-")[0]}${seq}@example.org` as Address;
}

const begin = (stub: Stub) => stub.start({ at: null, publicUrl: "https://mail.test" });

/** Its type said once, since the platform's RPC types lose it where it is null. */
async function storyOf(stub: Stub, id: string): Promise<RecipientStory | null> {
  return stub.recipient(id as RecipientId);
}

describe("feedback in workerd", () => {
  it("G6: a complaint settles, and suppresses everywhere before it is answered", async () => {
    const first = await campaign("complaint-first", "external");
    const second = await campaign("complaint-second", "external");
    await begin(first);
    await begin(second);
    const early = await post(event("complained", "complaint-first", 2));
    expect(await early.json(), "nobody has asked for this mail yet").toEqual({ ignored: true });
    await first.reserve({ by: "limit", reservationId: "q1", limit: 10, claim: null });
    const response = await post(event("complained", "complaint-first", 2));
    expect([response.status, await response.json()]).toEqual([200, { ignored: false }]);
    expect(await storyOf(first, "p2")).toMatchObject({
      status: "sent",
      providerId: "re_complaint-first_2",
      feedback: { state: "complained" },
    });
    expect(await storyOf(second, "p2")).toMatchObject({
      status: "suppressed",
      suppression: { reason: "complaint" },
    });
    const status = await first.deliveryStatus();
    expect(status?.stats).toMatchObject({ sent: 1, reserved: 1 });
    expect(status?.feedback).toMatchObject({ complained: 1 });
  });

  it("an event for a campaign that isn't there leaves nothing behind", async () => {
    const response = await post(event("delivered", "feedback-nobody", 1));
    expect(await response.json()).toEqual({ ignored: true });
    expect(await env.CAMPAIGNS.getByName("feedback-nobody").describe()).toBeNull();
  });
});

describe("unsubscribe links in workerd", () => {
  it("C61: GET and HEAD change nothing, one POST suppresses in every campaign", async () => {
    const sender = await campaign("link-sender", "managed");
    const other = await campaign("link-other", "external");
    await begin(other);
    // Whom it would mail is suppressed in it alone, so that it ends without a mail.
    const own = [1, 2].map((seq) => ({
      address: addressOf("link-sender", seq),
      reason: "operator" as const,
      at: 1,
    }));
    await sender.suppress(own);
    await begin(sender);
    const { linkSecret = "" } = (await sender.linkTarget(1 as Seq)) ?? {};
    const key = await importLinkSecret(linkSecret);
    const token = await unsubscribeToken(key, "link-sender" as CampaignId, 1 as Seq);
    const url = `https://mail.test/unsubscribe/${token}`;
    for (const method of ["GET", "HEAD", "GET"]) {
      expect((await exports.default.fetch(url, { method })).status).toBe(200);
    }
    expect((await storyOf(other, "p1"))?.status).toBe("pending");
    const body = new FormData();
    body.set("List-Unsubscribe", "One-Click");
    for (const _ of ["once", "twice"]) {
      const response = await exports.default.fetch(url, { method: "POST", body });
      expect(response.status).toBe(200);
    }
    expect(await storyOf(other, "p1")).toMatchObject({
      status: "suppressed",
      suppression: { reason: "unsubscribe" },
    });
    expect((await storyOf(other, "p2"))?.status).toBe("pending");
    const forged = url.replace(".1.", ".2.");
    expect((await exports.default.fetch(forged, { method: "POST", body })).status).toBe(404);
    expect((await storyOf(other, "p2"))?.status).toBe("pending");
  });
});
