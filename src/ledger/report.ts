/**
 * What a consumer tells about an attempt, and what of it is believed.
 *
 * `sent` with the provider's id is a fact and is taken from anybody, whatever the token: it can only
 * keep somebody from being mailed again. Everything else could open the way to a second mail, so it
 * needs the token of the lease that runs (SPEC G1, C09). Repeating a report changes nothing.
 */
import type { Seq, Token } from "../domain/ids.ts";
import type { AttemptOutcome, MemberOutcome } from "../domain/outcome.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import type { ReportRefusal } from "../domain/reservation.ts";
import { attemptOf, batchByNumber, closeAttempt, countSettled, endBatch } from "./batches.ts";
import type { Book } from "./book.ts";
import { cut, moveInBatch, readMembers, release } from "./members.ts";
import type { BatchRow } from "./rows.ts";
import { all, statement } from "./sql.ts";
import { acceptUnwritten, writeDown } from "./unwritten.ts";
import { defer, delayAfter, dissolve, repeatOrDoubt } from "./waiting.ts";

const acceptMembers = statement<{ seq: Seq }, { results: string; now: number }>(
  "report.accept",
  `UPDATE recipients SET status = 'sent', reason = NULL, released = NULL,
      provider_id = j.value ->> 1, updated_at = :now
    FROM json_each(:results) AS j
    WHERE recipients.seq = j.value ->> 0 AND recipients.status <> 'sent'
    RETURNING recipients.seq`,
);
const failMembers = statement<
  { seq: Seq },
  { results: string; batch: number; from: "reserved" | "inDoubt"; now: number }
>(
  "report.fail",
  `UPDATE recipients SET status = 'failed', reason = j.value ->> 1, updated_at = :now
    FROM json_each(:results) AS j
    WHERE recipients.seq = j.value ->> 0 AND recipients.batch = :batch
      AND recipients.status = :from
    RETURNING recipients.seq`,
);

type Sent = Extract<MemberOutcome, { outcome: "sent" }>;
type Failed = Extract<MemberOutcome, { outcome: "failed" }>;

/**
 * @param chance a number in [0, 1) for the jitter of a wait
 * @param callMilliseconds how long the provider's call took; null: nobody says
 * @returns `staleToken` with nothing changed where the report held no fact that could be taken
 */
export function report(
  book: Book,
  batch: BatchRow,
  token: Token,
  outcome: AttemptOutcome,
  chance: number,
  callMilliseconds: number | null,
): Result<null, ReportRefusal> {
  const stranger = strangersIn(batch, outcome);
  if (stranger.length > 0) return refuse({ code: "notInBatch", ids: namesOf(book, stranger) });
  const attempt = attemptOf(book.storage, batch.batch, token);
  if (attempt?.outcome === outcome.kind && outcome.kind !== "answered") return accept(null);
  if (outcome.kind === "answered") {
    const isRepeat = attempt?.outcome === "answered";
    return reportAnswered(book, batch, token, outcome.results, { isRepeat, callMilliseconds });
  }
  if (token !== batch.token || batch.state !== "leased") return stale(book, batch);
  closeAttempt(book, batch.batch, token, outcome.kind, outcome.reason, callMilliseconds);
  applyToBatch(book, writeDown(book, batch), outcome, chance);
  return accept(null);
}

function stale(book: Book, batch: BatchRow): Result<null, ReportRefusal> {
  book.counters.duplicates_prevented += batch.unsettled;
  return refuse({ code: "staleToken", current: batch.token });
}

/** Places named by the outcome that are not in the frozen list. */
function strangersIn(batch: BatchRow, outcome: AttemptOutcome): Seq[] {
  const named =
    outcome.kind === "answered"
      ? outcome.results.map((result) => result.seq)
      : outcome.kind === "rejected"
        ? outcome.faults.map((fault) => fault.seq)
        : [];
  if (named.length === 0) return [];
  const members = new Set(JSON.parse(batch.members) as Seq[]);
  return named.filter((seq) => !members.has(seq));
}

/** The operator's names for these places, since nobody outside knows the places. */
function namesOf(book: Book, seqs: readonly Seq[]): string[] {
  const names = new Map(
    readMembers(book.storage, JSON.stringify(seqs)).map((row) => [row.seq, row.id]),
  );
  return seqs.map((seq) => names.get(seq) ?? String(seq));
}

function reportAnswered(
  book: Book,
  batch: BatchRow,
  token: Token,
  results: readonly MemberOutcome[],
  {
    isRepeat,
    callMilliseconds,
  }: { readonly isRepeat: boolean; readonly callMilliseconds: number | null },
): Result<null, ReportRefusal> {
  const sent = results.filter((result): result is Sent => result.outcome === "sent");
  const failed = results.filter((result): result is Failed => result.outcome === "failed");
  // A lease that ran out still has the newest token while nobody has asked since, and an answer of
  // the provider is final however late it comes.
  const isCurrent = token === batch.token;
  if (!isCurrent && !isRepeat && sent.length === 0) return stale(book, batch);
  if (!isCurrent || !acceptUnwritten(book, batch, sent)) {
    writeDown(book, batch);
    acceptSent(book, sent);
    if (isCurrent) failReported(book, batch, failed);
  }
  if (isCurrent || sent.length > 0) {
    closeAttempt(book, batch.batch, token, "answered", null, callMilliseconds);
  }
  return accept(null);
}

/** An acceptance; without the provider's id where a person has vouched for it. */
type Accepted = { readonly seq: Seq; readonly providerId: string | null };

/** Takes acceptances, wherever the recipient stands now. */
export function acceptSent(book: Book, sent: readonly Accepted[]): void {
  if (sent.length === 0) return;
  const before = readMembers(book.storage, JSON.stringify(sent.map((result) => result.seq)));
  const results = JSON.stringify(sent.map((result) => [result.seq, result.providerId]));
  const taken = new Set(
    all(book.storage, acceptMembers, { results, now: book.now }).map((row) => row.seq),
  );
  for (const row of before) if (taken.has(row.seq)) book.move(row.status, "sent", 1);
  book.accepted(taken.size);
  // Who was replayed into another batch meanwhile is settled there as well.
  const changed = before.filter((row) => taken.has(row.seq));
  const open = changed.filter((row) => row.status === "reserved" || row.status === "inDoubt");
  for (const [number, rows] of Map.groupBy(open, (row) => row.batch)) {
    const current = number === null ? null : batchByNumber(book.storage, number);
    if (current !== null) countSettled(book, current, rows.length);
  }
}

function failReported(book: Book, batch: BatchRow, failed: readonly Failed[]): void {
  if (failed.length === 0) return;
  const results = JSON.stringify(failed.map((result) => [result.seq, cut(result.reason)]));
  const from = batch.state === "inDoubt" ? "inDoubt" : "reserved";
  const params = { results, batch: batch.batch, from, now: book.now } as const;
  const rows = all(book.storage, failMembers, params);
  book.move(from, "failed", rows.length);
  const current = batchByNumber(book.storage, batch.batch);
  if (current !== null) countSettled(book, current, rows.length);
}

/** An outcome for the whole batch, from the holder of its lease. */
function applyToBatch(
  book: Book,
  batch: BatchRow,
  outcome: Exclude<AttemptOutcome, { kind: "answered" }>,
  chance: number,
): void {
  switch (outcome.kind) {
    case "rejected":
      // After an attempt that may have been accepted, a rejection proves nothing (DESIGN §3).
      if (batch.unknown_attempts > 0) {
        return repeatOrDoubt(book, batch, delayAfter(batch, null, chance), outcome.reason);
      }
      return reject(book, batch, outcome);
    case "deferred":
      // The provider may remember this refusal under the key, so a batch of which nothing was
      // accepted gets a new one when the campaign goes on.
      if (outcome.pause !== null && batch.unknown_attempts === 0) {
        dissolve(book, batch, book.settings.batchSize, null);
        book.pause(outcome.pause, outcome.reason);
        return;
      }
      defer(book, batch, delayAfter(batch, outcome.retryAfterSeconds, chance), outcome.reason);
      if (outcome.pause !== null) book.pause(outcome.pause, outcome.reason);
      return;
    case "unknown": {
      const delay = delayAfter(batch, outcome.retryAfterSeconds, chance);
      return repeatOrDoubt(book, batch, outcome.repeat ? delay : null, outcome.reason);
    }
  }
}

/** Fails whoever is at fault and puts the rest back; unknown culprits are found by halving. */
function reject(
  book: Book,
  batch: BatchRow,
  outcome: Extract<AttemptOutcome, { kind: "rejected" }>,
): void {
  if (outcome.faults.length === 0 && batch.size > 1) {
    return dissolve(book, batch, Math.ceil(batch.size / 2), null);
  }
  const faults =
    outcome.faults.length > 0
      ? outcome.faults
      : (JSON.parse(batch.members) as Seq[]).map((seq) => ({ seq, reason: outcome.reason }));
  let left = 0;
  for (const fault of faults) {
    const seqs = JSON.stringify([fault.seq]);
    left += moveInBatch(book, batch, seqs, "reserved", "fail", fault.reason);
  }
  if (book.campaign.state === "cancelled") {
    left += moveInBatch(book, batch, batch.members, "reserved", "cancel", null);
  } else {
    left += release(book, batch, batch.members, book.settings.batchSize, null);
  }
  endBatch(book, batch, "dissolve", { unsettled: batch.unsettled - left });
}
