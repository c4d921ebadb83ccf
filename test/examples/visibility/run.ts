/**
 * A loop on a queue with a visibility timeout that is shorter than a send takes, so that the queue
 * gives a message to a second worker while the first is still mailing it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createConsumer, httpCampaign } from "../../../src/consumer/consumer.ts";
import { mailings, type Person } from "../people.ts";
import { mail, type MailEnv } from "../queues/mail.ts";
import type { Comparison, ExampleStack } from "../stack.ts";
import { VisibilityQueue, type Delivery } from "./queue.ts";

const MESSAGES = 4;
const EACH = 10;
const WORKERS = 4;
const VISIBILITY_MILLISECONDS = 500;
const SEND_MILLISECONDS = 1_500;

type Mailing = readonly Person[];
type Handle = (delivery: Delivery<Mailing>, queue: VisibilityQueue<Mailing>) => Promise<void>;

export async function runVisibility(stack: ExampleStack): Promise<Comparison> {
  await stack.provider.configure({ latencyMilliseconds: SEND_MILLISECONDS });
  try {
    await poll("visibility-before", asItWas(stack, "visibility-before"));
    await stack.campaign("visibility-after", { leaseSeconds: 10 });
    const lost = await poll("visibility-after", withSendonce(stack, "visibility-after"));
    if (lost > 0) throw new Error(`${lost} messages came too often although they wait now`);
  } finally {
    await stack.provider.configure({ latencyMilliseconds: 0 });
  }
  const counts = [
    await stack.count("as it was", "visibility-before", MESSAGES * EACH),
    await stack.count("with Sendonce", "visibility-after", MESSAGES * EACH),
  ];
  return { example: "SQS-style, visibility too short", counts };
}

const envOf = (stack: ExampleStack): MailEnv => ({
  PROVIDER_URL: stack.provider.url,
  PROVIDER_KEY: "re_examples",
});

function asItWas(stack: ExampleStack, run: string): Handle {
  return async ({ receipt, body }, queue) => {
    await mail(envOf(stack), body, run);
    queue.delete(receipt);
  };
}

function withSendonce(stack: ExampleStack, run: string): Handle {
  const consumer = createConsumer({
    campaign: httpCampaign({ url: stack.url, token: stack.token, campaignId: run }),
    send: ({ recipients, idempotencyKey }) => mail(envOf(stack), recipients, run, idempotencyKey),
  });
  return async ({ id, receipt, receives, body }, queue) => {
    const decision = await consumer.handle({ id, attempts: receives, recipients: body });
    if (decision.action === "ack") queue.delete(receipt);
    else queue.changeVisibility(receipt, decision.afterSeconds);
  };
}

/**
 * Several workers side by side, until the queue is empty and everybody is done.
 * @returns how many messages came too often and went to the dead letters
 */
async function poll(run: string, handle: Handle): Promise<number> {
  const queue = new VisibilityQueue<Mailing>(
    VISIBILITY_MILLISECONDS,
    mailings(run, MESSAGES, EACH),
  );
  const worker = async (): Promise<void> => {
    while (queue.size > 0) {
      const delivery = queue.receive();
      if (delivery === null) await sleep(50);
      else await handle(delivery, queue);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return queue.deadLetters;
}
