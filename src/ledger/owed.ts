/**
 * Erasures that wait for the end of a batch, in the order in which they can be paid.
 *
 * Invariant: `due_at` is NULL exactly while the batch is leased or waits, since that has a deadline of
 * its own; else it is when the provider forgets the key of a doubt, or long ago. Whoever moves a batch
 * says so here, so the earliest one is found by its index, however many wait (SPEC R-erase).
 */
import type { BatchState } from "../domain/batch.ts";
import type { BatchNumber, Instant, Seq } from "../domain/ids.ts";
import { all, run, statement, type Storage } from "./sql.ts";

type Due = { batch: number; dueAt: Instant | null };
const insert = statement<never, Due & { seq: number }>(
  "owed.insert",
  `INSERT INTO erasures (seq, batch, due_at) VALUES (:seq, :batch, :dueAt)
    ON CONFLICT (seq) DO UPDATE SET batch = :batch, due_at = :dueAt
    WHERE batch <> :batch OR due_at IS NOT :dueAt`,
);
const remove = statement<never, { seq: number }>(
  "owed.remove",
  "DELETE FROM erasures WHERE seq = :seq",
);
const moved = statement<never, Due>(
  "owed.moved",
  "UPDATE erasures SET due_at = :dueAt WHERE batch = :batch AND due_at IS NOT :dueAt",
);
const due = statement<{ seq: Seq }, { now: number; limit: number }>(
  "owed.due",
  "SELECT seq FROM erasures WHERE due_at <= :now ORDER BY due_at LIMIT :limit",
);

/** What of a batch decides when its members can be erased. */
export type Held = {
  readonly batch: BatchNumber;
  readonly state: BatchState;
  readonly window_until: Instant;
};

const LONG_AGO: Instant = 0;

function dueAt({ state, window_until }: Held): Instant | null {
  if (state === "leased" || state === "waiting") return null;
  return state === "inDoubt" ? window_until : LONG_AGO;
}

/** Somebody is to be erased when this batch is over. Again is the same as once. */
export function owe(storage: Storage, seq: Seq, held: Held): void {
  run(storage, insert, { seq, batch: held.batch, dueAt: dueAt(held) });
}

export function paid(storage: Storage, seq: Seq): void {
  run(storage, remove, { seq });
}

/** To be told of each move of a batch whose members' rows are written; nobody is owed in another. */
export function batchMoved(storage: Storage, held: Held): void {
  run(storage, moved, { batch: held.batch, dueAt: dueAt(held) });
}

export function dueErasures(storage: Storage, now: Instant, limit: number): readonly Seq[] {
  return all(storage, due, { now, limit }).map(({ seq }) => seq);
}
