/**
 * Bad input over the whole worker: each is refused with a 4xx problem that names the place, and
 * nothing is half written, which is shown by the rows of both objects before and after.
 */
import { describe, expect, it } from "vitest";
import { api, done, type Sending } from "./harness/api.ts";
import { campaign, TestCampaign } from "./harness/campaign.ts";
import { expectRefused } from "./harness/refused.ts";
import { stage } from "./harness/stage.ts";

const CAMPAIGN = {
  id: "bad-input",
  name: "Bad input",
  from: "a@mail.example.org",
  subject: "Hello",
  text: "Hi",
};

describe("a campaign that is not created", () => {
  const never = new TestCampaign(CAMPAIGN.id);
  const settings = (name: string, value: unknown) => ({ ...CAMPAIGN, settings: { [name]: value } });

  const FAULTS: readonly (readonly [path: string, body: unknown])[] = [
    ["id", { ...CAMPAIGN, id: "a b" }],
    ["id", { ...CAMPAIGN, id: "x".repeat(65) }],
    ["name", { ...CAMPAIGN, name: "" }],
    ["name", { ...CAMPAIGN, name: "x".repeat(201) }],
    ["name", { ...CAMPAIGN, name: undefined }],
    ["from", { ...CAMPAIGN, from: "nobody" }],
    ["from", { ...CAMPAIGN, from: "A <a@mail.example.org>\r\nBcc: b@mail.example.org" }],
    ["replyTo", { ...CAMPAIGN, replyTo: 7 }],
    ["subject", { ...CAMPAIGN, subject: "x".repeat(999) }],
    ["subject", { ...CAMPAIGN, subject: "Hi\r\nBcc: b@mail.example.org" }],
    ["subject", { ...CAMPAIGN, subject: "{{ broken" }],
    ["html", { ...CAMPAIGN, html: "{% if %}" }],
    ["html", { ...CAMPAIGN, html: "x".repeat(500_001) }],
    ["text", { ...CAMPAIGN, text: "{{ 'now' | date: '%Y' }}" }],
    ["html", { ...CAMPAIGN, text: undefined }],
    ["headers.Bcc", { ...CAMPAIGN, headers: { Bcc: "b@mail.example.org" } }],
    ["headers.X-A", { ...CAMPAIGN, headers: { "X-A": "a\r\nB: c" } }],
    ["tags.campaign", { ...CAMPAIGN, tags: { campaign: "mine" } }],
    ["tags.a", { ...CAMPAIGN, tags: { a: "a b" } }],
    ["unsubscribe", { ...CAMPAIGN, unsubscribe: "yes" }],
    ["delivery", { ...CAMPAIGN, delivery: "pigeon" }],
    ["subject", { id: CAMPAIGN.id, name: "x", delivery: "external", subject: "Hello" }],
    ["colour", { ...CAMPAIGN, colour: "red" }],
    ["settings.colour", settings("colour", "red")],
    ["settings.batchSize", settings("batchSize", 0)],
    ["settings.batchSize", settings("batchSize", 101)],
    ["settings.batchSize", settings("batchSize", 1.5)],
    ["settings.batchSize", settings("batchSize", "10")],
    ["settings.batchSize", settings("batchSize", null)],
    ["settings.leaseSeconds", settings("leaseSeconds", 4)],
    ["settings.leaseSeconds", settings("leaseSeconds", 901)],
    ["settings.maxAttempts", settings("maxAttempts", 0)],
    ["settings.maxAttempts", settings("maxAttempts", 101)],
    ["settings.idempotencyWindowSeconds", settings("idempotencyWindowSeconds", -1)],
    ["settings.idempotencyWindowSeconds", settings("idempotencyWindowSeconds", 86_401)],
    ["settings.requestsPerSecond", settings("requestsPerSecond", 0)],
    ["settings.requestsPerSecond", settings("requestsPerSecond", 1_001)],
    ["settings.pauseAtFailureRate", settings("pauseAtFailureRate", -0.1)],
    ["settings.pauseAtFailureRate", settings("pauseAtFailureRate", 1.1)],
    ["settings.pauseAtDeadLetters", settings("pauseAtDeadLetters", 0)],
  ];

  it.each(FAULTS)("names %s", async (path, body) => {
    const problem = await expectRefused(never, "POST", "/api/campaigns", { body });
    expect(problem).toMatchObject({ status: 400, code: "invalidFields" });
    expect(problem.errors?.map((each) => each.path)).toContain(path);
    expect(await api("GET", never.path)).toMatchObject({ status: 404 });
  });

  it.each([
    ["malformed JSON", { body: '{"name": "x",\n  "from" }' }, 400, "malformedJson", "line 2"],
    ["an empty body", { body: "" }, 400, "malformedJson", "empty"],
    [
      "bytes that are no text",
      { body: new Uint8Array([0x7b, 0xff]) },
      400,
      "malformedText",
      "byte",
    ],
    [
      "another content type",
      { body: "name=x", type: "text/plain" },
      415,
      "unsupportedMediaType",
      "json",
    ],
    [
      "no content type",
      { body: new Uint8Array([0x7b, 0x7d]), type: null },
      415,
      "unsupportedMediaType",
      "json",
    ],
    ["a list", { body: [] }, 400, "invalidFields", "object"],
    ["too many bytes", { body: `{"name":"${"x".repeat(2_097_152)}"}` }, 413, "tooLarge", "2097152"],
  ])("refuses %s", async (_, sending: Sending, status, code, place) => {
    const problem = await expectRefused(never, "POST", "/api/campaigns", sending);
    expect(problem).toMatchObject({ status, code });
    expect(problem.detail).toContain(place);
  });
});

async function standing(): Promise<TestCampaign> {
  stage.queue.mood = () => "lose";
  return campaign({ recipients: 3 });
}

describe("a campaign that stays as it is", () => {
  it("PATCH: each field, unknown ones, and those that can't be changed", async () => {
    const one = await standing();
    for (const [path, body] of [
      ["settings.batchSize", { settings: { batchSize: 0 } }],
      ["settings.colour", { settings: { colour: 1 } }],
      ["name", { name: "" }],
      ["id", { id: "other" }],
      ["delivery", { delivery: "external" }],
      ["colour", { colour: "red" }],
      ["text", { text: "{{ broken" }],
      ["html", { text: null }],
    ] as const) {
      const problem = await expectRefused(one, "PATCH", one.path, { body });
      expect(problem, path).toMatchObject({ status: 400, code: "invalidFields" });
      expect(problem.errors?.map((each) => each.path)).toContain(path);
    }
  });

  it.each([
    ["application/json", '{"recipients":[{"email":"a@mail.example.org"},{"email"]}', "column 55"],
    ["application/json", '{"people":[]}', "people"],
    ["application/json", '{"recipients":{}}', "recipients"],
    ["application/json", "[]", "recipients"],
    ["application/json", "", "empty"],
    ["application/x-ndjson", "", "empty"],
    ["text/csv", "", "empty"],
    ["text/csv", "name\nAda\n", "email"],
  ])("upload: %s %j names the place, and nobody is added", async (type, body, place) => {
    const one = await standing();
    const problem = await expectRefused(one, "POST", `${one.path}/recipients`, { body, type });
    expect(problem).toMatchObject({ status: 400, code: "invalidUpload" });
    expect(JSON.stringify(problem).toLowerCase()).toContain(place);
  });

  it("upload: a bad row of NDJSON is named by its line, and the good ones are in", async () => {
    const one = await standing();
    const body = [
      '{"id":"n1","email":"n1@mail.example.org"}',
      "{broken",
      '{"email":"nowhere"}',
      '{"email":"n4@mail.example.org","colour":"red"}',
      '{"id":"n5","email":"n5@mail.example.org"}',
    ].join("\n");
    const answer = await done("POST", `${one.path}/recipients`, {
      body,
      type: "application/x-ndjson",
    });
    expect(answer).toMatchObject({
      added: 2,
      invalid: 3,
      total: 5,
      problems: [{ line: 2 }, { line: 3 }, { line: 4 }],
    });
  });

  it.each([
    ["text/plain", undefined],
    ["text/csv; charset=latin1", undefined],
    ["text/csv; header=absent", undefined],
    ["application/json", { "content-encoding": "gzip" }],
  ])("upload: %s is refused as a type", async (type, headers) => {
    const one = await standing();
    const problem = await expectRefused(one, "POST", `${one.path}/recipients`, {
      body: "email\na@mail.example.org",
      type,
      ...(headers === undefined ? {} : { headers }),
    });
    expect(problem).toMatchObject({ status: 415, code: "unsupportedMediaType" });
  });

  it("commands: bodies, states and paths", async () => {
    const one = await standing();
    const refusals: readonly (readonly [string, string, Sending, number, string])[] = [
      ["POST", "start", { body: { at: "tomorrow" } }, 400, "invalidFields"],
      ["POST", "start", { body: { at: "2026-02-30T10:00:00Z" } }, 400, "invalidFields"],
      ["POST", "start", { body: { at: "2001-01-01T10:00:00Z" } }, 400, "invalidFields"],
      ["POST", "start", { body: { when: "now" } }, 400, "invalidFields"],
      ["POST", "pause", { body: { reason: "x" } }, 400, "invalidFields"],
      ["POST", "pause", {}, 409, "wrongState"],
      ["POST", "resume", {}, 409, "wrongState"],
      ["POST", "replay", { body: { recipients: "failed" } }, 409, "wrongState"],
      ["POST", "replay", { body: { recipients: "everybody" } }, 400, "invalidFields"],
      ["POST", "replay", { body: { recipients: "inDoubt" } }, 400, "invalidFields"],
      ["POST", "resolve", { body: { ids: ["p1"], as: "lost" } }, 400, "invalidFields"],
      ["POST", "resolve", { body: { ids: ["p1"], as: "sent" } }, 409, "notInDoubt"],
      ["POST", "resolve", { body: { ids: ["nobody"], as: "sent" } }, 404, "recipientNotFound"],
      ["GET", "recipients?status=lost", {}, 400, "invalidQuery"],
      ["GET", "recipients?limit=0", {}, 400, "invalidQuery"],
      ["GET", "recipients?limit=1001", {}, 400, "invalidQuery"],
      ["GET", "recipients?colour=red", {}, 400, "invalidQuery"],
      ["GET", "recipients/nobody", {}, 404, "recipientNotFound"],
      ["GET", "recipients/%ff", {}, 400, "malformedPath"],
      ["PUT", "recipients", { body: {} }, 405, "methodNotAllowed"],
      ["POST", "nothing", {}, 404, "pathNotFound"],
    ];
    for (const [method, path, sending, status, code] of refusals) {
      const problem = await expectRefused(one, method, `${one.path}/${path}`, sending);
      expect(problem, `${method} ${path}`).toMatchObject({ status, code });
    }
  });

  it.each(["recipients", "recipients?status=failed&", "events", "dead-letters"])(
    "a cursor that no page of %s has given",
    async (list) => {
      const one = await standing();
      const separator = list.includes("?") ? "" : "?";
      const path = `${one.path}/${list}${separator}cursor=no-such-cursor`;
      const problem = await expectRefused(one, "GET", path, {});
      expect(problem).toMatchObject({
        status: 400,
        code: "invalidQuery",
        errors: [{ path: "cursor" }],
      });
    },
  );

  it("a cursor that no page of campaigns has given", async () => {
    const one = await standing();
    const problem = await expectRefused(one, "GET", "/api/campaigns?cursor=no-such-cursor", {});
    expect(problem).toMatchObject({ status: 400, errors: [{ path: "cursor" }] });
  });

  it("the same id with another body", async () => {
    const one = await standing();
    const body = { ...CAMPAIGN, id: one.id };
    const problem = await expectRefused(one, "POST", "/api/campaigns", { body });
    expect(problem).toMatchObject({ status: 409, code: "campaignExists" });
  });

  it("suppressions: each address and reason", async () => {
    const one = await standing();
    for (const [path, body] of [
      ["addresses.1", { addresses: ["a@mail.example.org", "nobody"] }],
      ["addresses", { addresses: [] }],
      [
        "addresses",
        { addresses: Array.from({ length: 1_001 }, (_, at) => `a${at}@mail.example.org`) },
      ],
      ["reason", { addresses: ["a@mail.example.org"], reason: "because" }],
      ["colour", { addresses: ["a@mail.example.org"], colour: "red" }],
    ] as const) {
      const problem = await expectRefused(one, "PUT", "/api/suppressions", { body });
      expect(
        problem.errors?.map((each) => each.path),
        path,
      ).toContain(path);
    }
    for (const [address, status] of [
      ["nobody", 400],
      ["nobody%40mail.example.org", 404],
    ] as const) {
      const problem = await expectRefused(one, "DELETE", `/api/suppressions/${address}`, {});
      expect(problem.status).toBe(status);
    }
  });
});
