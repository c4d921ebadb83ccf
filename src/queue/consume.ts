/** Both queues come to one handler, so each batch goes by the name of its queue and to no other. */
import { consumeDeadLetters } from "./dead-letter-consumer.ts";
import type { ConsumerDeps, QueueMessage } from "./deps.ts";
import { consumeDispatches } from "./send-consumer.ts";

export const DISPATCH_QUEUE = "sendonce-dispatch";
export const DEAD_LETTER_QUEUE = "sendonce-dead-letters";

/**
 * @throws at a queue that is neither of ours: it would be acknowledged unread by returning, and the
 *   configuration is wrong
 */
export async function consumeQueue(
  batch: { readonly queue: string; readonly messages: readonly QueueMessage[] },
  deps: ConsumerDeps,
): Promise<void> {
  switch (batch.queue) {
    case DISPATCH_QUEUE:
      return consumeDispatches(batch.messages, deps);
    case DEAD_LETTER_QUEUE:
      return consumeDeadLetters(batch.messages, deps);
    default:
      throw new Error(`no consumer for the queue ${batch.queue}: see [[queues.consumers]]`);
  }
}
