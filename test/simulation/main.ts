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
import { failureStory, story } from "./failure.ts";
import type { FaultKind } from "./faults.ts";
import { drawPlan, type Limits } from "./plan.ts";
import { runPlan } from "./run.ts";

/** Seeds between two lines of progress. */
const PROGRESS = 500;
/** In so many seeds everything happens: each fault, move, refusal and outcome. */
const SEEDS_THAT_COVER = 1_000;
/** At 5,000 recipients each: a million for each design. */
const FIGURE_SEEDS = 200;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    verbose: { type: "boolean", default: false },
    only: { type: "string" },
    recipients: { type: "string" },
    campaigns: { type: "string" },
    "fault-seconds": { type: "string" },
    keep: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
    figure: { type: "boolean", default: false },
    named: { type: "string", default: "" },
  },
});

const number = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

function limitsOf(): Limits {
  const [recipients, campaigns, faultSeconds] = [
    number(values.recipients),
    number(values.campaigns),
    number(values["fault-seconds"]),
  ];
  return {
    ...(values.only === undefined ? {} : { only: values.only.split(",") as FaultKind[] }),
    ...(recipients === undefined ? {} : { recipients }),
    ...(campaigns === undefined ? {} : { campaigns }),
    ...(faultSeconds === undefined ? {} : { faultSeconds }),
  };
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
    const done = seed - from + 1;
    if (done % PROGRESS === 0) {
      const rate = done / ((performance.now() - began) / 1000);
      console.error(`${done} seeds, ${rate.toFixed(1)} a second`);
    }
    events += world.scheduler.events;
    for (const twin of world.twins) recipients += twin.recipients.size;
    if (violation === null) continue;
    failures.push(`seed ${seed} ${violation.checker}: ${violation.detail}`);
    console.log(failures.at(-1));
    if (values.keep) continue;
    console.log(await failureStory(seed, violation.checker));
    break;
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${count} seeds, ${recipients} recipients, ${events} events, ${seconds.toFixed(1)} s`,
  );
  const missing = coverage.missing();
  console.log(`never happened: ${missing.join(", ") || "nothing"}`);
  // A short run proves nothing by what it leaves out.
  if (count >= SEEDS_THAT_COVER && missing.length > 0) process.exitCode = 1;
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
else if (values.seed !== undefined)
  console.log(await story(Number(values.seed), limitsOf(), values.verbose));
else await many(Number(values.from), Number(values.seeds ?? 1000));
