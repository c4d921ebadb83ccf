import { describe, expect, it } from "vitest";
import type { Enrolment, EnrolReport } from "../../../src/campaign/rpc.ts";
import type { RecipientId } from "../../../src/domain/ids.ts";
import { ENROL_PAGE } from "../../../src/domain/limits.ts";
import { accept, refuse } from "../../../src/domain/result.ts";
import { api, problemOf, recipientView, STORY } from "./api.ts";

const RECIPIENTS = "/api/campaigns/spring/recipients";
const CSV = { "content-type": "text/csv" };
const NDJSON = { "content-type": "application/x-ndjson" };

/** An audience that knows who has been enrolled, by id. */
function audience() {
  const ids = new Set<RecipientId>();
  const enrol = async (rows: readonly Enrolment[]) => {
    const again = rows.filter((row) => ids.has(row.id));
    for (const row of rows) ids.add(row.id);
    const report: EnrolReport = {
      added: rows.length - again.length,
      duplicates: again.length,
      suppressed: 0,
      total: ids.size,
      problems: again.map(({ line }) => ({
        line,
        code: "duplicateId",
        detail: "is there already",
      })),
    };
    return accept(report);
  };
  return { ids, enrol };
}

function csvOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `u_${index},u${index}@example.org`);
  return ["id,email", ...lines].join("\n");
}

describe("an upload", () => {
  it.each([
    ["csv", CSV, "email,id,firstName\nada@example.org,u_81,Ada\n"],
    ["json", {}, { recipients: [{ id: "u_81", email: "ada@example.org" }] }],
    ["ndjson", NDJSON, '{"id":"u_81","email":"ada@example.org"}\n'],
  ])("of %s adds recipients", async (_, headers, body) => {
    const { enrol, ids } = audience();
    const response = await api({ campaign: { enrol } }).ask("POST", RECIPIENTS, { headers, body });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      added: 1,
      duplicates: 0,
      suppressed: 0,
      invalid: 0,
      total: 1,
      problems: [],
    });
    expect([...ids]).toEqual(["u_81"]);
  });

  it("C50: names invalid rows and duplicates by line, and takes the rest", async () => {
    const { enrol } = audience();
    const body = "email\na@x.test\nbob@@x.test\na@x.test\n\nc@x.test\n";
    const response = await api({ campaign: { enrol } }).ask("POST", RECIPIENTS, {
      headers: CSV,
      body,
    });
    const answer = await response.json<
      Record<string, unknown> & { problems: { line: number }[] }
    >();
    expect(answer).toMatchObject({ invalid: 1, total: 2 });
    expect(answer.problems[0]).toMatchObject({ line: 3, code: "notOneAtSign" });
  });

  it("C24: counts over pages, names the first 100 problems, and is safe to repeat", async () => {
    const { enrol } = audience();
    const { ask, calls } = api({ campaign: { enrol } });
    const upload = () => ask("POST", RECIPIENTS, { headers: CSV, body: csvOf(2500) });
    expect(await (await upload()).json()).toMatchObject({ added: 2500, total: 2500, problems: [] });
    const sizes = calls.map((call) => (call.args[0] as unknown[]).length);
    expect(sizes[0]).toBe(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(ENROL_PAGE);
    const again = await (await upload()).json<{ problems: { line: number }[] }>();
    expect(again).toMatchObject({ added: 0, duplicates: 2500, total: 2500 });
    expect(again.problems.map((each) => each.line)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 2),
    );
  });

  it("takes the names of the columns from the query", async () => {
    const { enrol, ids } = audience();
    const response = await api({ campaign: { enrol } }).ask(
      "POST",
      `${RECIPIENTS}?email=E-Mail&id=Customer`,
      { headers: CSV, body: "Customer,E-Mail\nc_1,ada@example.org\n" },
    );
    expect(response.status).toBe(200);
    expect([...ids]).toEqual(["c_1"]);
  });

  it.each(["text/plain", "multipart/form-data", "text/csv; header=absent"])(
    "in %s is 415 before the campaign is asked",
    async (type) => {
      const { ask, calls } = api();
      const headers = { "content-type": type };
      const response = await ask("POST", RECIPIENTS, { headers, body: "a@x.test\n" });
      expect(response.status).toBe(415);
      expect(calls).toEqual([]);
    },
  );

  it.each([
    [{ code: "notFound" }, 404],
    [{ code: "wrongState", state: "sending", command: "edit" }, 409],
  ] as const)("is refused with %j before the body is read", async (refusal, status) => {
    const { ask } = api({ campaign: { enrol: async () => refuse(refusal) } });
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull() {
          pulled += 1;
        },
      },
      { highWaterMark: 0 },
    );
    const response = await ask("POST", RECIPIENTS, { headers: CSV, body });
    expect(response.status).toBe(status);
    expect(pulled).toBe(0);
    const empty = await ask("POST", RECIPIENTS, { headers: CSV, body: "" });
    expect(empty.status).toBe(status);
  });

  it.each([
    ["csv", CSV, "name\nAda\n", "noEmailColumn"],
    ["csv", CSV, "", "emptyUpload"],
    ["csv", CSV, "email\n", "noRecipients"],
    ["json", { "content-type": "application/json" }, '{"people":[]}', "unknownField"],
  ])("C71: of %s that can't be read is 400 with the reason", async (_, headers, body, reason) => {
    const { ask, calls } = api({ campaign: { enrol: audience().enrol } });
    const response = await ask("POST", RECIPIENTS, { headers, body });
    expect(response.status).toBe(400);
    expect(await problemOf(response)).toMatchObject({ code: "invalidUpload", reason });
    expect(calls.map((call) => call.args[0])).toEqual([[]]);
  });

  it("that breaks off after some pages is 400 with what was taken", async () => {
    const { enrol } = audience();
    // A body this large is not held, so that its end is seen when its beginning is stored.
    const data = { note: "x".repeat(1000) };
    const rows = Array.from({ length: 3000 }, (_, n) => ({ email: `u${n}@example.org`, data }));
    const body = JSON.stringify({ recipients: rows }).replace(/\]\}$/, ",,]}");
    const response = await api({ campaign: { enrol } }).ask("POST", RECIPIENTS, {
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(400);
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ code: "uploadInterrupted", reason: "malformedJson" });
    expect(problem.added).toBeGreaterThan(0);
    expect(problem.added).toBe(problem.total);
    expect(problem.detail).toContain("safe to repeat");
  });

  it("whose campaign starts in between is 409 with what was taken", async () => {
    const { enrol } = audience();
    let pages = 0;
    const { ask } = api({
      campaign: {
        enrol: async (rows) => {
          pages += 1;
          if (pages <= 2) return enrol(rows);
          return refuse({ code: "wrongState", state: "sending", command: "edit" });
        },
      },
    });
    const response = await ask("POST", RECIPIENTS, { headers: CSV, body: csvOf(1500) });
    expect(response.status).toBe(409);
    expect(await problemOf(response)).toMatchObject({ code: "wrongState", added: 1000 });
  });

  it("is not asked twice for a page whose answer was lost, and says what was taken", async () => {
    const { enrol } = audience();
    let pages = 0;
    const { ask } = api({
      campaign: {
        enrol: async (rows) => {
          pages += 1;
          if (pages <= 2) return enrol(rows);
          throw Object.assign(new Error("reset"), { durableObjectReset: true });
        },
      },
    });
    const response = await ask("POST", RECIPIENTS, { headers: CSV, body: csvOf(1500) });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await problemOf(response)).toMatchObject({ code: "unavailable", added: 1000 });
    expect(pages).toBe(3);
  });
});

describe("one recipient", () => {
  it("is told with its whole story", async () => {
    const response = await api({ campaign: { recipient: async () => STORY } }).ask(
      "GET",
      `${RECIPIENTS}/u_81`,
    );
    expect(await response.json()).toEqual({
      id: "u_81",
      email: "u_81@example.org",
      data: {},
      status: "sent",
      reason: null,
      providerId: "re_1",
      batch: 3,
      updatedAt: "2026-11-29T12:00:00.000Z",
      idempotencyKey: "spring:3",
      attempts: [
        {
          token: 1,
          startedAt: "2026-11-29T11:59:58.000Z",
          expiresAt: "2026-11-29T12:00:00.000Z",
          endedAt: "2026-11-29T11:59:59.000Z",
          outcome: "answered",
          reason: null,
        },
      ],
      feedback: { state: "delivered", at: "2026-11-29T12:00:00.000Z" },
      suppression: null,
    });
  });

  it("that is not there is told apart from a campaign that is not there", async () => {
    const gone = { recipient: async () => null };
    const path = `${RECIPIENTS}/u_1`;
    const first = await api({ campaign: gone }).ask("GET", path);
    expect((await problemOf(first)).code).toBe("recipientNotFound");
    const second = await api({ campaign: { ...gone, deliveryStatus: async () => null } }).ask(
      "GET",
      path,
    );
    expect((await problemOf(second)).code).toBe("campaignNotFound");
  });
});

describe("recipients.csv", () => {
  const EXPORT = `${RECIPIENTS}.csv`;
  const HEADER = "id,email,status,reason,providerId,batch,updatedAt,data\r\n";

  it("is RFC 4180 with quotes where they are needed", async () => {
    const items = [
      recipientView('a"b', { reason: "two\nlines, and a comma", data: { firstName: "Ada" } }),
    ];
    const { ask, calls } = api({
      campaign: { recipients: async () => ({ items, cursor: null }) },
    });
    const response = await ask("GET", `${EXPORT}?status=failed`);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("content-disposition")).toBe(
      'attachment; filename="recipients-spring.csv"',
    );
    expect(calls[0]?.args).toEqual([{ status: "failed", limit: 500, cursor: null }]);
    expect(await response.text()).toBe(
      `${HEADER}"a""b","a""b@example.org",pending,"two\nlines, and a comma",,,` +
        '2026-11-29T12:00:00.000Z,"{""firstName"":""Ada""}"\r\n',
    );
  });

  it.each(["=1+1", "+49", "-x", "@a", "\tx", "\rx", "＝1"])(
    "keeps a spreadsheet from running %j",
    async (id) => {
      const items = [recipientView(id)];
      const { ask } = api({ campaign: { recipients: async () => ({ items, cursor: null }) } });
      const text = await (await ask("GET", EXPORT)).text();
      expect(text.slice(HEADER.length).replace(/^"/, "").startsWith(`'${id}`)).toBe(true);
    },
  );

  it("reads a page when the last one has been taken, and passes over empty ones", async () => {
    const pages = [
      { items: [recipientView("u_1")], cursor: "1" },
      { items: [], cursor: "2" },
      { items: [recipientView("u_2")], cursor: "3" },
      { items: [], cursor: null },
    ];
    let read = 0;
    const { ask } = api({
      campaign: {
        recipients: async ({ cursor }) => {
          expect(cursor).toBe(read === 0 ? null : String(read));
          read += 1;
          return pages[read - 1] ?? null;
        },
      },
    });
    const response = await ask("GET", EXPORT);
    expect(read).toBe(1);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const texts: string[] = [];
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) break;
      texts.push(next.value);
    }
    expect(read).toBe(4);
    expect(
      texts
        .join("")
        .split("\r\n")
        .map((row) => row.split(",")[0]),
    ).toEqual(["id", "u_1", "u_2", ""]);
  });

  it("breaks the download where a page fails, and never ends it early", async () => {
    let read = 0;
    const { ask } = api({
      campaign: {
        recipients: async () => {
          read += 1;
          if (read > 1) throw new Error("gone");
          return { items: [recipientView("u_1")], cursor: "1" };
        },
      },
    });
    await expect((await ask("GET", EXPORT)).text()).rejects.toThrow("gone");
  });

  it("of nobody is a header line", async () => {
    const { ask } = api({ campaign: { recipients: async () => ({ items: [], cursor: null }) } });
    expect(await (await ask("GET", EXPORT)).text()).toBe(HEADER);
  });
});
