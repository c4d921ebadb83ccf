/**
 * The consumer of the dead-letter queue. It writes each letter into the ledger of its campaign, which
 * keeps it; the queue would forget it after days. Nobody is lost by a dead letter: the batch behind
 * it has a deadline of its own, and the sweep goes on with it.
 */
import { parseDispatchMessage } from "../campaign/dispatch-message.ts";
import { parseInquiryMessage } from "../campaign/inquiry-message.ts";
import { isOfLaterRelease } from "../campaign/message-version.ts";
import { faultOf } from "../domain/fault-text.ts";
import { DEAD_LETTER_RETRY_SECONDS } from "../domain/limits.ts";
import { again } from "./again.ts";
import type { ConsumerDeps, QueueMessage } from "./deps.ts";

type DeadLetterDeps = Pick<ConsumerDeps, "campaign" | "sleep" | "log">;

export async function consumeDeadLetters(
  messages: readonly QueueMessage[],
  deps: DeadLetterDeps,
): Promise<void> {
  await Promise.all(messages.map((message) => keep(message, deps)));
}

async function keep(message: QueueMessage, deps: DeadLetterDeps): Promise<void> {
  // A lost inquiry is ordered again by its ledger, and nobody's mail hangs on it.
  if (parseInquiryMessage(message.body) !== null) return message.ack();
  if (isOfLaterRelease(message.body)) {
    deps.log("messageOfLaterRelease", { messageId: message.id });
    return message.retry({ delaySeconds: DEAD_LETTER_RETRY_SECONDS });
  }
  const order = parseDispatchMessage(message.body);
  if (order === null) {
    // Nothing of ours: no campaign could keep it, and no retry would make it readable.
    deps.log("deadLetterUnreadable", { messageId: message.id });
    return message.ack();
  }
  const { id: messageId, attempts } = message;
  const { campaignId, dispatch } = order;
  const error = "the consumer failed and left no word of why";
  const letter = { messageId, dispatch, error, stack: null, attempts };
  try {
    await again(deps, () => deps.campaign(campaignId).recordDeadLetter(letter));
    message.ack();
    deps.log("deadLetterKept", { messageId, campaignId, dispatch, attempts });
  } catch (failure) {
    deps.log("deadLetterFailed", { messageId, campaignId, dispatch, ...faultOf(failure) });
    message.retry({ delaySeconds: DEAD_LETTER_RETRY_SECONDS });
  }
}
