/** The command line as a process of its own against the whole stack: a campaign from draft to file. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/processes.ts";
import { PEOPLE } from "./audience.ts";
import { Stack } from "./stack.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const TOTAL = 500;
const LUCKLESS = PEOPLE[7]?.email ?? "";
let stack: Stack;

type Ended = { readonly code: number; readonly out: string; readonly err: string };

function sendonce(...args: string[]): Promise<Ended> {
  const env = {
    ...process.env,
    NODE_NO_WARNINGS: "1",
    SENDONCE_URL: stack.url,
    SENDONCE_TOKEN: stack.token,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

beforeAll(async () => {
  stack = await Stack.start({ requestsPerSecond: 20 });
});

afterAll(() => stack?.stop());

describe("sendonce, the command line", () => {
  it("creates, imports, checks, starts, watches to the end, explains and exports", async () => {
    const folder = temporaryFolder("cli");
    const draft = join(folder, "draft.json");
    const list = join(folder, "list.csv");
    const people = PEOPLE.slice(0, TOTAL);
    const rows = people.map(({ id, email, firstName }) => `${email},${id},${firstName}\n`);
    writeFileSync(list, `email,id,firstName\n${rows.join("")}bob@@mail.example,u_bob,Bob\n`);
    const campaign = {
      from: "Shop <news@shop.example>",
      subject: "Hello {{ firstName }}",
      text: ".",
    };
    writeFileSync(draft, JSON.stringify({ id: "cli", name: "By hand", ...campaign }));

    const created = await sendonce("create", draft, "--set", "batchSize=25", "leaseSeconds=5");
    expect(created).toMatchObject({ code: 0, out: "cli is there, in state draft: By hand\n" });

    const imported = await sendonce("import", "cli", list);
    expect(imported).toMatchObject({ code: 0, err: "" });
    expect(imported.out).toContain("500 recipients added; 1 unusable. The campaign has 500.");
    expect(imported.out).toContain(`line ${TOTAL + 2}: `);

    const checked = await sendonce("preflight", "cli", "--json");
    expect(checked.code).toBe(0);
    expect(JSON.parse(checked.out)).toMatchObject({ ok: true, willBeMailed: TOTAL });

    // The answer to one batch is lost, and the story of its people has to tell of it.
    await stack.provider.fault({ do: "acceptThenDrop", match: { address: LUCKLESS } });
    // Who watches is there before the start, however fast the campaign is.
    const watching = sendonce("watch", "cli", "--every", "0.2");
    expect((await sendonce("start", "cli")).code).toBe(0);
    const again = await sendonce("start", "cli");
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("sendonce status <campaign>");

    const watched = await watching;
    expect(watched).toMatchObject({ code: 0, err: "" });
    const lines = watched.out.trimEnd().split("\n");
    expect(lines.at(-2)).toMatch(/^\d\d:\d\d:\d\dZ {2}finished {2}500 of 500 \(100\.0 %\)/);
    expect(lines.at(-1)).toMatch(/^cli finished: 500 sent in \d+ s.*\.$/);
    expect(lines.length).toBeGreaterThan(3);

    const why = await sendonce("why", "cli", "u_000008");
    expect(why.code).toBe(0);
    expect(why.out).toMatch(/^u_000008 <person\.000008@mail\.example>: was mailed\./);
    expect(why.out).toContain("no answer that tells; it may have been accepted");
    expect(why.out).toContain("the provider answered for each recipient");
    expect(await sendonce("why", "cli", "u_nobody")).toMatchObject({ code: 1, out: "" });

    const exported = await sendonce("export", "cli", "--status", "sent");
    expect(exported.out.trimEnd().split("\r\n")).toHaveLength(TOTAL + 1);
    const mails = stack.providerLog.acceptedOf("cli");
    expect(mails.size).toBe(TOTAL);
    expect([...mails.values()].every((ids) => ids.length === 1)).toBe(true);
    expect(exported.out).toContain(mails.get(LUCKLESS)?.[0] ?? "?");

    const status = await sendonce("status", "cli");
    expect(status.out).toContain("cli: finished\n  500 of 500 sent (100.0 %)\n");
    expect((await sendonce("status")).out).toMatch(/^cli +finished +500 of 500 +100\.0 %/m);
  });

  it("says 3 where nobody is, and 1 to a token that is none", async () => {
    expect((await sendonce("status", "--token", "wrong")).code).toBe(1);
    await stack.crash();
    const alone = await sendonce("status");
    expect(alone).toMatchObject({ code: 3, out: "" });
    expect(alone.err).toContain("ECONNREFUSED");
  });
});
