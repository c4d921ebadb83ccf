/** The guide's figures between their marks, and the counts that they are made of. */
import { readFileSync, writeFileSync } from "node:fs";
import { costTable, formula, type RecordedCounts } from "./cost-table.ts";
import { limitTable, priceTable } from "./prices.ts";
import { partsTable, scaleTable, sharesText } from "./scale-table.ts";

export const GUIDE = new URL("../../src/guide/limits-and-costs.md", import.meta.url);
const COUNTS = new URL("recorded-counts.json", import.meta.url);

export function readCounts(): RecordedCounts {
  return JSON.parse(readFileSync(COUNTS, "utf8")) as RecordedCounts;
}

export function writeCounts(counts: RecordedCounts): void {
  writeFileSync(COUNTS, `${JSON.stringify(counts, null, 2)}\n`);
}

/** All that the guide holds between marks, by the name of the mark. */
export function figures(counts: RecordedCounts): Readonly<Record<string, string>> {
  return {
    costs: costTable(counts),
    formula: formula(),
    prices: priceTable(),
    limits: limitTable(),
    scale: scaleTable(counts),
    shares: sharesText(counts),
    parts: partsTable(counts),
  };
}

/** @throws where the guide lacks a mark: nothing of it is lost in silence */
export function withFigures(guide: string, counts: RecordedCounts): string {
  return Object.entries(figures(counts)).reduce((text, [name, figure]) => {
    const between = new RegExp(`(<!-- figures: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    if (!between.test(text)) throw new Error(`the guide has no place for the ${name}`);
    return text.replace(
      between,
      (_, before: string, after: string) => `${before}${figure}\n${after}`,
    );
  }, guide);
}
