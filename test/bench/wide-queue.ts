/**
 * A queue with as many consumers as wrangler.toml allows, where the local one hands out one batch at a
 * time and waits for its slowest message. It lives in the isolate, so a crash loses its messages, as one
 * loses those of the local queue.
 *
 * A consumer is a request of the harness that stays open: what an object has put here is taken by
 * whoever is free.
 */
import { DISPATCH_QUEUE, consumeQueue } from "../../src/queue/consume.ts";
import type { ConsumerDeps, QueueMessage } from "../../src/queue/deps.ts";

/** Ids of campaigns that use it begin with this. */
export const WIDE = "wide-";
/** As in wrangler.toml: `max_batch_size`, `max_concurrency`. */
const MESSAGES_A_BATCH = 25;
export const WIDE_CONSUMERS = 20;
const LOOK_MILLISECONDS = 5;

const bodies: unknown[] = [];
let taken = 0;

/** Where such a campaign's object sends its dispatches. */
export const wideQueue = {
  async sendBatch(messages: Iterable<MessageSendRequest>) {
    for (const { body } of messages) bodies.push(body);
    return { metadata: { metrics: { backlogCount: bodies.length, backlogBytes: 0 } } };
  },
} as unknown as Queue;

function messageOf(body: unknown): QueueMessage {
  taken += 1;
  const again = (): void => void bodies.push(body);
  return { id: `wide-${taken}`, body, attempts: 1, ack: () => undefined, retry: again };
}

/** One consumer, until the request that it runs in is given up. */
export async function consumeWide(deps: ConsumerDeps): Promise<never> {
  for (;;) {
    const messages = bodies.splice(0, MESSAGES_A_BATCH).map(messageOf);
    if (messages.length > 0) await consumeQueue({ queue: DISPATCH_QUEUE, messages }, deps);
    else await scheduler.wait(LOOK_MILLISECONDS);
  }
}
