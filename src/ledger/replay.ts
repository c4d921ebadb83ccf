/**
 * Bringing work back by an operator's word: settled failures, dead letters, doubts.
 *
 * A failure was definitely not accepted, so it gets a new key. A doubt whose key the provider still
 * remembers is repeated under that key and risks nothing; one whose key has lapsed could be a second
 * mail, and is only replayed where the operator has accepted that in words (SPEC G3). Who has been
 * suppressed since is mailed neither way: a failure becomes `suppressed`, and a doubt stays one,
 * since `suppressed` says of somebody that no mail went out.
 */
import type { BatchNumber, RecipientId, Seq } from "../domain/ids.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import type { ReplayRefusal, ReplayRequest } from "../domain/replay.ts";
import { batchByNumber, countSettled } from "./batches.ts";
import type { Book } from "./book.ts";
import { reopen, replayDeadLetters } from "./reopen.ts";
import { hasBegunRetention } from "./retention.ts";
import { all, one, run, statement } from "./sql.ts";
import { writeDownAll } from "./unwritten.ts";

type NamedRow = {
  seq: Seq;
  id: RecipientId;
  status: RecipientStatus;
  batch: BatchNumber | null;
};
// The set is that of the index `problems`, which SQLite uses only where its condition is repeated.
const IS_FAILED =
  "status IN ('failed', 'suppressed', 'inDoubt', 'cancelled') AND status = 'failed'";

const withheldFailures = statement<{ count: number }>(
  "replay.withheldFailures",
  `SELECT count(*) AS count FROM recipients WHERE ${IS_FAILED} AND suppression IS NOT NULL`,
);
const putBackFailures = statement<never, { bound: number; now: number }>(
  "replay.putBackFailures",
  `UPDATE recipients SET
      status = CASE WHEN suppression IS NULL THEN 'pending' ELSE 'suppressed' END,
      released = CASE WHEN suppression IS NULL THEN :bound ELSE NULL END,
      reason = coalesce(suppression, 'replayed after: ' || reason), updated_at = :now
    WHERE ${IS_FAILED}`,
);
const batchesInDoubt = statement<{ batch: BatchNumber }>(
  "replay.doubts",
  "SELECT batch FROM batches WHERE state = 'inDoubt' AND batch >= 1 ORDER BY batch",
);
const doubtful = statement<NamedRow, { seqs: string; batch: number }>(
  "replay.doubtful",
  `SELECT seq, id, status, batch FROM recipients
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND batch = :batch AND +status = 'inDoubt'`,
);
const namedRows = statement<NamedRow, { ids: string }>(
  "replay.named",
  `SELECT seq, id, status, batch FROM recipients
    WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY seq`,
);
type Moved = { seq: Seq; status: RecipientStatus };
const putBack = statement<
  Moved,
  { seqs: string; bound: number; from: RecipientStatus; now: number }
>(
  "replay.putBack",
  `UPDATE recipients SET
      status = CASE WHEN suppression IS NULL THEN 'pending' ELSE 'suppressed' END,
      released = CASE WHEN suppression IS NULL THEN :bound ELSE NULL END,
      reason = coalesce(suppression, 'replayed after: ' || reason), updated_at = :now
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND status = :from
      AND (suppression IS NULL OR :from = 'failed')
    RETURNING seq, status`,
);
type Counts = {
  replayed: number;
  reopened: number;
  left: { readonly id: RecipientId; readonly status: RecipientStatus }[];
};

export function replay(book: Book, request: ReplayRequest): Result<Counts, ReplayRefusal> {
  const { state } = book.campaign;
  if (state !== "sending" && state !== "paused" && state !== "finished") {
    return refuse({ code: "wrongState", state, command: "reopen" });
  }
  // Nobody knows any more where the mails would go.
  if (hasBegunRetention(book)) return refuse({ code: "wrongState", state, command: "reopen" });
  const answer =
    "ids" in request ? replayNamed(book, request) : replayAll(book, request.recipients);
  if (!answer.ok) return answer;
  const { replayed, reopened } = answer.value;
  if (replayed + reopened > 0 && book.campaign.state === "finished") {
    book.campaign.state = "sending";
    book.campaign.finished_at = null;
  }
  // What was put back no longer counts against the campaign.
  book.counters.breaker_failed = book.counters.failed;
  book.counters.breaker_sent = book.counters.sent;
  book.event("replayed", { ...("ids" in request ? {} : request), replayed, reopened });
  return answer;
}

function replayAll(
  book: Book,
  which: "failed" | "deadLettered" | "inDoubt",
): Result<Counts, ReplayRefusal> {
  switch (which) {
    case "failed":
      return accept({ replayed: replayFailures(book), reopened: 0, left: [] });
    case "inDoubt":
      return accept(replayDoubts(book));
    case "deadLettered":
      return accept({ replayed: 0, reopened: replayDeadLetters(book), left: [] });
  }
}

/** A breaker may have stopped at many thousands, so they are moved without being listed. */
function replayFailures(book: Book): number {
  const { failed } = book.counters;
  const withheld = one(book.storage, withheldFailures, {}).count;
  run(book.storage, putBackFailures, { bound: book.settings.batchSize, now: book.now });
  book.move("failed", "suppressed", withheld);
  book.move("failed", "pending", failed - withheld);
  return failed - withheld;
}

/** Batch by batch: each is repeated as a whole or given up as a whole. */
function replayDoubts(book: Book): Counts {
  const counts: Counts = { replayed: 0, reopened: 0, left: [] };
  for (const { batch } of all(book.storage, batchesInDoubt, {})) {
    const found = batchByNumber(book.storage, batch);
    if (found === null) continue;
    const rows = all(book.storage, doubtful, { seqs: found.members, batch });
    addDoubt(book, counts, batch, rows);
  }
  return counts;
}

function replayNamed(
  book: Book,
  request: Extract<ReplayRequest, { ids: unknown }>,
): Result<Counts, ReplayRefusal> {
  writeDownAll(book);
  const rows = all(book.storage, namedRows, { ids: JSON.stringify(request.ids) });
  const known = new Set(rows.map((row) => row.id));
  const unknown = request.ids.filter((id) => !known.has(id));
  if (unknown.length > 0) return refuse({ code: "unknownRecipients", ids: unknown });
  const inDoubt = rows.filter((row) => row.status === "inDoubt").length;
  if (inDoubt > 0 && !request.acceptDuplicateRisk) {
    return refuse({ code: "duplicateRisk", inDoubt });
  }
  return accept(replayRows(book, rows));
}

function replayRows(book: Book, rows: readonly NamedRow[]): Counts {
  const counts: Counts = { replayed: 0, reopened: 0, left: [] };
  const failed = rows.filter((row) => row.status === "failed");
  counts.replayed += waitingAmong(putBackRows(book, failed, "failed"));
  const doubts = rows.filter((row) => row.status === "inDoubt");
  const brought = new Set<Seq>();
  for (const [number, members] of Map.groupBy(doubts, (row) => row.batch)) {
    if (number === null) continue;
    for (const seq of addDoubt(book, counts, number, members)) brought.add(seq);
  }
  counts.left = rows
    .filter(({ seq, status }) => status !== "failed" && !brought.has(seq))
    .map(({ id, status }) => ({ id, status }));
  return counts;
}

/**
 * Under the old key where it still protects, otherwise under new ones, as was accepted in words.
 * @returns who of them is no longer in doubt
 */
function addDoubt(
  book: Book,
  counts: Counts,
  number: BatchNumber,
  members: readonly NamedRow[],
): readonly Seq[] {
  const reopened = reopen(book, number);
  counts.reopened += reopened;
  if (reopened > 0) return members.map(({ seq }) => seq);
  const moved = putBackRows(book, members, "inDoubt");
  counts.replayed += waitingAmong(moved);
  const batch = batchByNumber(book.storage, number);
  if (batch !== null) countSettled(book, batch, moved.length);
  return moved.map(({ seq }) => seq);
}

function putBackRows(
  book: Book,
  rows: readonly NamedRow[],
  from: "failed" | "inDoubt",
): readonly Moved[] {
  if (rows.length === 0) return [];
  const seqs = JSON.stringify(rows.map((row) => row.seq));
  const params = { seqs, bound: book.settings.batchSize, from, now: book.now };
  const moved = all(book.storage, putBack, params);
  const waiting = waitingAmong(moved);
  book.move(from, "suppressed", moved.length - waiting);
  book.move(from, "pending", waiting);
  return moved;
}

function waitingAmong(moved: readonly Moved[]): number {
  return moved.filter(({ status }) => status === "pending").length;
}
