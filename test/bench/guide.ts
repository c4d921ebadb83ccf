/** The guide's tables between their marks, and the counts that they are made of. */
import { readFileSync } from "node:fs";
import { costTable, scaleTable, type RecordedCounts } from "./cost-table.ts";

export const GUIDE = new URL("../../src/guide/limits-and-costs.md", import.meta.url);
const COUNTS = new URL("recorded-counts.json", import.meta.url);

export function readCounts(): RecordedCounts {
  return JSON.parse(readFileSync(COUNTS, "utf8")) as RecordedCounts;
}

/** @throws where the guide lacks a mark: nothing of it is lost in silence */
export function withTables(guide: string, counts: RecordedCounts): string {
  const tables = { costs: costTable(counts), scale: scaleTable(counts) };
  return Object.entries(tables).reduce((text, [name, table]) => {
    const between = new RegExp(`(<!-- figures: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    if (!between.test(text)) throw new Error(`the guide has no place for the ${name}`);
    return text.replace(
      between,
      (_, before: string, after: string) => `${before}${table}\n${after}`,
    );
  }, guide);
}
