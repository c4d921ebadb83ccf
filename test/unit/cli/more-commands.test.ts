import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAMPAIGN, served } from "./served.ts";
import { statusOf } from "./status.ts";

const { folder, server, ask, lastJson } = served();
const page = (items: readonly object[], cursor: string | null = null) => ({
  body: { items, cursor },
});

describe("events, dead-letters", () => {
  const paused = {
    number: 4,
    at: "2026-12-01T09:00:05.000Z",
    type: "paused",
    detail: { reason: "operator", detail: "a\u001B[2Jlook", reserved: 50 },
  };
  const started = { number: 3, at: "2026-12-01T09:00:00.000Z", type: "started", detail: {} };

  it("tells what happened, newest first, and names the next page", async () => {
    server.answers(`GET ${CAMPAIGN}/events?limit=2`, page([paused, started], "c3"));
    const said = await ask("events", "spring", "--limit", "2");
    expect(said).toEqual({
      code: 0,
      out:
        "AT                    EVENT    DETAIL\n" +
        "2026-12-01 09:00:05Z  paused   reason=operator detail=a�[2Jlook reserved=50\n" +
        "2026-12-01 09:00:00Z  started\n",
      err: "There are more: --cursor c3, or --all.\n",
    });
  });

  it("--all --json is one event a line, over every page", async () => {
    server.answers(`GET ${CAMPAIGN}/events?limit=1000`, page([paused], "c3"));
    server.answers(`GET ${CAMPAIGN}/events?limit=1000&cursor=c3`, page([started]));
    const said = await ask("events", "spring", "--all", "--json");
    expect(said).toMatchObject({ code: 0, err: "" });
    const lines = said.out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([paused, started]);
  });

  it("tells which messages died, why, and whether they were brought back", async () => {
    const letter = {
      campaignId: "spring",
      number: 2,
      at: "2026-12-01T09:00:00.000Z",
      messageId: "m1",
      dispatch: 7,
      error: "the ledger\ndid not answer",
      stack: null,
      attempts: 6,
      recipients: 100,
      replayedAt: null,
    };
    const brought = { ...letter, number: 1, replayedAt: "2026-12-01T10:00:00.000Z" };
    server.answers(`GET ${CAMPAIGN}/dead-letters?limit=100`, page([letter, brought]));
    expect((await ask("dead-letters", "spring")).out.split("\n")).toEqual([
      "NUMBER  AT                    RECIPIENTS  ATTEMPTS  REPLAYED              ERROR",
      "2       2026-12-01 09:00:00Z  100         6         no                    the ledger�did not answer",
      "1       2026-12-01 09:00:00Z  100         6         2026-12-01 10:00:00Z  the ledger�did not answer",
      "",
    ]);
    const json = await ask("dead-letters", "spring", "--json");
    expect(JSON.parse(json.out)).toEqual({ items: [letter, brought], cursor: null });
  });

  it("refuse a limit out of range, and pass a refusal on with what to do next", async () => {
    expect(await ask("events", "spring", "--limit", "0")).toMatchObject({ code: 2, out: "" });
    expect(server.asked).toEqual([]);
    server.refuses(`GET ${CAMPAIGN}/events?limit=100`, 404, "campaignNotFound");
    const said = await ask("events", "spring");
    expect(said).toMatchObject({ code: 1, out: "" });
    expect(said.err).toContain("`sendonce status` lists the campaigns there are.");
  });
});

describe("segment", () => {
  const report = { added: 5, duplicates: 0, suppressed: 0, invalid: 1, total: 5, problems: [] };

  it("adds a view, with the names of its columns", async () => {
    server.answers(`POST ${CAMPAIGN}/recipients/segment`, { body: report });
    const columns = ["--email-column", "mail", "--id-column", "key"];
    const said = await ask("segment", "spring", "active_customers", ...columns);
    expect(lastJson()).toEqual({ segment: "active_customers", email: "mail", id: "key" });
    expect(said).toMatchObject({
      code: 0,
      out: "5 recipients added; 1 unusable. The campaign has 5.\n",
    });
    expect((await ask("segment", "spring", "active_customers", "--strict")).code).toBe(4);
    expect(lastJson()).toEqual({ segment: "active_customers" });
  });

  it("says where a view that is not there can be looked for", async () => {
    server.refuses(`POST ${CAMPAIGN}/recipients/segment`, 404, "segmentNotFound");
    const said = await ask("segment", "spring", "nobody");
    expect(said).toMatchObject({ code: 1, out: "" });
    expect(said.err).toContain("wrangler d1 execute");
  });
});

describe("test", () => {
  const sent = [{ to: "me@x.example", providerId: "re_1" }];

  it("mails a copy to a few, as one recipient would get it", async () => {
    server.answers(`POST ${CAMPAIGN}/test`, { body: { subject: "[Test] Hi", sent, failed: [] } });
    const said = await ask("test", "spring", "me@x.example", "--as", "u_7");
    expect(lastJson()).toEqual({ to: ["me@x.example"], recipientId: "u_7" });
    expect(said).toEqual({ code: 0, out: '"[Test] Hi" was sent to me@x.example.\n', err: "" });
  });

  it("ends with 4 where somebody did not get it, and is never sent twice by itself", async () => {
    const failed = [{ to: "you@x.example", reason: "no such mailbox" }];
    server.answers(`POST ${CAMPAIGN}/test`, { body: { subject: "Hi", sent, failed } });
    const said = await ask("test", "spring", "me@x.example", "you@x.example");
    expect(said).toMatchObject({ code: 4 });
    expect(said.out).toContain("  not to you@x.example: no such mailbox\n");
    server.refuses(`POST ${CAMPAIGN}/test`, 503, "overloaded");
    server.asked.length = 0;
    expect(await ask("test", "spring", "me@x.example")).toMatchObject({ code: 3, out: "" });
    expect(server.asked).toHaveLength(1);
    expect(await ask("test", "spring")).toMatchObject({ code: 2 });
  });
});

describe("finish, reconcile", () => {
  it("finish closes the enrolment and tells the numbers", async () => {
    server.answers(`POST ${CAMPAIGN}/finish`, { body: statusOf() });
    const said = await ask("finish", "spring");
    expect(said.code).toBe(0);
    expect(said.out).toContain("spring: sending\n");
    server.refuses(`POST ${CAMPAIGN}/finish`, 409, "wrongDelivery");
    expect((await ask("finish", "spring")).code).toBe(1);
  });

  it("G3: reconcile has the provider asked, and says where its end is told", async () => {
    const doubted = statusOf({ stats: { inDoubt: 12, remaining: 0, sent: 12_468 } });
    server.answers(`POST ${CAMPAIGN}/reconcile`, { body: doubted });
    expect((await ask("reconcile", "spring")).out).toBe(
      "The provider is asked about 12 recipients in doubt; what it has is settled as it answers.\n" +
        "  when that has ended: sendonce events spring\n",
    );
    const json = await ask("reconcile", "spring", "--json");
    expect(JSON.parse(json.out)).toEqual(doubted);
    server.answers(`POST ${CAMPAIGN}/reconcile`, { body: statusOf() });
    expect((await ask("reconcile", "spring")).out).toBe("Nobody is in doubt.\n");
  });
});

describe("suppress export", () => {
  const csv = "address,reason,at\r\na@example.org,operator,2026-12-01T08:00:00.000Z\r\n";
  const item = { address: "a@example.org", reason: "operator", at: "2026-12-01T08:00:00.000Z" };

  it("writes the list as the import reads it, to stdout, to a file, or as JSON", async () => {
    server.answers("GET /api/suppressions.csv", { body: csv });
    server.answers("GET /api/suppressions?limit=1000", page([item]));
    expect(await ask("suppress", "export")).toEqual({ code: 0, out: csv, err: "" });
    const output = join(folder, "suppressed.csv");
    const said = await ask("suppress", "export", "-o", output);
    expect(said).toEqual({ code: 0, out: "", err: `${output} is written.\n` });
    expect(readFileSync(output, "utf8")).toBe(csv);
    const json = await ask("suppress", "export", "--json");
    expect(JSON.parse(json.out)).toEqual(item);
    expect(await ask("suppress", "export", "--json", "-o", output)).toMatchObject({ code: 2 });
  });
});
