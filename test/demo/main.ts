/**
 * `npm run demo`: the incident, replayed. 12,480 recipients, three pipelines, the same faults, and
 * the provider stand-in's own count of what came of it.
 *
 * Exit code 0 says that Sendonce mailed everybody once while every planned fault did happen, in all
 * three pipelines. What the other two show is printed as it is.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startStandIn, type Running } from "../support/processes.ts";
import { DOUBLED_IN_THE_INCIDENT, isComplete, RECIPIENTS } from "./faults.ts";
import { runNaive, startNaive } from "./naive-run.ts";
import type { RunResult } from "./run.ts";
import { enrolSegment, runSendonce, startSendonce, watchAddress } from "./sendonce-run.ts";
import { count, table } from "./terminal.ts";

const NO_LEDGER = "(a) no ledger";
const ROW_FIRST = "(b) row first";
const SENDONCE = "(c) Sendonce";
/** A new second at the provider, so that no pipeline pays for the requests of the one before. */
const BREATH_MILLISECONDS = 1000;
/** The page asks once a second. */
const LAST_LOOK_MILLISECONDS = 2000;

async function replay(): Promise<{ naive: RunResult[]; sendonce: RunResult }> {
  console.log("Starting the provider stand-in and two wrangler dev …");
  const standIn = await startStandIn();
  const [stack, worker] = await Promise.all([startSendonce(standIn), startNaive(standIn)]);
  await enrolSegment(stack);
  console.log(`Watch (c):  ${watchAddress(stack)}`);
  console.log(`Its token:  ${stack.token}\n`);
  const naive = await replayNaive(worker, standIn);
  const sendonce = await runSendonce(stack, standIn, SENDONCE);
  // Whoever watches should see it finished before the server goes.
  await sleep(LAST_LOOK_MILLISECONDS);
  await Promise.all([stack.worker.stop(), standIn.stop()]);
  return { naive, sendonce };
}

async function replayNaive(worker: Running, standIn: Running): Promise<RunResult[]> {
  const first = await runNaive(worker, standIn, "no-ledger", NO_LEDGER);
  await sleep(BREATH_MILLISECONDS);
  const second = await runNaive(worker, standIn, "row-first", ROW_FIRST);
  await worker.stop();
  return [first, second];
}

function resultTable(results: readonly RunResult[]): string {
  const head = ["", "accepted", "duplicates", "never mailed", "seconds"];
  const rows = results.map((run) => [
    run.name,
    count(run.count.accepted),
    count(run.count.duplicates),
    count(run.count.neverMailed),
    run.seconds.toFixed(1),
  ]);
  return table([head, ...rows]);
}

function hits(tally: { readonly batches: number; readonly recipients: number }): string {
  return `${count(tally.recipients)} in ${tally.batches}`;
}

function faultTable(results: readonly RunResult[]): string {
  const head = ["", "died after acceptance", "died before the call", "handed out twice"];
  const rows = results.map(({ name, tally }) => [
    name,
    hits(tally.diesAfterAcceptance),
    hits(tally.diesBeforeCall),
    hits(tally.redeliveredDuringCall),
  ]);
  return table([head, ...rows]);
}

/** What is wrong with the replay; empty where it shows what it has to. */
function shortcomings(results: readonly RunResult[], sendonce: RunResult): string[] {
  const { accepted, duplicates, neverMailed } = sendonce.count;
  const once = accepted === RECIPIENTS && duplicates === 0 && neverMailed === 0;
  return [
    ...results
      .filter(({ tally }) => !isComplete(tally))
      .map(({ name }) => `${name}: some of the planned faults did not happen`),
    ...(once ? [] : ["Sendonce did not mail every recipient exactly once"]),
  ];
}

async function main(): Promise<number> {
  const startedAt = Date.now();
  console.log(`The incident, replayed: ${count(RECIPIENTS)} recipients, three ways.\n`);
  const { naive, sendonce } = await replay();
  const results = [...naive, sendonce];
  console.log(`\nThe faults that each met, in recipients and batches`);
  console.log(faultTable(results));
  console.log("\nWhat the provider accepted, by its own count");
  console.log(resultTable(results));
  const doubled = count(DOUBLED_IN_THE_INCIDENT);
  console.log(`\nIn the incident ${doubled} people got a second copy, by the first fault alone.`);
  console.log(`The whole replay took ${Math.round((Date.now() - startedAt) / 1000)} seconds.`);
  const wrong = shortcomings(results, sendonce);
  for (const sentence of wrong) console.error(`FAILED: ${sentence}.`);
  return wrong.length === 0 ? 0 : 1;
}

// Leaving ends every process and removes every folder (test/support/processes.ts).
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(130));
}
try {
  process.exitCode = await main();
} catch (error) {
  console.error(
    `\nThe demo could not go on: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}
process.exit();
