/**
 * The alerts' outbox. A fact is written in the transaction that makes it one, under a name that is
 * unique, so it is never lost and never told as two. A try is counted, and the next one set, before
 * the post: whoever dies in between posts again later and not at once, and a receiver knows the
 * double by its `id`.
 */
import { backoffMilliseconds } from "../domain/backoff.ts";
import type { Alert, AlertDetail } from "../domain/alert.ts";
import type { Instant } from "../domain/ids.ts";
import { ALERT_GATHER_SECONDS, ALERT_TRIES, ALERTS_AT_ONCE, MAX_ALERTS } from "../domain/limits.ts";
import { all, maybeOne, run, statement, type Storage } from "./sql.ts";

const insert = statement<
  { number: number },
  { fact: string; type: string; detail: string; at: number; dueAt: number }
>(
  "alerts.insert",
  `INSERT INTO alerts (fact, type, detail, at, due_at) VALUES (:fact, :type, :detail, :at, :dueAt)
    ON CONFLICT DO NOTHING RETURNING number`,
);
const prune = statement<never, { upTo: number }>(
  "alerts.prune",
  "DELETE FROM alerts WHERE number <= :upTo",
);
const gathering = statement<{ number: number; detail: string }>(
  "alerts.gathering",
  `SELECT number, detail FROM alerts
    WHERE due_at IS NOT NULL AND due_at > 0 AND type = 'inDoubt' AND tries = 0 LIMIT 1`,
);
const amend = statement<never, { number: number; detail: string }>(
  "alerts.amend",
  "UPDATE alerts SET detail = :detail WHERE number = :number AND tries = 0",
);
const due = statement<
  { number: number; fact: string; at: Instant; detail: string; tries: number },
  { now: number; limit: number }
>(
  "alerts.due",
  `SELECT number, fact, at, detail, tries FROM alerts
    WHERE due_at IS NOT NULL AND due_at <= :now ORDER BY due_at LIMIT :limit`,
);
const startTry = statement<never, { number: number; dueAt: number | null }>(
  "alerts.startTry",
  "UPDATE alerts SET tries = tries + 1, due_at = :dueAt WHERE number = :number",
);
const posted = statement<never, { number: number; now: number }>(
  "alerts.posted",
  "UPDATE alerts SET sent_at = :now, due_at = NULL WHERE number = :number",
);
const drop = statement(
  "alerts.drop",
  "UPDATE alerts SET due_at = NULL WHERE due_at IS NOT NULL AND due_at > 0",
);

/** Writes a fact down, once however often it is told. */
export function addAlert(
  storage: Storage,
  now: Instant,
  fact: string,
  detail: AlertDetail,
  dueAt: Instant = now,
): void {
  const { type } = detail;
  const params = { fact, type, detail: JSON.stringify(detail), at: now, dueAt };
  const number = maybeOne(storage, insert, params)?.number ?? 0;
  if (number > MAX_ALERTS) run(storage, prune, { upTo: number - MAX_ALERTS });
}

/** Doubts often come in dozens, when a window ends: those close together become one alert. */
export function addDoubtAlert(
  storage: Storage,
  now: Instant,
  batch: number,
  recipients: number,
  reason: string,
): void {
  const open = maybeOne(storage, gathering, {});
  if (open === null) {
    const detail = { type: "inDoubt", batches: 1, recipients, reason } as const;
    const dueAt = now + ALERT_GATHER_SECONDS * 1000;
    return addAlert(storage, now, `inDoubt:${batch}:${now}`, detail, dueAt);
  }
  const before = JSON.parse(open.detail) as Extract<AlertDetail, { type: "inDoubt" }>;
  const detail: AlertDetail = {
    type: "inDoubt",
    batches: before.batches + 1,
    recipients: before.recipients + recipients,
    reason,
  };
  run(storage, amend, { number: open.number, detail: JSON.stringify(detail) });
}

export type DueAlert = Alert & { readonly number: number };

/**
 * The alerts to post now. Each has its next try set already, or is given up with this one.
 * @param chance a number in [0, 1) for the jitter of the next try
 */
export function takeDueAlerts(storage: Storage, now: Instant, chance: number): DueAlert[] {
  return all(storage, due, { now, limit: ALERTS_AT_ONCE }).map((row) => {
    const isLast = row.tries + 1 >= ALERT_TRIES;
    const wait = backoffMilliseconds(row.tries + 1, null, chance);
    run(storage, startTry, { number: row.number, dueAt: isLast ? null : now + wait });
    const detail = JSON.parse(row.detail) as AlertDetail;
    return { number: row.number, fact: row.fact, at: row.at, detail };
  });
}

export function alertPosted(storage: Storage, number: number, now: Instant): void {
  run(storage, posted, { number, now });
}

/** Nobody is to be told: the facts stay and are never posted. */
export function dropAlerts(storage: Storage): void {
  run(storage, drop, {});
}
