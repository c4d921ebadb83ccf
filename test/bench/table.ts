/** The benchmark's one table: a line for each row, with figures under their headings. */
import { arch, cpus, release, totalmem, type } from "node:os";
import { figure, median, type Row } from "./measure.ts";

const WIDTHS = [48, 10, 18, 18, 34];

function line(cells: readonly string[]): string {
  return cells
    .map((cell, at) => {
      const width = WIDTHS[at] ?? 0;
      return at === 1 || at === 2 ? `${cell.padStart(width)}  ` : cell.padEnd(width + 2);
    })
    .join("")
    .trimEnd();
}

export function printHeadings(): void {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${type()} ${release()} ${arch()}, ${cpus().length} cores`;
  console.log(
    `${machine} (${cpu?.model ?? "unknown"}), ${gigabytes} GB, Node ${process.version}\n`,
  );
  console.log(line(["", "median", "min to max", "", "ratio", "aim"]));
}

export function printPart(title: string, rows: readonly Row[], seconds: number): void {
  console.log(`\n${title} (${seconds.toFixed(0)} s)`);
  for (const row of rows) console.log(rowLine(row));
}

function rowLine({ what, unit, samples, ratio, aim }: Row): string {
  const spread =
    samples.length > 1
      ? `${figure(Math.min(...samples))} to ${figure(Math.max(...samples))}`
      : "one run";
  const verdict = aim === undefined ? "" : `${aim.text}: ${aim.met ? "met" : "MISSED"}`;
  return line([`  ${what}`, figure(median(samples)), spread, unit, ratio ?? "", verdict]);
}
