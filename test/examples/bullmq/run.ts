/**
 * BullMQ on a real Redis. Its worker is killed twice: when the provider has accepted the second call,
 * and before the call of another job goes out. Each time BullMQ's own check finds the job stalled and
 * gives it to the worker that comes next.
 */
import { Queue } from "bullmq";
import { MOMENTS } from "../crash.ts";
import { mailings } from "../people.ts";
import { startRedis } from "../redis.ts";
import type { Comparison, Count, ExampleStack } from "../stack.ts";
import { startGroup } from "../../support/processes.ts";

const MESSAGES = 6;
const EACH = 10;

const WAYS = [
  { how: "as it was", run: "bullmq-before", way: "asItWas" },
  { how: "row first, in Redis", run: "bullmq-rows", way: "rowFirst" },
  { how: "with Sendonce", run: "bullmq-after", way: "sendonce" },
] as const;

export async function runBullMq(stack: ExampleStack): Promise<Comparison> {
  const redis = await startRedis();
  try {
    await stack.campaign("bullmq-after", { leaseSeconds: 5 });
    const counts = await Promise.all(WAYS.map((way) => runOne(stack, redis.port, way)));
    return { example: "BullMQ, workers killed", counts };
  } finally {
    await redis.stop();
  }
}

async function runOne(
  stack: ExampleStack,
  redisPort: number,
  { how, run, way }: (typeof WAYS)[number],
): Promise<Count> {
  const queue = new Queue(run, { connection: { host: "127.0.0.1", port: redisPort } });
  await queue.addBulk(
    mailings(run, MESSAGES, EACH).map((recipients) => ({ name: "mailing", data: { recipients } })),
  );
  const env = {
    RUN: run,
    HOW: way,
    REDIS_PORT: String(redisPort),
    PROVIDER_URL: stack.provider.url,
    SENDONCE_URL: stack.url,
    SENDONCE_TOKEN: stack.token,
  };
  const start = (crashAt: string) =>
    startGroup(`worker ${run}`, ["test/examples/bullmq/worker.ts"], { ...env, CRASH_AT: crashAt });
  for (const moment of MOMENTS) {
    const killed = start(`${moment}@2`);
    await stack.until(`a crash ${moment}`, () => killed.hasEnded());
    await killed.kill();
  }
  const last = start("");
  try {
    await stack.until(`the end of ${run}`, async () => {
      last.assertRunning();
      return (await queue.getJobCountByTypes("completed")) === MESSAGES;
    });
  } finally {
    await last.stop();
    await queue.close();
  }
  return stack.count(how, run, MESSAGES * EACH);
}
