/** The files for Prometheus, read by Prometheus' own tool. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/processes.ts";
import { promtool } from "./promtool.ts";

const FILES = fileURLToPath(new URL("../../src/operations", import.meta.url));

/** The rules and their tests with one rule changed. */
function changed(from: string, to: string): string {
  const folder = temporaryFolder("rules");
  cpSync(join(FILES, "alerts.test.yml"), join(folder, "alerts.test.yml"));
  const rules = readFileSync(join(FILES, "alerts.yml"), "utf8");
  expect(rules).toContain(from);
  writeFileSync(join(folder, "alerts.yml"), rules.replace(from, to));
  return folder;
}

const testRules = (folder: string) => promtool(["test", "rules", join(folder, "alerts.test.yml")]);

describe("promtool", () => {
  it("finds nothing wrong with the rules", () => {
    const { code, words } = promtool(["check", "rules", join(FILES, "alerts.yml")]);
    expect(code, words).toBe(0);
  });

  it("sees each alert silent and firing as its tests say", () => {
    const { code, words } = testRules(FILES);
    expect(code, words).toBe(0);
  });

  it.each([
    ['reason!="operator"', 'reason="operator"'],
    ["sendonce_alarm_late_seconds > 60", "sendonce_alarm_late_seconds > 6000"],
    ["[10m])\n            ) == 0", "[10m])\n            ) > 0"],
  ])("notices a rule that no longer fires: %j", (from, to) => {
    expect(testRules(changed(from, to)).code).not.toBe(0);
  });

  it("reads the scrape configuration", () => {
    const args = ["check", "config", "--syntax-only", join(FILES, "prometheus.yml")];
    const { code, words } = promtool(args);
    expect(code, words).toBe(0);
  });
});
