/** Signed webhooks, verified by Resend's own client. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mail, standInFixture } from "./fixture.ts";

type Received = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

const SECRET = `whsec_${Buffer.from("a secret of a test, 24 b").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another secret, long too").toString("base64")}`;
const fixture = standInFixture();
const received: Received[] = [];
let server: Server | undefined;
let url = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      received.push({ body, headers: request.headers as Record<string, string> });
      response.end();
    });
  });
  await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
beforeEach(() => received.splice(0));
afterAll(() => server?.closeAllConnections());
afterAll(() => new Promise((closed) => server?.close(closed)));

function verified(event: Received | undefined, webhookSecret = SECRET): unknown {
  const { body, headers } = event ?? { body: "", headers: {} };
  return fixture.resend.webhooks.verify({
    payload: body,
    headers: {
      id: headers["svix-id"] ?? "",
      timestamp: headers["svix-timestamp"] ?? "",
      signature: headers["svix-signature"] ?? "",
    },
    webhookSecret,
  });
}

describe("a webhook", () => {
  it("C65: is signed so that Resend's client takes it, and no changed one", async () => {
    await fixture.control.post("webhook", {
      url,
      secret: SECRET,
      type: "email.sent",
      data: { a: 1 },
    });
    const [event] = received;
    expect(verified(event)).toMatchObject({ type: "email.sent", data: { a: 1 } });
    const changed = { headers: event?.headers ?? {}, body: `${event?.body} ` };
    expect(() => verified(changed)).toThrow();
    expect(() => verified(event, OTHER)).toThrow();
  });

  it("C65: fits with the second of two signatures, and not with a skewed clock", async () => {
    const command = { url, secret: SECRET, type: "email.sent", data: {} };
    await fixture.control.post("webhook", { ...command, otherSecrets: [OTHER] });
    await fixture.control.post("webhook", { ...command, timestampSkewSeconds: -360 });
    expect(received[0]?.headers["svix-signature"]).toMatch(/^v1,\S+ v1,\S+$/u);
    expect(verified(received[0])).toBeDefined();
    expect(() => verified(received[1])).toThrow();
  });

  it("C63, C64: tells of an accepted mail, as often as asked under one id, tags in both forms", async () => {
    const tags = [{ name: "campaign", value: "spring" }];
    const sent = await fixture.resend.emails.send({ ...mail("a@a.test"), tags });
    const emailId = sent.data?.id ?? "";
    const command = { url, secret: SECRET, type: "email.bounced", emailId, id: "msg_1" };
    const answer = await fixture.control.post("webhook", { ...command, times: 3 });
    expect(answer).toEqual({ id: "msg_1", statuses: [200, 200, 200] });
    expect(received.map(({ headers }) => headers["svix-id"])).toEqual(["msg_1", "msg_1", "msg_1"]);
    expect(verified(received[2])).toMatchObject({
      type: "email.bounced",
      data: {
        email_id: emailId,
        to: ["a@a.test"],
        tags: { campaign: "spring" },
        bounce: { type: "Permanent" },
      },
    });
    await fixture.control.post("webhook", { ...command, tagsAs: "array", data: { extra: true } });
    expect(verified(received[3])).toMatchObject({ data: { tags, extra: true } });
    expect((await fixture.resend.emails.get(emailId)).data?.last_event).toBe("bounced");
  });

  it("says when nobody answered, and what is wrong with a command", async () => {
    const command = { url: "http://127.0.0.1:1/", secret: SECRET, type: "email.sent" };
    expect(await fixture.control.post("webhook", command)).toMatchObject({ statuses: [null] });
    const unknown = fixture.control.post("webhook", { ...command, emailId: "none" });
    await expect(unknown).rejects.toThrow("webhook.emailId");
    await expect(fixture.control.post("webhook", { url })).rejects.toThrow("webhook.secret");
  });
});
