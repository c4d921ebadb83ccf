import { describe, expect, it } from "vitest";
import { api, MANAGED, problemOf } from "./api.ts";

const EXTERNAL = { name: "Spring", delivery: "external" };

function fresh() {
  return api({ campaign: { describe: async () => null } });
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "v"]));

const FAULTS: readonly [path: string, body: unknown][] = [
  ["", []],
  ["", null],
  ["", "text"],
  ["colour", { ...MANAGED, colour: "red" }],
  ["__proto__", JSON.parse('{"name":"n","delivery":"external","__proto__":1}')],
  ["id", { ...MANAGED, id: "" }],
  ["id", { ...MANAGED, id: "a b" }],
  ["id", { ...MANAGED, id: "a".repeat(65) }],
  ["id", { ...MANAGED, id: 7 }],
  ["name", { ...MANAGED, name: undefined }],
  ["name", { ...MANAGED, name: "" }],
  ["name", { ...MANAGED, name: "n".repeat(201) }],
  ["name", { ...MANAGED, name: "two\nlines" }],
  ["name", { ...MANAGED, name: "\ud800" }],
  ["name", { ...MANAGED, name: " \u200b\u3000" }],
  ["from", { ...MANAGED, from: undefined }],
  ["from", { ...MANAGED, from: "nobody" }],
  ["from", { ...MANAGED, from: "a@d.test, b@d.test" }],
  ["from", { ...MANAGED, from: "Ada <a@d.test> <b@d.test>" }],
  ["from", { ...MANAGED, from: "Ada, Bob <a@d.test>" }],
  ["from", { ...MANAGED, from: "Shop: Ada <a@d.test>" }],
  ["from", { ...MANAGED, from: "b@d.test <a@d.test>" }],
  ["from", { ...MANAGED, from: String.raw`"Ada \"the First\"" <a@d.test>` }],
  ["from", { ...MANAGED, from: "Ada\u0090 <a@d.test>" }],
  ["from", { ...MANAGED, from: "Ada\r\nBcc: x@y.test <a@d.test>" }],
  ["from", { ...MANAGED, from: `${"n".repeat(201)} <a@d.test>` }],
  ["from", { ...MANAGED, from: 1 }],
  ["from", { ...MANAGED, from: `a${" ".repeat(100_000)}` }],
  ["from", { ...MANAGED, from: "\ud800 <a@d.test>" }],
  ["replyTo", { ...MANAGED, replyTo: "nobody" }],
  ["subject", { ...MANAGED, subject: undefined }],
  ["subject", { ...MANAGED, subject: "" }],
  ["subject", { ...MANAGED, subject: "Hi\r\nBcc: x@y.test" }],
  ["subject", { ...MANAGED, subject: "s".repeat(999) }],
  ["html", { ...MANAGED, text: undefined }],
  ["html", { ...MANAGED, text: null, html: null }],
  ["html", { ...MANAGED, html: "h".repeat(500_001) }],
  ["text", { ...MANAGED, text: "" }],
  ["text", { ...MANAGED, text: "t".repeat(500_001) }],
  ["text", { ...MANAGED, text: "Hi {{ firstName" }],
  ["html", { ...MANAGED, html: "{% for %}" }],
  ["subject", { ...MANAGED, subject: "{{ 'now' | date: '%Y' }}" }],
  ["unsubscribe", { ...MANAGED, unsubscribe: "yes" }],
  ["delivery", { ...MANAGED, delivery: "pigeon" }],
  ["headers", { ...MANAGED, headers: ["X-A"] }],
  ["headers", { ...MANAGED, headers: many(21) }],
  ["headers", { ...MANAGED, headers: JSON.parse('{"__proto__":"1"}') }],
  ["tags", { ...MANAGED, tags: JSON.parse('{"__proto__":"1"}') }],
  ["headers.X A", { ...MANAGED, headers: { "X A": "1" } }],
  ["headers.X:A", { ...MANAGED, headers: { "X:A": "1" } }],
  ["headers.", { ...MANAGED, headers: { "": "1" } }],
  ["headers.X-A", { ...MANAGED, headers: { "X-A": "1\r\nBcc: x@y.test" } }],
  ["headers.X-A", { ...MANAGED, headers: { "X-A": "a\u0090b" } }],
  ["headers.X-A", { ...MANAGED, headers: { "X-A": "v".repeat(994) } }],
  ["headers.X-A", { ...MANAGED, headers: { "X-A": 1 } }],
  ["headers.x-a", { ...MANAGED, headers: { "X-A": "1", "x-a": "2" } }],
  ...[
    "From",
    "to",
    "CC",
    "bcc",
    "Subject",
    "reply-to",
    "List-Unsubscribe",
    "list-unsubscribe-post",
    "Content-Type",
    "DKIM-Signature",
    "Message-ID",
    "Date",
    "Return-Path",
    "Sender",
    "Resend-Idempotency-Key",
  ].map((name): [string, unknown] => [`headers.${name}`, { ...MANAGED, headers: { [name]: "v" } }]),
  ["tags", { ...MANAGED, tags: many(21) }],
  ["tags.a b", { ...MANAGED, tags: { "a b": "1" } }],
  ["tags.a", { ...MANAGED, tags: { a: "ä" } }],
  ["tags.a", { ...MANAGED, tags: { a: "" } }],
  ["tags.a", { ...MANAGED, tags: { a: "v".repeat(257) } }],
  ["tags.campaign", { ...MANAGED, tags: { campaign: "x" } }],
  ["tags.recipient", { ...MANAGED, tags: { recipient: "x" } }],
  ["settings", { ...MANAGED, settings: null }],
  ["settings.speed", { ...MANAGED, settings: { speed: 1 } }],
  ...(
    [
      ["batchSize", [0, 101, 1.5, "10", null]],
      ["leaseSeconds", [4, 901, 5.5, null]],
      ["maxAttempts", [0, 101, 2.5]],
      ["idempotencyWindowSeconds", [-1, 86_401, 0.5]],
      ["requestsPerSecond", [0, 0.05, 1_001, "1"]],
      ["pauseAtFailureRate", [-0.01, 1.01, true]],
      ["pauseAtDeadLetters", [0, 1_000_001, 1.5]],
    ] as const
  ).flatMap(([name, values]) =>
    values.map((value): [string, unknown] => [
      `settings.${name}`,
      { ...MANAGED, settings: { [name]: value } },
    ]),
  ),
  ...["from", "replyTo", "subject", "html", "text"].map((name): [string, unknown] => [
    name,
    { ...EXTERNAL, [name]: "a@d.test" },
  ]),
  ["headers", { ...EXTERNAL, headers: {} }],
  ["tags", { ...EXTERNAL, tags: {} }],
  ["unsubscribe", { ...EXTERNAL, unsubscribe: false }],
];

describe("what a campaign can't be", () => {
  it.each(FAULTS)("a fault at %j is named, in %.60j", async (path, body) => {
    const { ask, calls } = fresh();
    const response = await ask("POST", "/api/campaigns", {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(400);
    const problem = await problemOf(response);
    expect(problem.code).toBe("invalidFields");
    expect(problem.errors?.map((each) => each.path)).toEqual([path]);
    expect(calls).toEqual([]);
  });

  it("names all faults at once, each in words", async () => {
    const body = { ...MANAGED, name: 5, colour: "red", settings: { batchSize: 0, speed: 9 } };
    const { errors, detail } = await problemOf(
      await fresh().ask("POST", "/api/campaigns", { body }),
    );
    expect(errors).toEqual([
      { path: "name", detail: "has to be a string" },
      { path: "settings.batchSize", detail: "has to be a whole number from 1 to 100" },
      { path: "settings.speed", detail: "is not a known field" },
      { path: "colour", detail: "is not a known field" },
    ]);
    expect(detail).toBe("`name` has to be a string, and 3 more.");
    const sentences = await fresh().ask("POST", "/api/campaigns", {
      body: { ...MANAGED, from: "nobody" },
    });
    expect((await problemOf(sentences)).detail).toMatch(/^`from` .*[^.]\.$/);
  });

  it("counts the entries of a list before it looks at them", async () => {
    const headers = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`a ${n}`, 1]));
    const body = { ...MANAGED, headers, ["x".repeat(10_000)]: 1 };
    const { errors } = await problemOf(await fresh().ask("POST", "/api/campaigns", { body }));
    expect(errors).toEqual([
      { path: "headers", detail: "has more than 20 entries" },
      { path: "x".repeat(300), detail: "is not a known field" },
    ]);
  });

  it("takes a sender without the spaces around it", async () => {
    const { ask } = fresh();
    const from = async (written: string) => {
      const response = await ask("POST", "/api/campaigns", { body: { ...MANAGED, from: written } });
      return (await response.json<{ from: string }>()).from;
    };
    expect(await from("  ada@sender.test ")).toBe("ada@sender.test");
    expect(await from(" Ada  L.   <ada@sender.test> ")).toBe("Ada  L. <ada@sender.test>");
    expect(await from("<ada@sender.test>")).toBe("ada@sender.test");
  });

  it.each([
    ["settings.batchSize", { settings: { batchSize: 100 } }],
    ["settings.leaseSeconds", { settings: { leaseSeconds: 5 } }],
    ["settings.idempotencyWindowSeconds", { settings: { idempotencyWindowSeconds: 0 } }],
    ["settings.idempotencyWindowSeconds", { settings: { idempotencyWindowSeconds: 86_400 } }],
    ["settings.pauseAtFailureRate", { settings: { pauseAtFailureRate: 1 } }],
    ["settings.requestsPerSecond", { settings: { requestsPerSecond: null } }],
    ["settings.requestsPerSecond", { settings: { requestsPerSecond: 0.5 } }],
    ["from", { from: '"Ada, the First" <ada@sender.test>' }],
    ["from", { from: "ada@sender.test" }],
    ["html", { html: "<p>hi</p>", text: null }],
    ["subject", { subject: "s".repeat(998) }],
    ["headers", { headers: many(20) }],
    ["headers", { headers: { "X-A": "v".repeat(993) } }],
    ["tags", { tags: { list: "spring_2026-a" } }],
  ])("takes %s at the edge of its range: %.60j", async (_path, change) => {
    const { ask } = fresh();
    const response = await ask("POST", "/api/campaigns", { body: { ...MANAGED, ...change } });
    expect(response.status).toBe(201);
  });
});
