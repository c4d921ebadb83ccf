/** Files that can't be read or written, answers that break off, and servers that are none of ours. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command } from "./capture.ts";
import { CAMPAIGN, served } from "./served.ts";

const { folder, server, ask } = served();
const CSV = "id,email\r\nu_1,ada@mail.example\r\n";

/** A server that breaks off in the middle of every file. */
const breaking = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/csv" });
  response.write(CSV, () => setTimeout(() => response.destroy(), 50));
});
beforeAll(() => new Promise<void>((resolve) => void breaking.listen(0, "127.0.0.1", resolve)));
afterAll(() => void breaking.close());
const broken = (...args: string[]) => {
  const { port } = breaking.address() as AddressInfo;
  const env = { SENDONCE_URL: `http://127.0.0.1:${port}`, SENDONCE_TOKEN: "secret" };
  return command(args, { env });
};

describe("a file that is written", () => {
  it("is the whole of what the server gives", async () => {
    server.answers(`GET ${CAMPAIGN}/recipients.csv`, { body: CSV });
    const file = join(folder, "whole.csv");
    expect(await ask("export", "spring", "-o", file)).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(file, "utf8")).toBe(CSV);
  });

  it("ends with 2 and its name where it can't be", async () => {
    server.answers(`GET ${CAMPAIGN}/recipients.csv`, { body: CSV });
    for (const file of [join(folder, "nowhere", "x.csv"), folder]) {
      const said = await ask("export", "spring", "-o", file);
      expect([said.code, said.err]).toEqual([
        2,
        expect.stringContaining(`${file} can't be written`),
      ]);
      expect(said.err).not.toContain("    at ");
    }
  });

  it("ends with 3 where it breaks off, on stdout as well", async () => {
    const file = join(folder, "part.csv");
    for (const output of [["-o", file], []]) {
      const said = await broken("export", "spring", ...output);
      expect(said.code).toBe(3);
      expect(said.err).toContain("the file broke off before its end");
    }
    expect(existsSync(file)).toBe(true);
  });
});

// Linux gives the beginning of a process's memory to nobody.
const hasOne = it.runIf(existsSync("/proc/self/mem"));
hasOne("a file that can't be read further ends an import with 2 and its name", async () => {
  const said = await ask("import", "spring", "/proc/self/mem", "--format", "csv");
  expect([said.code, said.err]).toEqual([
    2,
    expect.stringContaining("/proc/self/mem can't be read"),
  ]);
});

it("an answer of another version is told as such, and is no refusal", async () => {
  server.answers(`GET ${CAMPAIGN}/delivery-status`, { body: { hello: 1 } });
  const said = await ask("status", "spring");
  expect(said.code).toBe(70);
  expect(said.err).toMatch(
    /^sendonce: this is a fault of sendonce itself, or the server is of another/,
  );
  const json = await ask("status", "spring", "--json");
  // As it came: a program sees for itself.
  expect(json).toMatchObject({ code: 0, out: '{"hello":1}\n' });
  writeFileSync(join(folder, "list.csv"), CSV);
  server.answers(`POST ${CAMPAIGN}/recipients`, { body: { hello: 1 } });
  expect((await ask("import", "spring", join(folder, "list.csv"))).code).toBe(70);
});
