/**
 * Who may be mailed now: the only place that decides it (SPEC G1, G4, G6).
 *
 * In one synchronous transaction: the campaign must be sending; a batch that exists is answered by
 * its state; a new one takes recipients that are pending, and pending ones are never suppressed (a
 * CHECK of the schema). Nothing can come between the check and the grant, so once a pause has
 * answered no reservation is granted.
 */
import {
  idempotencyKey,
  type BatchNumber,
  type DispatchNumber,
  type Token,
} from "../domain/ids.ts";
import {
  BACKOFF_MOST_SECONDS,
  RESERVE_AGAIN_SECONDS,
  UNKNOWN_BATCHES_AT_MOST,
} from "../domain/limits.ts";
import type { Declined, ReserveAnswer, ReserveRefusalReason } from "../domain/reservation.ts";
import { assert } from "../domain/result.ts";
import {
  batchByNumber,
  insertBatch,
  leaseBatch,
  troubledBatches,
  type NewBatch,
} from "./batches.ts";
import type { Book } from "./book.ts";
import { contentId } from "./lifecycle.ts";
import { hasSuppressed, memberOf, readMembers, reserveMembers, type MailRow } from "./members.ts";
import { answerDispatch, isUnanswered } from "./outbox.ts";
import { pickPending } from "./pick.ts";
import type { BatchRow } from "./rows.ts";
import { expireLease } from "./sweep.ts";
import { dissolve, lapse, wakeBatch } from "./waiting.ts";

export const FIRST_TOKEN = 1 as Token;

/** Whom a batch that is granted again is granted for. */
function openMembers(book: Book, batch: BatchRow): readonly MailRow[] {
  const rows = readMembers(book.storage, batch.members);
  // A managed batch is one request and repeats as a whole; an external consumer may have settled
  // some members on their own, and those must not be mailed again.
  const external = book.campaign.delivery === "external";
  return external ? rows.filter((row) => row.status === "reserved") : rows;
}

/** @param rows its members, where they have been read already */
export function granted(
  book: Book,
  batch: BatchRow,
  rows: readonly MailRow[] = openMembers(book, batch),
): ReserveAnswer {
  return {
    granted: true,
    reservationId: batch.reservation ?? String(batch.batch),
    batch: batch.batch,
    token: batch.token,
    expiresAt: batch.due_at ?? book.now,
    leaseMilliseconds: (batch.due_at ?? book.now) - book.now,
    idempotencyKey: idempotencyKey(book.campaign.id, batch.batch),
    contentId: contentId(book.storage),
    members: rows.map(memberOf),
    skipped: [],
  };
}

export function refused(
  reason: ReserveRefusalReason,
  waitMilliseconds: number = RESERVE_AGAIN_SECONDS * 1000,
): ReserveAnswer {
  const seconds = Math.ceil(waitMilliseconds / 1000);
  const retryAfterSeconds = Math.min(Math.max(seconds, 1), BACKOFF_MOST_SECONDS);
  return { granted: false, reason, skipped: [], retryAfterSeconds };
}

/** Why this campaign grants nothing at all; null while it is sending. */
export function stateRefusal(book: Book): ReserveRefusalReason | null {
  switch (book.campaign.state) {
    case "draft":
    case "scheduled":
      return "notStarted";
    case "paused":
    case "finished":
    case "cancelled":
      return book.campaign.state;
    case "sending":
      return null;
  }
}

/** A redelivery, or a second consumer, asks for what is being mailed or has been. */
export function countPrevented(book: Book, batch: BatchRow | null): void {
  if (batch === null || (batch.state !== "leased" && batch.state !== "settled")) return;
  book.counters.duplicates_prevented += batch.size;
}

/** Answers a batch that exists: the same people, or nobody. */
export function reserveAgain(book: Book, found: BatchRow, claim: string | null): ReserveAnswer {
  const batch = expireLease(book, found);
  // The answer to this very ask was lost: the grant is the same, and so is its token.
  if (batch.state === "leased" && claim !== null && batch.claim === claim) {
    return granted(book, batch);
  }
  if (batch.state === "leased") {
    countPrevented(book, batch);
    return refused("inFlight", (batch.due_at ?? book.now) - book.now);
  }
  if (batch.state !== "waiting") {
    countPrevented(book, batch);
    return refused("settled");
  }
  if (batch.repeat_at !== null && batch.repeat_at > book.now) {
    wakeBatch(book, batch);
    return refused("inFlight", batch.repeat_at - book.now);
  }
  if (batch.window_until <= book.now) {
    lapse(book, batch, "not repeated in time");
    return refused("settled");
  }
  // Nothing of this batch was accepted yet, so whoever was suppressed meanwhile is left out, and
  // the others get a new key. After an unknown attempt the bytes have to stay (SPEC C10).
  if (batch.unknown_attempts === 0 && hasSuppressed(book.storage, batch.members)) {
    dissolve(book, batch, book.settings.batchSize, null);
    return refused("settled");
  }
  return granted(book, leaseBatch(book, batch, claim));
}

/** Whether a reserve would certainly be refused, told by reading alone. */
function wouldRefuse(book: Book, dispatch: DispatchNumber): boolean {
  if (stateRefusal(book) !== null) return true;
  const batch = batchByNumber(book.storage, dispatch);
  if (batch === null) return !isUnanswered(book.storage, dispatch);
  if (batch.state === "leased") return batch.due_at !== null && batch.due_at > book.now;
  return batch.state !== "waiting" || (batch.repeat_at !== null && batch.repeat_at > book.now);
}

/**
 * Answers a dispatch that would be refused, before its consumer has waited for a slot: a slot that
 * a refusal has used up is a call that somebody else could have made.
 * @returns null where it may be granted: then nothing has changed but that somebody has asked
 */
export function declineDispatch(book: Book, dispatch: DispatchNumber): Declined | null {
  book.heard();
  if (!wouldRefuse(book, dispatch)) return null;
  const answer = reserveDispatch(book, dispatch, null);
  assert(!answer.granted, "what would be refused is refused");
  return answer;
}

/** The whole of a managed reserve. */
export function reserveDispatch(
  book: Book,
  dispatch: DispatchNumber,
  claim: string | null,
): ReserveAnswer {
  book.heard();
  const answered = answerDispatch(book.storage, dispatch);
  const batch = batchByNumber(book.storage, dispatch);
  const reason = stateRefusal(book);
  if (reason !== null) {
    countPrevented(book, batch);
    return refused(reason);
  }
  if (batch !== null) return reserveAgain(book, batch, claim);
  // A dispatch that was answered before without a batch has been replaced by another since.
  if (answered === null) return refused("nothingDue");
  if (troubledBatches(book.storage) >= UNKNOWN_BATCHES_AT_MOST) return refused("nothingDue");
  const { rows, isFresh } = pickPending(book, book.settings.batchSize);
  if (rows.length === 0) return refused("nothingDue");
  const fresh = formBatch(book, {
    // A managed batch has the number of its dispatch, so that a replayed message finds it.
    batch: dispatch as number as BatchNumber,
    reservation: null,
    seqs: rows.map(({ seq }) => seq),
    claim,
    token: FIRST_TOKEN,
    isUnwritten: isFresh,
  });
  return granted(book, fresh, rows);
}

/** Makes a batch of recipients who are pending. */
export function formBatch(book: Book, fresh: NewBatch): BatchRow {
  const batch = insertBatch(book, fresh);
  if (!fresh.isUnwritten) reserveMembers(book.storage, batch, book.now);
  book.move("pending", "reserved", batch.size);
  return batch;
}
