/** What a run of any of the three pipelines gives, and how long it may take. */
import { setTimeout as sleep } from "node:timers/promises";
import { lastWords, type Running } from "../support/processes.ts";
import type { Tally } from "./faults.ts";
import type { ProviderCount } from "./provider-count.ts";

const POLL_MILLISECONDS = 250;
const RUN_WITHIN_MILLISECONDS = 90_000;

export type RunResult = {
  readonly name: string;
  readonly count: ProviderCount;
  readonly seconds: number;
  readonly tally: Tally;
};

/**
 * Looks four times a second until `look` says that it is over.
 *
 * @param processes that have to be up meanwhile, the Worker first
 * @returns seconds from now until then
 * @throws when one of the processes has ended, or after 90 seconds, with where the run stood
 */
export async function follow(
  processes: readonly Running[],
  look: () => Promise<{ readonly over: boolean; readonly where: string }>,
): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    for (const running of processes) running.assertRunning();
    const { over, where } = await look().catch((error: unknown) => explain(error, processes));
    const passed = Date.now() - startedAt;
    if (over) return passed / 1000;
    if (passed > RUN_WITHIN_MILLISECONDS) {
      throw new Error(`not over after ${RUN_WITHIN_MILLISECONDS / 1000} seconds: ${where}`);
    }
    await sleep(POLL_MILLISECONDS);
  }
}

/** A request that got no answer says little: its cause is with the process that did not answer. */
async function explain(error: unknown, processes: readonly Running[]): Promise<never> {
  await sleep(POLL_MILLISECONDS);
  for (const running of processes) running.assertRunning();
  const [worker] = processes;
  throw new Error(`${String(error)}. ${lastWords(worker?.log() ?? "")}`);
}
