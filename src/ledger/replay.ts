/**
 * Bringing work back by an operator's word: settled failures, dead letters, doubts.
 *
 * A failure was definitely not accepted, so it gets a new key. A doubt whose key the provider still
 * remembers is repeated under that key and risks nothing; one whose key has lapsed could be a second
 * mail, and is only replayed where the operator has accepted that in words (SPEC G3).
 */
import type { BatchNumber, RecipientId, Seq } from "../domain/ids.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import type {
  ReplayRefusal,
  ReplayRequest,
  ResolveRefusal,
  ResolveRequest,
} from "../domain/replay.ts";
import { batchByNumber, countSettled, waitBatch } from "./batches.ts";
import type { Book } from "./book.ts";
import { moveInBatch } from "./members.ts";
import { acceptSent } from "./report.ts";
import { all, run, statement } from "./sql.ts";

type NamedRow = {
  seq: Seq;
  id: RecipientId;
  status: RecipientStatus;
  batch: BatchNumber | null;
};
// The set is that of the index `problems`, which SQLite uses only where its condition is repeated.
const failedRows = statement<NamedRow>(
  "replay.failed",
  `SELECT seq, id, status, batch FROM recipients
    WHERE status IN ('failed', 'suppressed', 'inDoubt', 'cancelled') AND status = 'failed'
    ORDER BY updated_at, seq`,
);
const doubtRows = statement<NamedRow>(
  "replay.doubts",
  `SELECT seq, id, status, batch FROM recipients
    WHERE status IN ('failed', 'suppressed', 'inDoubt', 'cancelled') AND status = 'inDoubt'
    ORDER BY updated_at, seq`,
);
const namedRows = statement<NamedRow, { ids: string }>(
  "replay.named",
  `SELECT seq, id, status, batch FROM recipients
    WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY seq`,
);
const putBack = statement<
  { status: RecipientStatus },
  { seqs: string; bound: number; from: RecipientStatus; now: number }
>(
  "replay.putBack",
  `UPDATE recipients SET
      status = CASE WHEN suppression IS NULL THEN 'pending' ELSE 'suppressed' END,
      released = CASE WHEN suppression IS NULL THEN :bound ELSE NULL END,
      reason = coalesce(suppression, 'replayed after: ' || reason), updated_at = :now
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND status = :from
    RETURNING status`,
);
const deadLettered = statement<{ dispatch: BatchNumber }>(
  "replay.deadLettered",
  `SELECT DISTINCT dispatch FROM dead_letters
    WHERE dispatch IS NOT NULL AND replayed_at IS NULL ORDER BY dispatch`,
);
const markReplayed = statement<never, { now: number }>(
  "replay.mark",
  "UPDATE dead_letters SET replayed_at = :now WHERE replayed_at IS NULL",
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
      return accept(replayRows(book, all(book.storage, failedRows, {})));
    case "inDoubt":
      return accept(replayRows(book, all(book.storage, doubtRows, {})));
    case "deadLettered":
      return accept(replayDeadLetters(book));
  }
}

function replayNamed(
  book: Book,
  request: Extract<ReplayRequest, { ids: unknown }>,
): Result<Counts, ReplayRefusal> {
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
  counts.replayed += putBackRows(book, failed, "failed");
  const doubts = rows.filter((row) => row.status === "inDoubt");
  for (const [number, members] of Map.groupBy(doubts, (row) => row.batch)) {
    if (number === null) continue;
    const reopened = reopen(book, number);
    counts.reopened += reopened;
    if (reopened > 0) continue;
    counts.replayed += putBackRows(book, members, "inDoubt");
    const batch = batchByNumber(book.storage, number);
    if (batch !== null) countSettled(book, batch, members.length);
  }
  counts.left = rows
    .filter((row) => row.status !== "failed" && row.status !== "inDoubt")
    .map(({ id, status }) => ({ id, status }));
  return counts;
}

function putBackRows(book: Book, rows: readonly NamedRow[], from: "failed" | "inDoubt"): number {
  if (rows.length === 0) return 0;
  const seqs = JSON.stringify(rows.map((row) => row.seq));
  const params = { seqs, bound: book.settings.batchSize, from, now: book.now };
  const moved = all(book.storage, putBack, params);
  const withheld = moved.filter((row) => row.status === "suppressed").length;
  book.move(from, "suppressed", withheld);
  book.move(from, "pending", moved.length - withheld);
  return moved.length - withheld;
}

/** Repeats a batch in doubt under its own key, while that is remembered; gives its recipients. */
function reopen(book: Book, number: BatchNumber): number {
  const batch = batchByNumber(book.storage, number);
  if (batch === null || batch.state !== "inDoubt" || batch.window_until <= book.now) return 0;
  // The request holds all members or none: where some were settled apart, by a person or by a
  // replay, repeating it would mail them with the rest.
  if (batch.unsettled !== batch.size) return 0;
  const moved = moveInBatch(book, batch, batch.members, "inDoubt", "reserve", null);
  waitBatch(book, batch, "reopen", book.now, book.now, { unknownAttempts: 1 });
  return moved;
}

/** Sends dead-lettered work again, under the key it had: at once, or out of its doubt. */
function replayDeadLetters(book: Book): Counts {
  const counts: Counts = { replayed: 0, reopened: 0, left: [] };
  for (const { dispatch } of all(book.storage, deadLettered, {})) {
    const batch = batchByNumber(book.storage, dispatch);
    if (batch === null) continue;
    if (batch.state === "inDoubt") counts.reopened += reopen(book, dispatch);
    if (batch.state !== "waiting") continue;
    waitBatch(book, batch, "wait", book.now, book.now);
    counts.reopened += batch.unsettled;
  }
  run(book.storage, markReplayed, { now: book.now });
  return counts;
}

/** Settles doubts by the word of a person who has looked. All of them, or none. */
export function resolve(book: Book, request: ResolveRequest): Result<null, ResolveRefusal> {
  const rows = all(book.storage, namedRows, { ids: JSON.stringify(request.ids) });
  const known = new Set(rows.map((row) => row.id));
  const unknown = request.ids.filter((id) => !known.has(id));
  if (unknown.length > 0) return refuse({ code: "unknownRecipients", ids: unknown });
  const others = rows.filter((row) => row.status !== "inDoubt" && row.status !== request.as);
  if (others.length > 0) {
    const recipients = others.map(({ id, status }) => ({ id, status }));
    return refuse({ code: "notInDoubt", recipients });
  }
  const open = rows.filter((row) => row.status === "inDoubt");
  if (request.as === "sent") {
    acceptSent(
      book,
      open.map(({ seq }) => ({ seq, providerId: null })),
    );
  } else {
    failByHand(book, open);
  }
  book.event("resolved", { as: request.as, recipients: open.length });
  return accept(null);
}

function failByHand(book: Book, rows: readonly NamedRow[]): void {
  for (const [number, members] of Map.groupBy(rows, (row) => row.batch)) {
    const batch = number === null ? null : batchByNumber(book.storage, number);
    if (batch === null) continue;
    const seqs = JSON.stringify(members.map((row) => row.seq));
    const moved = moveInBatch(book, batch, seqs, "inDoubt", "fail", "resolved by hand as failed");
    countSettled(book, batch, moved);
  }
}
