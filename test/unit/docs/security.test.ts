/** SECURITY.md against the repository: it names tests that are there, and leaves out no way in. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/http/router.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const page = read("SECURITY.md");

describe("SECURITY.md", () => {
  it("has a test for everything that it calls defended, and each is there", () => {
    const [, table = ""] = page.split("## What is defended");
    const rows = (table.split("\n## ")[0] ?? "")
      .split("\n")
      .filter((line) => /^\| (?!against|---)/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      const tests = [...row.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(
        ([, path]) => path ?? "",
      );
      expect(tests, row).not.toEqual([]);
      expect(tests.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
    }
  });

  it("names every public route", () => {
    const open = ROUTES.filter(({ access }) => access === "public");
    expect(open.filter(({ path }) => !page.includes(path)).map(({ path }) => path)).toEqual([]);
  });

  it("says of every secret what changing it does", () => {
    const [, list = ""] = /^required = \[(.*)\]$/m.exec(read("wrangler.toml")) ?? [];
    const secrets = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "");
    expect(secrets.length).toBeGreaterThan(3);
    const [, table = ""] = page.split("## Changing a secret");
    const all = [...secrets, "VIEWER_TOKEN", "ALERT_URL"];
    expect(all.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  });
});
