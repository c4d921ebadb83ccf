/**
 * Prints the tables of src/guide/limits-and-costs.md from the counts that were recorded last
 * (`npm run bench -- --only billed`); with `--write` it puts them into the guide.
 *
 *   node test/bench/costs.ts [--write]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { costTable, scaleTable } from "./cost-table.ts";
import { GUIDE, readCounts, withTables } from "./guide.ts";

const counts = readCounts();
if (process.argv.includes("--write")) {
  writeFileSync(GUIDE, withTables(readFileSync(GUIDE, "utf8"), counts));
} else {
  console.log(`${costTable(counts)}\n\n${scaleTable(counts)}`);
}
