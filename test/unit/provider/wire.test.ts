/** The request as it stands on the wire, and answers that no well-behaved provider gives. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Seq } from "../../../src/domain/ids.ts";
import type { Email, EmailProvider, SendRequest } from "../../../src/provider/port.ts";
import { resendProvider } from "../../../src/provider/resend-provider.ts";

type Seen = { readonly line: string; readonly headers: object; readonly body: string };

let server: Server | undefined;
let provider: EmailProvider;
let seen: Seen[] = [];
let answer: (response: ServerResponse) => void = () => {};

async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  seen.push({ line: `${incoming.method} ${incoming.url}`, headers: incoming.headers, body });
  answer(response);
}

beforeAll(async () => {
  server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  provider = resendProvider({ apiKey: "re_test", baseUrl, version: "1.2.3", now: () => 0 });
});
beforeEach(() => {
  seen = [];
});
afterAll(() => server?.closeAllConnections());
afterAll(() => new Promise((closed) => server?.close(closed)));

const WHOLE: Email = {
  from: "Ada <ada@acme.test>",
  to: "bob@b.test",
  replyTo: "r@acme.test",
  subject: "Grüße",
  html: "<p>Hi</p>",
  text: "Hi",
  headers: { "List-Unsubscribe": "<https://acme.test/u>" },
  tags: [{ name: "campaign", value: "spring" }],
};
const BARE: Email = { from: "ada@acme.test", to: "cy@c.test", subject: "Hi", text: "Hi" };

function request(...emails: readonly Email[]): SendRequest {
  const seqs = emails.map((_, index) => (index + 1) as Seq);
  return { idempotencyKey: "spring:7", emails, seqs, timeoutMilliseconds: 60_000 };
}

function answerWith(status: number, body: string, headers: Record<string, string> = {}): void {
  answer = (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

it("C10: the bytes of a request are these, in this version and the next", async () => {
  answerWith(200, '{"data":[{"id":"a"},{"id":"b"}],"errors":[]}');
  await provider.sendBatch(request(WHOLE, BARE));
  // The provider compares the bytes of a repeated request, and a deploy may fall between the two.
  // Whoever changes them (a new version of the package does) breaks every batch that is in flight.
  expect(seen[0]?.body).toBe(
    '[{"from":"Ada <ada@acme.test>","headers":{"List-Unsubscribe":"<https://acme.test/u>"},' +
      '"html":"<p>Hi</p>","reply_to":"r@acme.test","subject":"Grüße",' +
      '"tags":[{"name":"campaign","value":"spring"}],"text":"Hi","to":"bob@b.test"},' +
      '{"from":"ada@acme.test","subject":"Hi","text":"Hi","to":"cy@c.test"}]',
  );
});

it("is one POST with the key, the user agent and permissive validation", async () => {
  answerWith(200, '{"data":[{"id":"a"}]}');
  await provider.sendBatch(request(BARE));
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    line: "POST /emails/batch",
    headers: {
      authorization: "Bearer re_test",
      "content-type": "application/json",
      "idempotency-key": "spring:7",
      "user-agent": "sendonce/1.2.3",
      "x-batch-validation": "permissive",
    },
  });
});

it.each([
  ["202 with ids", 202, '{"data":[{"id":"a"}]}', { kind: "answered" }],
  ["204", 204, "", { kind: "unknown", reason: "no readable answer: 204 that is not JSON" }],
  ["200 with null", 200, "null", { kind: "unknown", repeat: true }],
  ["200 with a string", 200, '"ok"', { kind: "unknown", repeat: true }],
  ["200 with a list", 200, '[{"id":"a"}]', { kind: "unknown", repeat: true }],
  [
    "200 beyond all bounds",
    200,
    `{"data":[{"id":"a"}]${" ".repeat(1_000_000)}}`,
    { kind: "unknown" },
  ],
  ["an error with null", 500, "null", { kind: "unknown", repeat: true }],
  ["an error with a string", 422, '"no"', { kind: "rejected", reason: "422" }],
  ["a 401 with HTML", 401, "<p>no", { kind: "deferred", pause: "providerAuth" }],
  ["a 429 with nothing", 429, "", { kind: "deferred", pause: null }],
  ["a 403 in plain text", 403, "error code: 1010", { kind: "deferred", pause: "providerAuth" }],
  ["a 502 with HTML", 502, "<p>Bad gateway", { kind: "unknown", reason: "502" }],
])("takes %s for what its status says", async (_, status, body, outcome) => {
  answerWith(status, body);
  expect(await provider.sendBatch(request(BARE))).toMatchObject(outcome);
});

it("C25, C52: reads the status of HTTP where the body has none, or another", async () => {
  answerWith(429, '{"name":"daily_quota_exceeded","message":"no"}');
  expect(await provider.sendBatch(request(BARE))).toMatchObject({ pause: "providerQuota" });
  answerWith(500, '{"statusCode":422,"name":"validation_error","message":"no"}');
  expect(await provider.sendBatch(request(BARE))).toMatchObject({ kind: "unknown", repeat: true });
});

it("does not follow a redirect, which would turn the send into something else", async () => {
  answerWithRedirect(307);
  const moved = await provider.sendBatch(request(BARE));
  expect(moved).toMatchObject({ kind: "deferred", pause: "providerAuth" });
  answerWithRedirect(303);
  expect(await provider.sendBatch(request(BARE))).toMatchObject({ kind: "unknown", repeat: true });
  expect(seen).toHaveLength(2);
});

function answerWithRedirect(status: number): void {
  answerWith(status, "", { location: "/elsewhere" });
}

it("is unknown when the answer breaks off", async () => {
  answer = (response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"data":[{"id":"a"}]', () => response.socket?.destroy());
  };
  expect(await provider.sendBatch(request(BARE))).toMatchObject({ kind: "unknown", repeat: true });
});

it("does not throw for a key that no header can carry", async () => {
  const outcome = await provider.sendBatch({ ...request(BARE), idempotencyKey: "ключ" });
  expect(outcome).toMatchObject({ kind: "unknown" });
  expect(seen).toHaveLength(0);
});

it("stops at a request that is none", async () => {
  await expect(provider.sendBatch(request())).rejects.toThrow("1 to 100 mails");
  const short = { ...request(BARE), seqs: [] };
  await expect(provider.sendBatch(short)).rejects.toThrow("a seq for each");
});
