/**
 * `npm run bench`: what the product does in what time, beside what it is compared with in the same run.
 *
 *   npm run bench -- [--only PART]…
 *
 * One table: the median of all samples with the smallest and the largest, the ratio, and the aim with
 * whether it was met. It ends with status 0 also where an aim was missed: it measures, tests judge.
 */
import { parseArgs } from "node:util";
import { billed } from "./billed.ts";
import { growthPart } from "./growth.ts";
import { largeLedger } from "./large-ledger.ts";
import type { Part } from "./measure.ts";
import { reserveReport } from "./reserve-report.ts";
import { printHeadings, printPart } from "./table.ts";
import { watchers } from "./watchers.ts";
import { wholeCampaign } from "./whole-campaign.ts";

const PARTS: readonly Part[] = [
  reserveReport,
  wholeCampaign,
  growthPart,
  largeLedger,
  watchers,
  billed,
];

function chosenParts(): readonly Part[] {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
  const { only } = values;
  const unknown = only?.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) {
    const names = PARTS.map(({ name }) => name).join(", ");
    throw new Error(`--only ${unknown} is not a part; there are ${names}`);
  }
  return PARTS.filter(({ name }) => only?.includes(name) ?? true);
}

try {
  const parts = chosenParts();
  printHeadings();
  for (const part of parts) {
    const began = performance.now();
    const rows = await part.run();
    printPart(part.title, rows, (performance.now() - began) / 1000);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
process.exit();
