/**
 * Prints the figures of src/guide/limits-and-costs.md from the counts that were recorded last
 * (`npm run bench -- --only billed`). `--count` counts the crowd of campaigns anew before that, and
 * `--write` puts the figures into the guide.
 *
 *   node test/bench/costs.ts [--count] [--write]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { countCrowd, CROWD } from "./crowd.ts";
import { figures, GUIDE, readCounts, withFigures, writeCounts } from "./guide.ts";

if (process.argv.includes("--count")) {
  const crowd = {
    campaigns: CROWD,
    alone: await countCrowd(1),
    together: await countCrowd(CROWD),
  };
  writeCounts({ ...readCounts(), crowd });
}
const counts = readCounts();
if (process.argv.includes("--write")) {
  writeFileSync(GUIDE, withFigures(readFileSync(GUIDE, "utf8"), counts));
} else {
  console.log(Object.values(figures(counts)).join("\n\n"));
}
