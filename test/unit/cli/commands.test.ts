import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command } from "./capture.ts";
import { CAMPAIGN, served } from "./served.ts";
import { statusOf } from "./status.ts";

const { folder, server, ask, lastJson } = served();
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const last = () => server.asked.at(-1);

const entry = (id: string, name: string) => ({
  id,
  name,
  createdAt: "2026-11-30T10:00:00.000Z",
  status: statusOf({ stats: { sent: 6_240, remaining: 6_240 } }),
});

const recipient = (id: string, reason: string | null = null) => ({
  id,
  email: `${id}@example.org`,
  data: {},
  status: "failed",
  reason,
  providerId: null,
  batch: null,
  updatedAt: "2026-12-01T08:00:00.000Z",
});

describe("create", () => {
  it("takes a file, and a flag wins over it", async () => {
    server.answers("POST /api/campaigns", { body: { id: "spring", state: "draft", name: "Sale" } });
    const draft = file("draft.json", '{"name":"Old","subject":"Hi","settings":{"batchSize":50}}');
    const html = file("mail.html", "<p>Hello</p>");
    const settings = ["--set", "leaseSeconds=5", "requestsPerSecond=null"];
    const flags = ["--name", "Sale", "--id", "spring", "--html", html, "--no-unsubscribe"];
    const said = await ask("create", draft, ...flags, ...settings);
    expect(said).toMatchObject({ code: 0, out: "spring is there, in state draft: Sale\n" });
    expect(lastJson()).toEqual({
      id: "spring",
      name: "Sale",
      subject: "Hi",
      html: "<p>Hello</p>",
      unsubscribe: false,
      settings: { batchSize: 50, leaseSeconds: 5, requestsPerSecond: null },
    });
    expect(last()?.authorization).toBe("Bearer secret");
  });

  it("leaves unsubscribe to the file and to the server where nothing is said", async () => {
    await ask("create", "--name", "Sale");
    expect(lastJson()).toEqual({ name: "Sale" });
  });

  it("says which fields the server has refused", async () => {
    const errors = [
      { path: "from", detail: "is required" },
      { path: "subject", detail: "is required" },
    ];
    server.refuses("POST /api/campaigns", 400, "invalidFields", {
      detail: "`from` is required.",
      errors,
    });
    const said = await ask("create", "--name", "Sale");
    expect(said).toEqual({
      code: 1,
      out: "",
      err: "sendonce: `from` is required.\n  subject is required\n",
    });
  });

  it("refuses a file that is no JSON object, and one that is not there", async () => {
    expect((await ask("create", file("bad.json", "{"))).err).toContain("bad.json is not JSON");
    expect((await ask("create", file("list.json", "[]"))).err).toContain("one JSON object");
    const missing = await ask("create", join(folder, "none.json"));
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.err).toContain("ENOENT");
    expect((await ask("create", "--set", "batchSize=many")).err).toContain("has to be a number");
    expect((await ask("create", "--set", "batchSize")).err).toContain("such as batchSize=50");
    expect(server.asked).toEqual([]);
  });
});

describe("import", () => {
  const csv = "email\nada@example.org\n";
  const report = {
    added: 1200,
    duplicates: 3,
    suppressed: 0,
    invalid: 1,
    total: 1203,
    problems: [{ line: 7, code: "invalidAddress", detail: "bob@@x: two @" }],
  };

  it("sends the file in the format of its name, and tells what became of it", async () => {
    const path = `POST ${CAMPAIGN}/recipients?email=mail&id=key`;
    server.answers(path, { body: report });
    const args = ["--email-column", "mail", "--id-column", "key"];
    const said = await ask("import", "spring", file("list.csv", csv), ...args);
    expect(last()).toMatchObject({ type: "text/csv", body: csv });
    expect(said).toEqual({
      code: 0,
      out:
        "1,200 recipients added; 3 there already, 1 unusable. The campaign has 1,203.\n" +
        "  line 7: bob@@x: two @ (invalidAddress)\n",
      err: "",
    });
  });

  it("--strict ends with 4 where rows were left out", async () => {
    server.answers(`POST ${CAMPAIGN}/recipients`, { body: report });
    const ndjson = file("list.ndjson", '{"email":"ada@example.org"}\n');
    expect((await ask("import", "spring", ndjson, "--strict")).code).toBe(4);
    expect(last()?.type).toBe("application/x-ndjson");
  });

  it("reads stdin in the format that is named, and asks for it where none is", async () => {
    server.answers(`POST ${CAMPAIGN}/recipients`, { body: report });
    const io = {
      env: { SENDONCE_URL: server.url, SENDONCE_TOKEN: "secret" },
      stdin: () => new Blob([csv]).stream(),
    };
    expect((await command(["import", "spring", "-", "--format", "csv"], io)).code).toBe(0);
    expect(last()?.body).toBe(csv);
    const without = await command(["import", "spring", "-"], io);
    expect(without).toMatchObject({ code: 2 });
    expect(without.err).toContain("the format of stdin is unknown; give --format");
    expect((await ask("import", "spring", folder)).err).toContain("format of");
    expect((await ask("import", "spring", folder, "--format", "csv")).err).toContain("a folder");
  });

  it("shows a bar by bytes on a terminal, apart from the result", async () => {
    server.answers(`POST ${CAMPAIGN}/recipients`, { body: report });
    const env = { SENDONCE_URL: server.url, SENDONCE_TOKEN: "secret" };
    const args = ["import", "spring", file("list.csv", csv), "--json"];
    const said = await command(args, { env, errIsTerminal: true });
    expect(said.err).toContain(`${"█".repeat(32)}  22 B of 22 B  100.0 %\n`);
    expect(JSON.parse(said.out)).toEqual(report);
  });

  it("names what came through before an upload broke off", async () => {
    server.refuses(`POST ${CAMPAIGN}/recipients`, 400, "uploadInterrupted", {
      detail: "A quote is open (line 9) What came before is stored.",
      added: 8,
    });
    const said = await ask("import", "spring", file("list.csv", csv));
    expect(said.err).toContain("line 9");
    expect(said.err).toContain("import the same file again");
  });
});

describe("preflight", () => {
  const report = {
    ok: false,
    willBeMailed: 5,
    notMailed: { suppressed: 5_035, cancelled: 0 },
    suppressedBecause: { unsubscribe: 5_000, complaint: 35 },
    errors: [
      {
        code: "missingField",
        detail: "firstName is missing and has no default.",
        count: 2,
        recipients: ["u_1", "u_2"],
      },
    ],
    warnings: [{ code: "noText", detail: "There is no text part." }],
    estimatedSeconds: 130,
  };

  it("C27: says who would be mailed and why not the rest, and ends with 4 on errors", async () => {
    server.answers(`POST ${CAMPAIGN}/preflight`, { body: report });
    const said = await ask("preflight", "spring");
    expect(said.code).toBe(4);
    expect(said.out.split("\n")).toEqual([
      "5 recipients would be mailed, in about 2 min 10 s.",
      "  5,035 not: suppressed",
      "    5,000 by unsubscribe",
      "    35 by complaint",
      "error: firstName is missing and has no default. It hits 2 recipients, such as u_1, u_2. (missingField)",
      "warning: There is no text part. (noText)",
      "A start would be refused.",
      "",
    ]);
  });

  it("ends with 0 where there are warnings only", async () => {
    server.answers(`POST ${CAMPAIGN}/preflight`, { body: { ...report, ok: true, errors: [] } });
    const said = await ask("preflight", "spring");
    expect(said.code).toBe(0);
    expect(said.out).toContain("Nothing keeps it from starting.");
  });
});

describe("start, pause, resume, cancel, status", () => {
  it("starts at once, at a time, and at a time on the clocks of a place", async () => {
    server.answers(`POST ${CAMPAIGN}/start`, { body: statusOf() });
    await ask("start", "spring");
    expect(lastJson()).toEqual({});
    await ask("start", "spring", "--at", "2026-12-01T09:00:00+01:00");
    expect(lastJson()).toEqual({ at: "2026-12-01T09:00:00+01:00" });
    server.answers(`POST ${CAMPAIGN}/start`, { body: statusOf({ state: "scheduled" }) });
    const args = ["--at", "2026-12-01T09:00", "--in-zone", "Europe/Berlin"];
    const said = await ask("start", "spring", ...args);
    expect(lastJson()).toEqual({ local: "2026-12-01T09:00", zone: "Europe/Berlin" });
    expect(said.out).toBe("spring is scheduled for 2026-12-01T09:00 in Europe/Berlin.\n");
    expect(await ask("start", "spring", "--in-zone", "Europe/Berlin")).toMatchObject({ code: 2 });
  });

  it("passes a refusal on, with what to do next", async () => {
    server.refuses(`POST ${CAMPAIGN}/start`, 409, "wrongState");
    expect(await ask("start", "spring")).toEqual({
      code: 1,
      out: "",
      err: "sendonce: It is wrongState.\n`sendonce status <campaign>` says what state it is in.\n",
    });
    const json = await ask("start", "spring", "--json");
    expect(json).toMatchObject({ code: 1, out: "" });
    expect(JSON.parse(json.err)).toMatchObject({ error: "wrongState", status: 409 });
  });

  it("pauses and resumes, and says how to go on", async () => {
    const pause = { reason: "operator", detail: "Paused.", since: "2026-12-01T08:00:00Z" } as const;
    const paused = statusOf({
      state: "paused",
      pause,
      stats: { total: 300, sent: 100, reserved: 50, remaining: 150 },
    });
    server.answers(`POST ${CAMPAIGN}/pause`, { body: paused });
    server.answers(`POST ${CAMPAIGN}/resume`, { body: statusOf() });
    expect((await ask("pause", "spring")).out.split("\n")).toEqual([
      "spring: paused (operator: Paused.)",
      "  100 of 300 sent (33.3 %)",
      "  150 remaining, 50 in flight",
      "  started 2026-12-01 08:59:00Z",
      "  to go on: sendonce resume spring",
      "",
    ]);
    expect((await ask("resume", "spring")).code).toBe(0);
  });

  it("cancels only with --yes, and says in numbers what it would do", async () => {
    server.answers(`GET ${CAMPAIGN}/delivery-status`, {
      body: statusOf({ stats: { total: 4_000, remaining: 3_800, reserved: 120, sent: 80 } }),
    });
    server.answers(`POST ${CAMPAIGN}/cancel`, { body: statusOf({ state: "cancelled" }) });
    const unsure = await ask("cancel", "spring");
    expect(unsure.code).toBe(2);
    expect(unsure.err).toContain("3,800 recipients would never be mailed; 120 in flight");
    expect(server.asked.map(({ method }) => method)).toEqual(["GET"]);
    expect((await ask("cancel", "spring", "--yes")).code).toBe(0);
    expect(last()).toMatchObject({ method: "POST", path: `${CAMPAIGN}/cancel` });
  });

  it("lists all campaigns, every page of them", async () => {
    server.answers("GET /api/campaigns?include=status", {
      body: { items: [entry("spring", "Spring\u001B[2J sale")], cursor: "next" },
    });
    server.answers("GET /api/campaigns?include=status&cursor=next", {
      body: { items: [entry("autumn-2026", "Autumn")], cursor: null },
    });
    expect((await ask("status")).out.split("\n")).toEqual([
      "CAMPAIGN     STATE    SENT                     CREATED               NAME",
      "spring       sending  6,240 of 12,480  50.0 %  2026-11-30 10:00:00Z  Spring�[2J sale",
      "autumn-2026  sending  6,240 of 12,480  50.0 %  2026-11-30 10:00:00Z  Autumn",
      "",
    ]);
    const json = JSON.parse((await ask("status", "--json")).out) as { id: string }[];
    expect(json.map(({ id }) => id)).toEqual(["spring", "autumn-2026"]);
  });

  it("a campaign's id is one segment of the path, whatever is in it", async () => {
    await ask("status", "../../healthz?");
    expect(last()?.path).toBe("/api/campaigns/..%2F..%2Fhealthz%3F/delivery-status");
  });
});

describe("recipients, export", () => {
  it("lists one page and names the next, or all", async () => {
    const path = `GET ${CAMPAIGN}/recipients?status=failed`;
    const [first, second] = [recipient("u_1", "refused\nby us"), recipient("u_2")];
    server.answers(`${path}&limit=1`, { body: { items: [first], cursor: "c2" } });
    server.answers(`${path}&limit=1000`, { body: { items: [first], cursor: "c2" } });
    server.answers(`${path}&limit=1000&cursor=c2`, { body: { items: [second], cursor: null } });
    const one = await ask("recipients", "spring", "--status", "failed", "--limit", "1");
    expect(one.err).toBe("There are more: --cursor c2, or --all.\n");
    expect(one.out).toContain("u_1  u_1@example.org  failed  2026-12-01 08:00:00Z  refused�by us");
    const all = await ask("recipients", "spring", "--status", "failed", "--all", "--json");
    expect(
      all.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([first, second]);
  });

  it("refuses a status that there is none of, and a limit out of range", async () => {
    expect(await ask("recipients", "spring", "--status", "lost")).toMatchObject({ code: 2 });
    expect(await ask("recipients", "spring", "--limit", "1001")).toMatchObject({ code: 2 });
    expect(server.asked).toEqual([]);
  });

  it("writes the export to stdout or to a file as it comes", async () => {
    const csv = "id,email\r\nu_1,ä@example.org\r\n";
    server.answers(`GET ${CAMPAIGN}/recipients.csv?status=sent`, { body: csv });
    expect(await ask("export", "spring", "--status", "sent")).toEqual({
      code: 0,
      out: csv,
      err: "",
    });
    const output = join(folder, "out.csv");
    const said = await ask("export", "spring", "--status", "sent", "-o", output);
    expect(said).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(output, "utf8")).toBe(csv);
  });
});
