/**
 * The row of a batch and its moves. Every move is guarded by the state it starts from and comes
 * back with a row or is a bug, and a grant raises the token in the same statement that leases, so
 * that two consumers can never hold the same one.
 */
import { batchAfter, type BatchCommand, type BatchState } from "../domain/batch.ts";
import type { BatchNumber, Instant, Seq, Token } from "../domain/ids.ts";
import type { AttemptOutcome } from "../domain/outcome.ts";
import { REPEAT_MOST_SECONDS } from "../domain/limits.ts";
import { assert } from "../domain/result.ts";
import type { Book } from "./book.ts";
import { cut } from "./members.ts";
import { batchMoved } from "./owed.ts";
import type { BatchRow } from "./rows.ts";
import { all, maybeOne, one, run, statement, type Storage } from "./sql.ts";

/** What a BatchRow is made of. */
export const BATCH_COLUMNS = `batch, reservation, state, members, size, unsettled, token, claim,
  first_attempt_at, window_until, unknown_attempts, repeat_at, due_at, unwritten`;

const byNumber = statement<BatchRow, { batch: number }>(
  "batches.byNumber",
  `SELECT ${BATCH_COLUMNS} FROM batches WHERE batch = :batch`,
);
const byReservation = statement<BatchRow, { reservation: string }>(
  "batches.byReservation",
  `SELECT ${BATCH_COLUMNS} FROM batches WHERE reservation = :reservation ORDER BY batch DESC LIMIT 1`,
);
const insert = statement<
  BatchRow,
  {
    batch: number;
    reservation: string | null;
    members: string;
    size: number;
    token: number;
    claim: string | null;
    now: number;
    windowUntil: number;
    dueAt: number;
    unwritten: 0 | 1;
  }
>(
  "batches.insert",
  `INSERT INTO batches (batch, reservation, state, members, size, unsettled, token, claim,
      first_attempt_at, window_until, due_at, unwritten)
    VALUES (:batch, :reservation, 'leased', :members, :size, :size, :token, :claim, :now,
      :windowUntil, :dueAt, :unwritten)
    RETURNING ${BATCH_COLUMNS}`,
);
const leaseAgain = statement<
  BatchRow,
  { batch: number; token: number; claim: string | null; dueAt: number }
>(
  "batches.leaseAgain",
  `UPDATE batches SET state = 'leased', token = token + 1, claim = :claim, repeat_at = NULL,
      due_at = :dueAt
    WHERE batch = :batch AND token = :token AND state = 'waiting' RETURNING ${BATCH_COLUMNS}`,
);
const move = statement<
  BatchRow,
  {
    batch: number;
    token: number;
    from: string;
    state: string;
    unknownAttempts: number;
    unsettled: number;
    repeatAt: number | null;
    dueAt: number | null;
  }
>(
  "batches.move",
  `UPDATE batches SET state = :state, unknown_attempts = :unknownAttempts,
      unsettled = :unsettled, claim = NULL, repeat_at = :repeatAt, due_at = :dueAt
    WHERE batch = :batch AND token = :token AND state = :from RETURNING ${BATCH_COLUMNS}`,
);
const count = statement<never, { batch: number; unsettled: number }>(
  "batches.count",
  "UPDATE batches SET unsettled = :unsettled WHERE batch = :batch",
);
const prove = statement<{ state: BatchState; members: string }, { batch: number; now: number }>(
  "batches.prove",
  `UPDATE batches SET accepted_at = :now, unknown_attempts = max(unknown_attempts, 1)
    WHERE batch = :batch AND accepted_at IS NULL AND state IN ('leased', 'waiting', 'inDoubt')
    RETURNING state, members`,
);
const proof = statement<{ accepted_at: Instant | null }, { batch: number }>(
  "batches.proof",
  "SELECT accepted_at FROM batches WHERE batch = :batch",
);
const troubled = statement<{ count: number }>(
  "batches.troubled",
  `SELECT count(*) AS count FROM batches
    WHERE due_at IS NOT NULL AND state = 'waiting' AND unknown_attempts > 0`,
);
const open = statement<{ count: number }>(
  "batches.open",
  "SELECT count(*) AS count FROM batches WHERE due_at IS NOT NULL",
);
const startAttempt = statement<
  never,
  { batch: number; token: number; now: number; expiresAt: number }
>(
  "batches.startAttempt",
  `INSERT INTO attempts (batch, token, started_at, expires_at)
    VALUES (:batch, :token, :now, :expiresAt)`,
);
const endAttempt = statement<
  { token: Token },
  { batch: number; token: number; now: number; outcome: string; reason: string | null }
>(
  "batches.endAttempt",
  `UPDATE attempts SET ended_at = :now, outcome = :outcome, reason = :reason
    WHERE batch = :batch AND token = :token AND (outcome IS NULL OR outcome = 'expired')
    RETURNING token`,
);

export type AttemptRow = {
  token: Token;
  started_at: Instant;
  expires_at: Instant;
  ended_at: Instant | null;
  outcome: AttemptOutcome["kind"] | "expired" | null;
  reason: string | null;
};
const attemptRows = statement<AttemptRow, { batch: number }>(
  "batches.attempts",
  `SELECT token, started_at, expires_at, ended_at, outcome, reason FROM attempts
    WHERE batch = :batch ORDER BY token`,
);
const attemptRow = statement<AttemptRow, { batch: number; token: number }>(
  "batches.attempt",
  `SELECT token, started_at, expires_at, ended_at, outcome, reason FROM attempts
    WHERE batch = :batch AND token = :token`,
);

export function batchByNumber(storage: Storage, batch: number): BatchRow | null {
  return maybeOne(storage, byNumber, { batch });
}

/** The newest batch of a reservation: only a dissolved one is ever followed by another. */
export function batchByReservation(storage: Storage, reservation: string): BatchRow | null {
  return maybeOne(storage, byReservation, { reservation });
}

export type NewBatch = {
  readonly batch: BatchNumber;
  readonly reservation: string | null;
  /** The members in their order. */
  readonly seqs: readonly Seq[];
  readonly claim: string | null;
  /** Above that of an earlier batch of the reservation: no report of that one speaks for this. */
  readonly token: Token;
  /** Whether the rows of its members are left as they are for now (ledger/unwritten.ts). */
  readonly isUnwritten: boolean;
};

/** Freezes a batch and leases it for its first attempt. */
export function insertBatch(book: Book, fresh: NewBatch): BatchRow {
  const { batch, reservation, seqs, claim, token, isUnwritten } = fresh;
  const { leaseSeconds } = book.settings;
  // The provider counts from the first receipt, and a request may reach it late.
  const windowSeconds = Math.min(book.settings.idempotencyWindowSeconds, REPEAT_MOST_SECONDS);
  const row = one(book.storage, insert, {
    batch,
    reservation,
    members: JSON.stringify(seqs),
    size: seqs.length,
    token,
    claim,
    now: book.now,
    windowUntil: book.now + windowSeconds * 1000,
    dueAt: book.now + leaseSeconds * 1000,
    unwritten: isUnwritten ? 1 : 0,
  });
  beginAttempt(book, row);
  return row;
}

/**
 * Leases a waiting batch to somebody else: same members, same key, a higher token. A batch that may
 * have been accepted is leased no longer than its key protects it, since the lease bounds the call.
 */
export function leaseBatch(book: Book, batch: BatchRow, claim: string | null): BatchRow {
  const whole = book.now + book.settings.leaseSeconds * 1000;
  const dueAt = batch.unknown_attempts > 0 ? Math.min(whole, batch.window_until) : whole;
  const params = { batch: batch.batch, token: batch.token, claim, dueAt };
  const row = one(book.storage, leaseAgain, params);
  assert(row.token === batch.token + 1, "a token rises by one");
  beginAttempt(book, row);
  return row;
}

function beginAttempt(book: Book, row: BatchRow): void {
  assert(row.due_at !== null, "a leased batch has a deadline");
  const params = { batch: row.batch, token: row.token, now: book.now, expiresAt: row.due_at };
  run(book.storage, startAttempt, params);
  book.counters.grants += 1;
}

/**
 * Writes what an attempt came to; false where that is written already.
 * @param callMilliseconds how long the provider's call took; null: nobody says
 */
export function closeAttempt(
  book: Book,
  batch: BatchNumber,
  token: Token,
  outcome: AttemptOutcome["kind"] | "expired",
  reason: string | null,
  callMilliseconds: number | null = null,
): boolean {
  const params = { batch, token, now: book.now, outcome, reason: cut(reason) };
  const isWritten = all(book.storage, endAttempt, params).length === 1;
  if (isWritten) book.measure(outcome, callMilliseconds);
  return isWritten;
}

export function attemptsOf(storage: Storage, batch: BatchNumber): AttemptRow[] {
  return all(storage, attemptRows, { batch });
}

export function attemptOf(storage: Storage, batch: BatchNumber, token: Token): AttemptRow | null {
  return maybeOne(storage, attemptRow, { batch, token });
}

type Change = {
  readonly unknownAttempts?: number;
  readonly unsettled?: number;
};

/** Waits until `repeatAt`, then its dispatch is sent again. */
export function waitBatch(
  book: Book,
  batch: BatchRow,
  command: "wait" | "reopen",
  repeatAt: Instant,
  dueAt: Instant,
  change: Change = {},
): BatchRow {
  return moveBatch(book, batch, command, { ...change, repeatAt, dueAt });
}

/** Ends a batch, or leaves it in doubt. */
export function endBatch(
  book: Book,
  batch: BatchRow,
  command: "settle" | "dissolve" | "doubt",
  change: Change = {},
): BatchRow {
  return moveBatch(book, batch, command, { ...change, repeatAt: null, dueAt: null });
}

function moveBatch(
  book: Book,
  batch: BatchRow,
  command: BatchCommand,
  change: Change & { readonly repeatAt: Instant | null; readonly dueAt: Instant | null },
): BatchRow {
  const next = batchAfter(batch.state, command);
  assert(next.ok, `a batch that is ${batch.state} can ${command}`);
  batchMoved(book.storage, { ...batch, state: next.value });
  return one(book.storage, move, {
    batch: batch.batch,
    token: batch.token,
    from: batch.state,
    state: next.value,
    unknownAttempts: change.unknownAttempts ?? batch.unknown_attempts,
    unsettled: change.unsettled ?? batch.unsettled,
    repeatAt: change.repeatAt,
    dueAt: change.dueAt,
  });
}

/**
 * Notes that the provider has accepted the request of a batch whose answer nobody has. It counts
 * as an attempt that may have been accepted: from here on nothing can dissolve the batch, so none
 * of its members gets a new key (SPEC G3).
 * @returns null where that was known, or everybody in it is settled
 */
export function proveAccepted(
  book: Book,
  batch: BatchNumber,
): { readonly state: BatchState; readonly members: string } | null {
  return maybeOne(book.storage, prove, { batch, now: book.now });
}

/** Whether it is known that the provider took the request, whatever became of its members. */
export function isProvedAccepted(storage: Storage, batch: BatchNumber): boolean {
  return (maybeOne(storage, proof, { batch })?.accepted_at ?? null) !== null;
}

/** Tells the batch that `settled` of its members are final, and ends it with the last of them. */
export function countSettled(book: Book, batch: BatchRow, settled: number): BatchRow {
  if (settled === 0) return batch;
  const unsettled = batch.unsettled - settled;
  assert(unsettled >= 0, "a batch settles no more than its members");
  if (unsettled === 0 && batch.state !== "settled" && batch.state !== "dissolved") {
    return endBatch(book, batch, "settle", { unsettled });
  }
  run(book.storage, count, { batch: batch.batch, unsettled });
  return { ...batch, unsettled };
}

/** Batches that wait to be repeated because nobody knows whether they were accepted. */
export function troubledBatches(storage: Storage): number {
  return one(storage, troubled, {}).count;
}

/** Batches that are leased or waiting. */
export function openBatches(storage: Storage): number {
  return one(storage, open, {}).count;
}
