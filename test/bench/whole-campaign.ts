/**
 * A whole campaign of 12,480 at the provider's pace: ten requests a second, each answered after
 * 150 ms. Once undisturbed, and once with a pause and with a SIGKILL of the whole of `wrangler dev`.
 *
 * The provider's own limit is what the fewest requests take that hold everybody: all but the first
 * wait a tenth of a second each, and the last is answered. The local queue hands out one batch of
 * messages at a time and waits for the slowest of it, which no other queue does; so there is also a
 * run with the twenty consumers that wrangler.toml asks for, whose queue outlives the SIGKILL
 * (wide-queue.ts). Where the campaign was paused, and where nothing ran, nobody could send: those
 * seconds are added to it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { aimed, figure, median, type Part, type Row } from "./measure.ts";
import { BenchStack, secondsOf } from "./stack.ts";
import { WIDE, WIDE_CONSUMERS } from "./wide-queue.ts";

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
async function disturb(stack: BenchStack, id: string, restarted: () => void): Promise<number> {
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
  restarted();
  return (pause + performance.now() - killedAt) / 1000;
}

type Run = { readonly seconds: number; readonly idleSeconds: number; readonly duplicates: number };

async function run(
  stack: BenchStack,
  id: string,
  disturbed: boolean,
  restarted: () => void = () => undefined,
): Promise<Run> {
  await stack.provider.reset();
  await stack.provider.configure({
    requestsPerSecond: REQUESTS_PER_SECOND,
    latencyMilliseconds: LATENCY_MILLISECONDS,
  });
  await stack.campaign(id, RECIPIENTS, { leaseSeconds: LEASE_SECONDS });
  await stack.api.start(id);
  const idleSeconds = disturbed ? await disturb(stack, id, restarted) : 0;
  const status = await stack.finished(id);
  const { accepted, duplicates } = await stack.provider.counts();
  if (accepted !== RECIPIENTS) throw new Error(`${accepted} of ${RECIPIENTS} mails were accepted`);
  return { seconds: secondsOf(status), idleSeconds, duplicates };
}

function row(what: string, runs: readonly Run[]): Row {
  const ratios = runs.map(({ seconds, idleSeconds }) => seconds / (LIMIT_SECONDS + idleSeconds));
  const middle = median(ratios);
  const duplicates = runs.reduce((sum, each) => sum + each.duplicates, 0);
  return {
    what: `${what}, ${duplicates} twice`,
    unit: "s",
    samples: runs.map(({ seconds }) => seconds),
    ratio: `${figure(middle)} × the provider's limit`,
    aim: aimed(`at most ${AT_MOST} ×`, middle <= AT_MOST),
  };
}

/** Opens the consumers of a campaign with many; what is given back ends them. */
export function openConsumers(stack: BenchStack): () => void {
  const end = new AbortController();
  for (let at = 0; at < WIDE_CONSUMERS; at += 1) {
    // It has no answer: it ends with the Worker, or when it is told to.
    fetch(`${stack.url}/bench/consume`, { signal: end.signal }).catch(() => null);
  }
  return () => end.abort();
}

export const wholeCampaign: Part = {
  name: "campaign",
  title: `12,480 recipients at ${REQUESTS_PER_SECOND} requests a second and 150 ms`,
  async run() {
    const stack = await BenchStack.start(REQUESTS_PER_SECOND);
    let end = openConsumers(stack);
    try {
      const wide = [
        await run(stack, `${WIDE}1`, false),
        await run(stack, `${WIDE}2`, false),
        await run(stack, `${WIDE}3`, false),
      ];
      const local = [await run(stack, "local-1", false)];
      const disturbed = await run(stack, `${WIDE}disturbed`, true, () => {
        end();
        end = openConsumers(stack);
      });
      const idle = `${figure(disturbed.idleSeconds)} s idle`;
      return [
        row("20 consumers", wide),
        row(`paused and SIGKILLed, ${idle}`, [disturbed]),
        row("the local queue, one batch at a time", local),
      ];
    } finally {
      end();
      await stack.stop();
    }
  },
};
