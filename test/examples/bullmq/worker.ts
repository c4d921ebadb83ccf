/**
 * A BullMQ worker in a process of its own, in one of three ways: as it was, with the usual row for
 * each recipient first, and with Sendonce.
 */
import { Redis } from "ioredis";
import { DelayedError, Worker, type Job } from "bullmq";
import { createConsumer, httpCampaign, type SendResult } from "../../../src/consumer/consumer.ts";
import { mayCrash } from "../crash.ts";
import type { Person } from "../people.ts";
import { mail } from "../queues/mail.ts";

const env = process.env as Record<string, string>;
const { RUN: run = "", HOW: how } = env;
const provider = { PROVIDER_URL: env["PROVIDER_URL"] ?? "", PROVIDER_KEY: "re_examples" };
const connection = { host: "127.0.0.1", port: Number(env["REDIS_PORT"]) };

const redis = new Redis({ ...connection, lazyConnect: true });

type Mailing = { readonly recipients: readonly Person[] };

async function call(people: readonly Person[], key?: string): Promise<SendResult[]> {
  mayCrash("beforeCall");
  const results = await mail(provider, people, run, key);
  mayCrash("afterAcceptance");
  return results;
}

async function asItWas(job: Job<Mailing>): Promise<void> {
  await call(job.data.recipients);
}

async function rowFirst(job: Job<Mailing>): Promise<void> {
  const fresh: Person[] = [];
  for (const person of job.data.recipients) {
    if ((await redis.sadd(`mailed:${run}`, person.id)) === 1) fresh.push(person);
  }
  if (fresh.length > 0) await call(fresh);
}

const consumer = createConsumer({
  campaign: httpCampaign({
    url: env["SENDONCE_URL"] ?? "",
    token: env["SENDONCE_TOKEN"] ?? "",
    campaignId: run,
  }),
  send: ({ recipients, idempotencyKey }) => call(recipients, idempotencyKey),
});

async function withSendonce(job: Job<Mailing>, token?: string): Promise<void> {
  const { recipients } = job.data;
  const decision = await consumer.handle({ id: `${job.queueName}/${job.id}`, recipients });
  if (decision.action === "ack") return;
  // BullMQ's own way to come again later without an attempt being counted.
  await job.moveToDelayed(Date.now() + decision.afterSeconds * 1000, token);
  throw new DelayedError();
}

const processor = how === "sendonce" ? withSendonce : how === "rowFirst" ? rowFirst : asItWas;
const worker = new Worker<Mailing>(run, processor, {
  connection,
  // Short, so that the job of a killed worker is found stalled soon.
  lockDuration: 2_000,
  stalledInterval: 1_500,
  maxStalledCount: 10,
});
worker.on("error", (error) => console.error(String(error)));
