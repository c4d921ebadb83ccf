/**
 * The simulator's command line.
 *
 *   node test/simulation/main.ts --seeds 1000 [--from 1]     many seeds, with coverage at the end
 *   node test/simulation/main.ts --seed 7 [--verbose]        one seed again, exactly
 *   node test/simulation/main.ts --mutants [--named text]    each of our own faults is noticed
 */
import { parseArgs } from "node:util";
import { Coverage } from "./coverage.ts";
import { figure, figureTable } from "./designs/figure.ts";
import { huntAll } from "./mutants/hunt.ts";
import { drawPlan } from "./plan.ts";
import { runPlan } from "./run.ts";

/** At 5,000 recipients each: a million for each design. */
const FIGURE_SEEDS = 200;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    verbose: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
    figure: { type: "boolean", default: false },
    named: { type: "string", default: "" },
  },
});

async function one(seed: number): Promise<void> {
  const plan = drawPlan(seed);
  const { world, violation } = await runPlan(plan, true);
  console.log(JSON.stringify({ ...plan, faults: [...plan.faults.keys()] }));
  const lines = values.verbose ? world.trace : world.trace.slice(-40);
  for (const line of lines) console.log(line);
  console.log(violation === null ? "ok" : `FAILED ${violation.checker}: ${violation.detail}`);
}

async function many(from: number, count: number): Promise<void> {
  const coverage = new Coverage();
  const began = performance.now();
  let recipients = 0;
  let events = 0;
  const failures: string[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    const { world, violation } = await runPlan(drawPlan(seed));
    coverage.merge(world.coverage);
    events += world.scheduler.events;
    for (const twin of world.twins) recipients += twin.recipients.size;
    if (violation === null) continue;
    failures.push(`seed ${seed} ${violation.checker}: ${violation.detail}`);
    console.log(failures.at(-1));
    if (!values.keep) break;
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${count} seeds, ${recipients} recipients, ${events} events, ${seconds.toFixed(1)} s`,
  );
  console.log(`never happened: ${coverage.missing().join(", ") || "nothing"}`);
  if (failures.length > 0) process.exitCode = 1;
}

async function mutants(): Promise<void> {
  console.log("| mutant | caught by | after seeds |\n| --- | --- | --- |");
  const all = await huntAll(values.named, ({ mutant, checker, seeds }) =>
    console.log(`| ${mutant} | ${checker ?? "nobody"} | ${seeds} |`),
  );
  if (all.some(({ checker }) => checker === null)) process.exitCode = 1;
}

async function published(from: number, seeds: number): Promise<void> {
  const began = performance.now();
  const tallies = await figure(from, seeds, (seed) => {
    if (seed % 20 === 0) console.error(`seed ${seed}`);
  });
  const [first] = tallies.values();
  const recipients = first?.recipients.toLocaleString("en");
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(figureTable(tallies));
  console.log(
    `\nPer million recipients. Seeds ${from} to ${from + seeds - 1}, ${recipients} recipients`,
  );
  console.log(`for each design, ${seconds} s: npm run sim -- --figure`);
}

if (values.mutants) await mutants();
else if (values.figure) await published(Number(values.from), Number(values.seeds ?? FIGURE_SEEDS));
else if (values.seed !== undefined) await one(Number(values.seed));
else await many(Number(values.from), Number(values.seeds ?? 1000));
