/** Segments on a real D1, and suppressions between real objects. */
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";

const PEOPLE = 2_503;

async function ask(method: string, path: string, body: unknown = null, type = "application/json") {
  const response = await exports.default.fetch(`https://mail.test${path}`, {
    method,
    headers: {
      authorization: `Bearer ${env.OPERATOR_TOKEN}`,
      ...(body === null ? {} : { "content-type": type }),
    },
    body: body === null || typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : null };
}

async function campaign(id: string, more: object = {}): Promise<string> {
  const content = { from: "Shop <news@shop.test>", subject: "Hello", text: "Hello" };
  const created = await ask("POST", "/api/campaigns", { id, name: id, ...content, ...more });
  expect(created.status).toBe(201);
  return `/api/campaigns/${id}`;
}

beforeAll(async () => {
  const { AUDIENCE } = env;
  await AUDIENCE.batch([
    AUDIENCE.prepare("CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT, name TEXT)"),
    AUDIENCE.prepare("CREATE VIEW everybody AS SELECT id, email, name FROM people"),
    AUDIENCE.prepare("CREATE VIEW broken AS SELECT id, email FROM gone"),
    AUDIENCE.prepare(`INSERT INTO people
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PEOPLE})
      SELECT 9007199254740000 + i, 'P' || i || '@x.org', 'Person ' || i FROM n`),
  ]);
});

describe("a segment of D1", () => {
  it("is enrolled whole, with ids beyond 2^53 as they are", async () => {
    const path = await campaign("segment-whole");
    const enrolled = await ask("POST", `${path}/recipients/segment`, { segment: "everybody" });
    expect(enrolled.json).toMatchObject({ added: PEOPLE, total: PEOPLE, invalid: 0 });
    const odd = await ask("GET", `${path}/recipients/9007199254740993`);
    expect(odd.json).toMatchObject({ email: "P993@x.org", data: { name: "Person 993" } });
    const again = await ask("POST", `${path}/recipients/segment`, { segment: "everybody" });
    expect(again.json).toMatchObject({ added: 0, duplicates: PEOPLE });
  });

  it.each([
    ["people", 404, "segmentNotFound"],
    ['everybody"; DROP TABLE people; --', 404, "segmentNotFound"],
    ["broken", 409, "segmentUnfit"],
  ])("%s is %d %s", async (segment, status, code) => {
    const path = await campaign(`segment-${code}-${segment.length}`);
    const answer = await ask("POST", `${path}/recipients/segment`, { segment });
    expect(answer).toMatchObject({ status, json: { code } });
  });
});

describe("G6: an address suppressed in one campaign", () => {
  it("is not mailed by any other", async () => {
    const csv = "email\nada@x.org\nbob@x.org\n";
    const running = await campaign("suppressed-running", { delivery: "managed" });
    await ask("POST", `${running}/recipients`, csv, "text/csv");
    const list = "address,reason\nADA@x.org,complaint\n";
    const imported = await ask("POST", "/api/suppressions/import", list, "text/csv");
    expect(imported.json).toMatchObject({ added: 1 });
    const later = await campaign("suppressed-later");
    const enrolled = await ask("POST", `${later}/recipients`, csv, "text/csv");
    expect(enrolled.json).toMatchObject({ added: 1, suppressed: 1 });
    for (const path of [running, later]) {
      expect((await ask("POST", `${path}/preflight`)).json).toMatchObject({
        willBeMailed: 1,
        notMailed: { suppressed: 1 },
        suppressedBecause: { complaint: 1 },
      });
    }
    const consumer = await campaign("suppressed-outside", externalOnly());
    await ask("POST", `${consumer}/start`);
    const recipients = [
      { id: "a", email: "Ada@x.org" },
      { id: "b", email: "bob@x.org" },
    ];
    const reserved = await ask("POST", `${consumer}/reservations`, {
      reservationId: "m1",
      recipients,
    });
    expect(reserved.json).toMatchObject({
      granted: true,
      recipients: [{ id: "b" }],
      skipped: [{ id: "a", reason: "suppressed" }],
    });
  });

  it("comes out as it went in", async () => {
    await ask("POST", "/api/suppressions/import", "address\neve@x.org\n", "text/csv");
    const { text } = await ask("GET", "/api/suppressions.csv");
    expect(text).toMatch(/^address,reason,at\r\n/);
    expect(text).toMatch(/\r\neve@x\.org,operator,\d{4}-/);
  });
});

it("a scheduled campaign begins by its own alarm", async () => {
  const path = await campaign("scheduled");
  const local = new Date(Date.now() + 400).toISOString();
  const at = await ask("POST", `${path}/start`, { at: local });
  expect(at.json).toMatchObject({ state: "scheduled" });
  await vi.waitUntil(async () => {
    const { json } = await ask("GET", `${path}/delivery-status`);
    return json.state === "finished";
  });
});

/** Without the content, which an external campaign does not take. */
function externalOnly(): object {
  return { delivery: "external", from: undefined, subject: undefined, text: undefined };
}
