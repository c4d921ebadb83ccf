/** How many work orders are wanted, and when the outbox has to act. Pure decisions of a few lines. */
import type { Instant } from "./ids.ts";
import {
  BACKOFF_MOST_SECONDS,
  DISPATCH_QUIET_AFTER_OPENING_SECONDS,
  DISPATCH_QUIET_SECONDS,
  DISPATCH_REFILL,
  DISPATCH_WINDOW,
  UNKNOWN_BATCHES_AT_MOST,
} from "./limits.ts";

export type OutboxFacts = {
  readonly pending: number;
  readonly batchSize: number;
  /** Dispatches without a batch that nobody has answered yet. */
  readonly fresh: number;
  /** Leased and waiting batches. */
  readonly openBatches: number;
  /** Waiting batches that may have been accepted. */
  readonly troubled: number;
};

/**
 * Fresh dispatches to add now. The window is bounded, since a queue must not fill up while the
 * provider is slow, and it is filled in one go when enough of it is free. With many batches in
 * trouble no new ones are started: a dead provider should not put a whole campaign in doubt.
 */
export function freshDispatchesWanted(facts: OutboxFacts): number {
  if (facts.troubled >= UNKNOWN_BATCHES_AT_MOST) return 0;
  const needed = Math.ceil(facts.pending / facts.batchSize) - facts.fresh;
  const free = DISPATCH_WINDOW - facts.fresh - facts.openBatches;
  const wanted = Math.min(needed, free);
  if (wanted <= 0) return 0;
  return wanted === needed || wanted >= DISPATCH_REFILL ? wanted : 0;
}

/** The oldest dispatch that is out, and what is known of the queue it is on. */
export type SilenceFacts = {
  /** When a consumer last asked for work. */
  readonly heardAt: Instant;
  readonly sentAt: Instant;
  /** How often it has been sent, from 1. */
  readonly sends: number;
  /** When the ledger was opened by the process that asks. */
  readonly openedAt: Instant;
};

/**
 * When unanswered dispatches are taken for lost. The queue may be long, so time since a dispatch
 * was sent says little; a queue that has handed out nothing at all for a while says more. Each
 * further round waits twice as long.
 *
 * What ended the process that sent a dispatch may have ended the queue's messages too (a crash of
 * the machine that holds both), and how often an earlier life had to send says nothing of this one.
 * So a little silence after the opening is enough; where the queue is intact, consumers break it.
 */
export function quietAt({ heardAt, sentAt, sends, openedAt }: SilenceFacts): Instant {
  const wait = DISPATCH_QUIET_SECONDS * 2 ** Math.min(Math.max(sends - 1, 0), 10);
  const usual = Math.max(heardAt, sentAt) + Math.min(wait, BACKOFF_MOST_SECONDS) * 1000;
  if (sentAt >= openedAt) return usual;
  const afresh = Math.max(heardAt, openedAt) + DISPATCH_QUIET_AFTER_OPENING_SECONDS * 1000;
  return Math.min(usual, afresh);
}
