import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAMPAIGN, served } from "./served.ts";
import { statusOf } from "./status.ts";

const { folder, server, ask, lastJson } = served();

describe("replay, resolve", () => {
  const report = { replayed: 2, reopened: 0, left: [], status: statusOf() };

  it("G3: those in doubt are mailed again only where the risk is accepted in words", async () => {
    server.answers(`POST ${CAMPAIGN}/replay`, { body: report });
    const careless = await ask("replay", "spring", "inDoubt");
    expect(careless).toMatchObject({ code: 2 });
    expect(careless.err).toContain("may have been mailed already");
    expect(server.asked).toEqual([]);
    await ask("replay", "spring", "inDoubt", "--accept-duplicate-risk");
    expect(lastJson()).toEqual({ recipients: "inDoubt", acceptDuplicateRisk: true });
  });

  it("replays a kind or named ones; those left as they are end it with 4", async () => {
    server.answers(`POST ${CAMPAIGN}/replay`, { body: report });
    expect((await ask("replay", "spring", "failed")).code).toBe(0);
    expect(lastJson()).toEqual({ recipients: "failed" });
    const left = [{ id: "u_2", status: "sent" }];
    server.answers(`POST ${CAMPAIGN}/replay`, { body: { ...report, replayed: 1, left } });
    const said = await ask("replay", "spring", "--ids", "u_1", "u_2");
    expect(lastJson()).toEqual({ ids: ["u_1", "u_2"], acceptDuplicateRisk: false });
    expect(said).toMatchObject({ code: 4 });
    expect(said.out).toContain("u_2 was left as it is: sent");
    expect(await ask("replay", "spring")).toMatchObject({ code: 2 });
    expect(await ask("replay", "spring", "failed", "--ids", "u_1")).toMatchObject({ code: 2 });
  });

  it("resolves named ones, and wants to know as what", async () => {
    server.answers(`POST ${CAMPAIGN}/resolve`, { body: statusOf() });
    expect(await ask("resolve", "spring", "u_1")).toMatchObject({ code: 2 });
    expect(await ask("resolve", "spring", "u_1", "--as", "lost")).toMatchObject({ code: 2 });
    const said = await ask("resolve", "spring", "--as", "sent", "u_1", "u_2");
    expect(lastJson()).toEqual({ ids: ["u_1", "u_2"], as: "sent" });
    expect(said.out).toContain("2 doubts settled.\n");
  });
});

describe("suppress", () => {
  it("adds addresses and a file, removes, and lists every page", async () => {
    server.answers("PUT /api/suppressions", { body: { addresses: 2, added: 1, already: 1 } });
    const added = await ask("suppress", "add", "a@example.org", "b@example.org");
    expect(lastJson()).toEqual({ addresses: ["a@example.org", "b@example.org"] });
    expect(added.out).toBe("1 added; 1 on the list already.\n");

    server.answers("POST /api/suppressions/import?reason=complaint", {
      body: { added: 5, already: 0, invalid: 1, problems: [{ line: 3, code: "x", detail: "y" }] },
    });
    const csv = join(folder, "suppressed.csv");
    writeFileSync(csv, "email\na@example.org\n");
    const imported = await ask("suppress", "add", "--file", csv, "--reason", "complaint");
    expect(imported).toMatchObject({ code: 4, out: "5 added.\n  line 3: y (x)\n" });

    server.answers("DELETE /api/suppressions/a%40example.org", { status: 204, body: "" });
    expect((await ask("suppress", "remove", "a@example.org")).out).toBe("1 address removed.\n");

    const item = { address: "a@example.org", reason: "operator", at: "2026-12-01T08:00:00Z" };
    server.answers("GET /api/suppressions?limit=1000", { body: { items: [item], cursor: "2" } });
    server.answers("GET /api/suppressions?limit=1000&cursor=2", {
      body: { items: [item], cursor: null },
    });
    expect((await ask("suppress", "list")).out).toBe(
      "a@example.org  operator  2026-12-01 08:00:00Z\n".repeat(2),
    );
  });

  it("wants addresses or a file, and not both", async () => {
    expect(await ask("suppress", "add")).toMatchObject({ code: 2 });
    expect(await ask("suppress", "add", "a@example.org", "--file", "x")).toMatchObject({ code: 2 });
    expect(server.asked).toEqual([]);
  });
});
