/** The files for Prometheus and Grafana name what `/metrics` has, and leave out nothing of it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { METRICS_CAMPAIGNS } from "../../../src/domain/limits.ts";
import { METRICS } from "../../../src/operations/metrics.ts";

const read = (name: string) =>
  readFileSync(new URL(`../../../src/operations/${name}`, import.meta.url), "utf8");

const rules = read("alerts.yml");
const ruleTests = read("alerts.test.yml");
const grafana = read("grafana.json");

const series = new Map(
  METRICS.flatMap(({ name, type }) =>
    type === "histogram"
      ? ["_bucket", "_sum", "_count"].map((end) => [`${name}${end}`, name] as const)
      : [[name, name] as const],
  ),
);
const namedIn = (text: string) => new Set(text.match(/\bsendonce_[a-z_]+/g));

describe("the files of operations", () => {
  it.each([
    ["alerts.yml", rules],
    ["alerts.test.yml", ruleTests],
    ["grafana.json", grafana],
  ])("%s names only series that there are", (_, text) => {
    expect([...namedIn(text)].filter((name) => !series.has(name))).toEqual([]);
    expect(namedIn(text).size).toBeGreaterThan(8);
  });

  it("every metric is shown by the dashboard", () => {
    const shown = new Set([...namedIn(grafana)].map((name) => series.get(name)));
    expect(METRICS.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });

  it("every alert is tested, both silent and firing", () => {
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(8);
    for (const name of alerts) {
      expect(ruleTests, name).toMatch(new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`));
      expect(ruleTests, name).toMatch(
        new RegExp(`alertname: ${name}\\n\\s+exp_alerts:\\n\\s+- exp_`),
      );
    }
  });

  it("the dashboard imports: a data source to choose, panels apart, and that source in each", () => {
    type Panel = {
      readonly id: number;
      readonly datasource: { readonly uid: string };
      readonly gridPos: {
        readonly x: number;
        readonly y: number;
        readonly w: number;
        readonly h: number;
      };
      readonly targets: readonly { readonly datasource: { readonly uid: string } }[];
    };
    const board = JSON.parse(grafana) as {
      readonly uid: string;
      readonly schemaVersion: number;
      readonly templating: {
        readonly list: readonly { readonly name: string; readonly type: string }[];
      };
      readonly panels: readonly Panel[];
    };
    expect(board.uid).toBe("sendonce");
    expect(board.templating.list[0]).toMatchObject({ name: "datasource", type: "datasource" });
    const { panels } = board;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const panel of panels) {
      const sources = [panel.datasource, ...panel.targets.map((target) => target.datasource)];
      expect(sources.every(({ uid }) => uid === "${datasource}")).toBe(true);
      expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
      for (const other of panels) if (other !== panel) expect(overlap(panel, other)).toBe(false);
    }
    function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
      return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
    }
  });

  it("prometheus.yml scrapes the path that there is, with a token that it reads from a file", () => {
    const scrape = read("prometheus.yml");
    expect(scrape).toContain("metrics_path: /metrics");
    expect(scrape).toContain("type: Bearer");
    expect(scrape).toContain("credentials_file:");
    expect(scrape).toContain(`up to ${METRICS_CAMPAIGNS} campaigns`);
    expect(scrape).toContain("job_name: sendonce");
    expect(rules).toContain('up{job="sendonce"}');
  });
});
