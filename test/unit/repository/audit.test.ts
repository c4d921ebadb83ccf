/**
 * `npm run audit` before a registry of its own, since the real one is asked by nobody's test: what it
 * makes of an advisory, of none, and of a registry that does not answer.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../../src/package/audit.ts", import.meta.url));
const BULK = "/-/npm/v1/security/advisories/bulk";

const folder = mkdtempSync(join(tmpdir(), "sendonce-audit-"));
const asked: string[] = [];
/** What the registry answers to the question of the bulk endpoint; null: it is broken. */
let advisories: object | null = {};

const registry = createServer((request, response) => {
  request.resume();
  asked.push(`${request.method} ${request.url}`);
  const name = (request.url ?? "").slice(1);
  const versions = ["1.0.0", "2.0.0"].map((version) => [version, { name, version }] as const);
  const packument = { name, "dist-tags": {}, versions: Object.fromEntries(versions) };
  response.statusCode = advisories === null ? 500 : 200;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify((request.url === BULK ? advisories : packument) ?? {}));
});

beforeAll(async () => {
  const manifest = { dependencies: { shipped: "1.0.0" }, devDependencies: { tool: "1.0.0" } };
  const packages = {
    "": manifest,
    "node_modules/shipped": { version: "1.0.0" },
    "node_modules/tool": { version: "1.0.0", dev: true },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true });
});

const hole = (name: string) => ({
  [name]: [
    {
      id: 1,
      title: "Runs what it reads",
      url: "https://advisories.example/1",
      severity: "high",
      vulnerable_versions: "<2",
      cwe: [],
      cvss: { score: 8, vectorString: null },
    },
  ],
});

async function audit(answer: object | null): Promise<{ code: number; said: string }> {
  advisories = answer;
  asked.length = 0;
  const { port } = registry.address() as AddressInfo;
  const env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: join(folder, "cache"),
    npm_config_fetch_retries: "0",
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr });
    });
  });
}

describe("npm run audit", () => {
  it("passes where the registry knows of nothing", async () => {
    const { code, said } = await audit({});
    expect(asked).toEqual([`POST ${BULK}`]);
    expect([code, said]).toEqual([0, expect.stringContaining("0 packages with known holes")]);
  });

  it("fails by name on an advisory about a package that ships", async () => {
    const { code, said } = await audit(hole("shipped"));
    expect(code).toBe(1);
    expect(said).toContain("1 package with known holes");
    expect(said).toContain("shipped <2: high, Runs what it reads https://advisories.example/1");
  });

  it("leaves out what only the tests need", async () => {
    expect((await audit(hole("tool"))).code).toBe(0);
  });

  it("says that nothing was checked where the registry breaks down", async () => {
    const { code, said } = await audit(null);
    expect([code, said]).toEqual([2, expect.stringContaining("Nothing was checked")]);
  });
});
