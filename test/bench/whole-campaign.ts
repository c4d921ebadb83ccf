/**
 * A whole campaign of 12,480 at the provider's pace: ten requests a second, each answered after
 * 150 ms. Once undisturbed, and once with a pause and with a SIGKILL of the whole of `wrangler dev`.
 *
 * The provider's own limit is what the fewest requests take that hold everybody: all but the first
 * wait a tenth of a second each, and the last is answered. Where the campaign was paused, and where
 * nothing ran, nobody could send: those seconds are added to it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { aimed, figure, type Part, type Row } from "./measure.ts";
import { BenchStack, secondsOf } from "./stack.ts";

const RECIPIENTS = 12_480;
const REQUESTS_PER_SECOND = 10;
const LATENCY_MILLISECONDS = 150;
const BATCH = 100;
const AT_MOST = 1.05;
/** Of the campaign, when it is paused and when it is killed. */
const PAUSE_AT = 0.3;
const KILL_AT = 0.6;
const PAUSE_SECONDS = 3;
/** A batch that was in flight is free again after so long, well before the campaign's end. */
const LEASE_SECONDS = 5;

const LIMIT_SECONDS =
  (Math.ceil(RECIPIENTS / BATCH) - 1) / REQUESTS_PER_SECOND + LATENCY_MILLISECONDS / 1000;

/** Comes back when so much of the campaign has been sent. */
async function sent(stack: BenchStack, id: string, share: number): Promise<void> {
  for (;;) {
    const { stats } = await stack.api.deliveryStatus(id);
    if (stats.sent >= share * RECIPIENTS) return;
    await sleep(20);
  }
}

/** @returns the seconds in which nobody could send */
async function disturb(stack: BenchStack, id: string): Promise<number> {
  await sent(stack, id, PAUSE_AT);
  const pausedAt = performance.now();
  await stack.api.pause(id);
  await sleep(PAUSE_SECONDS * 1000);
  await stack.api.resume(id);
  const pause = performance.now() - pausedAt;
  await sent(stack, id, KILL_AT);
  const killedAt = performance.now();
  await stack.kill();
  await stack.restart();
  return (pause + performance.now() - killedAt) / 1000;
}

type Run = { readonly seconds: number; readonly idleSeconds: number; readonly duplicates: number };

async function run(stack: BenchStack, id: string, disturbed: boolean): Promise<Run> {
  await stack.provider.reset();
  await stack.provider.configure({
    requestsPerSecond: REQUESTS_PER_SECOND,
    latencyMilliseconds: LATENCY_MILLISECONDS,
  });
  await stack.campaign(id, RECIPIENTS, { leaseSeconds: LEASE_SECONDS });
  await stack.api.start(id);
  const idleSeconds = disturbed ? await disturb(stack, id) : 0;
  const status = await stack.finished(id);
  const { accepted, duplicates } = await stack.provider.counts();
  if (accepted !== RECIPIENTS) throw new Error(`${accepted} of ${RECIPIENTS} mails were accepted`);
  return { seconds: secondsOf(status), idleSeconds, duplicates };
}

function row(what: string, runs: readonly Run[]): Row {
  const ratios = runs.map(({ seconds, idleSeconds }) => seconds / (LIMIT_SECONDS + idleSeconds));
  const worst = Math.max(...ratios);
  const duplicates = runs.reduce((sum, each) => sum + each.duplicates, 0);
  return {
    what: `${what}, ${duplicates} twice`,
    unit: "s",
    samples: runs.map(({ seconds }) => seconds),
    ratio: `${figure(worst)} × the provider's limit`,
    aim: aimed(`at most ${AT_MOST} ×`, worst <= AT_MOST),
  };
}

export const wholeCampaign: Part = {
  name: "campaign",
  title: `12,480 recipients at ${REQUESTS_PER_SECOND} requests a second and 150 ms`,
  async run() {
    const stack = await BenchStack.start(REQUESTS_PER_SECOND);
    try {
      const quiet = [await run(stack, "quiet-1", false), await run(stack, "quiet-2", false)];
      const disturbed = await run(stack, "disturbed", true);
      const idle = `${figure(disturbed.idleSeconds)} s of it nothing could run`;
      return [row("undisturbed", quiet), row(`with a pause and a SIGKILL (${idle})`, [disturbed])];
    } finally {
      await stack.stop();
    }
  },
};
