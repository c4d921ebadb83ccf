/**
 * Browser sessions that were signed out before their time. A session is a signature that nobody
 * stores; only its early end is, until it would have ended anyway.
 */
import type { Instant } from "../domain/ids.ts";
import { MAX_ENDED_SESSIONS } from "../domain/limits.ts";
import { all, one, run, statement, transaction, type Storage } from "../ledger/sql.ts";

const find = statement<{ id: string }, { id: string }>(
  "sessions.find",
  "SELECT id FROM ended_sessions WHERE id = :id",
);
const prune = statement<never, { now: number }>(
  "sessions.prune",
  "DELETE FROM ended_sessions WHERE until <= :now",
);
const count = statement<{ ended: number }>(
  "sessions.count",
  "SELECT COUNT(*) AS ended FROM ended_sessions",
);
const insert = statement<never, { id: string; until: number }>(
  "sessions.insert",
  "INSERT INTO ended_sessions (id, until) VALUES (:id, :until) ON CONFLICT DO NOTHING",
);

export function isSessionEnded(storage: Storage, id: string): boolean {
  return all(storage, find, { id }).length > 0;
}

/**
 * @param until when the session would have ended by itself
 * @returns false where the list is full, and nothing is written: forgetting one would bring its
 *   session back to life
 */
export function endSession(storage: Storage, id: string, until: Instant, now: Instant): boolean {
  return transaction(storage, () => {
    run(storage, prune, { now });
    if (one(storage, count, {}).ended >= MAX_ENDED_SESSIONS) return false;
    run(storage, insert, { id, until });
    return true;
  });
}
