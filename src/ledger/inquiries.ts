/**
 * The work order to ask the provider about doubts (domain/inquiry.ts). There is one at most: whoever
 * carries it out is given everybody who is in doubt then. It is raised where somebody falls into
 * doubt, put on the queue by the alarm, and due again later until it has been answered, so that a
 * lost message loses nothing. Its number tells an answer from one to an order that was raised since.
 */
import { backoffMilliseconds } from "../domain/backoff.ts";
import type { Address, BatchNumber, Instant, Seq } from "../domain/ids.ts";
import type { Inquiry, InquiryOutcome } from "../domain/inquiry.ts";
import {
  INQUIRY_AGAIN_SECONDS,
  INQUIRY_BATCHES,
  INQUIRY_DELAY_SECONDS,
  INQUIRY_TRIES,
} from "../domain/limits.ts";
import type { Book } from "./book.ts";
import { all, maybeOne, run, statement, type Storage } from "./sql.ts";

const raise = statement<never, { dueAt: number }>(
  "inquiries.raise",
  `INSERT INTO inquiry (one, number, due_at) VALUES (1, 1, :dueAt)
    ON CONFLICT (one) DO UPDATE SET number = number + 1, due_at = :dueAt, tries = 0`,
);
const standing = statement<{ number: number; due_at: Instant | null; tries: number }>(
  "inquiries.standing",
  "SELECT number, due_at, tries FROM inquiry WHERE one = 1",
);
const startTry = statement<never, { number: number; dueAt: number | null }>(
  "inquiries.startTry",
  `UPDATE inquiry SET tries = tries + 1, due_at = :dueAt WHERE one = 1 AND number = :number`,
);
const postpone = statement<{ number: number }, { number: number; dueAt: number | null }>(
  "inquiries.postpone",
  `UPDATE inquiry SET due_at = :dueAt
    WHERE one = 1 AND number = :number AND due_at IS NOT NULL RETURNING number`,
);
const doubtful = statement<
  { batch: BatchNumber; members: string; first_attempt_at: Instant },
  { limit: number }
>(
  "inquiries.doubtful",
  `SELECT batch, members, first_attempt_at FROM batches
    WHERE state = 'inDoubt' AND batch >= 1 ORDER BY batch DESC LIMIT :limit`,
);
const members = statement<{ seq: Seq; address: Address }, { seqs: string; batch: number }>(
  "inquiries.members",
  `SELECT seq, address FROM recipients
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND batch = :batch AND +status = 'inDoubt'
      AND erased_at IS NULL`,
);

/** Orders an inquiry. The delay leaves time for webhooks, which come by themselves. */
export function raiseInquiry(book: Book, delaySeconds: number = INQUIRY_DELAY_SECONDS): void {
  // Whoever mails for an external campaign knows its provider; we don't.
  if (book.campaign.delivery === "external") return;
  run(book.storage, raise, { dueAt: book.now + delaySeconds * 1000 });
}

/** The number of the order to put on the queue now; null: none. It is due again if unanswered. */
export function takeDueInquiry(book: Book): number | null {
  const { storage, now, counters } = book;
  const order = maybeOne(storage, standing, {});
  if (order === null || order.due_at === null || order.due_at > now) return null;
  const { number, tries } = order;
  // Webhooks have settled them all meanwhile, or nobody ever answers.
  if (counters.in_doubt === 0 || tries >= INQUIRY_TRIES) {
    run(storage, postpone, { number, dueAt: null });
    return null;
  }
  run(storage, startTry, { number, dueAt: now + INQUIRY_AGAIN_SECONDS * 1000 });
  return number;
}

/** Whom to ask about; null where the order is answered or replaced, or nobody is in doubt. */
export function inquiryOf(storage: Storage, number: number): Inquiry | null {
  const order = maybeOne(storage, standing, {});
  if (order === null || order.number !== number || order.due_at === null) return null;
  const batches = all(storage, doubtful, { limit: INQUIRY_BATCHES });
  const asked = batches.flatMap((each) =>
    all(storage, members, { seqs: each.members, batch: each.batch }),
  );
  if (asked.length === 0) return null;
  return { since: Math.min(...batches.map((each) => each.first_attempt_at)), members: asked };
}

/** Takes the answer to an order; one to an order that was replaced is not needed any more. */
export function closeInquiry(
  book: Book,
  number: number,
  outcome: InquiryOutcome,
  chance: number,
): void {
  const isLater = outcome.kind === "later";
  const tries = Math.max(maybeOne(book.storage, standing, {})?.tries ?? 1, 1);
  const wait = isLater ? backoffMilliseconds(tries, outcome.retryAfterSeconds, chance) : 0;
  const dueAt = isLater ? book.now + wait : null;
  const closed = maybeOne(book.storage, postpone, { number, dueAt });
  if (closed === null || outcome.kind !== "looked") return;
  const { found, complete } = outcome;
  book.event("inquired", { found, complete, inDoubt: book.counters.in_doubt });
}
