/**
 * What is left of an erased campaign: the numbers that its id goes on with, and nothing else.
 *
 * A provider remembers a key for a day and longer. A second campaign of the same id would begin with
 * the numbers, and so with the keys, of the first, and the provider would answer for mails that went
 * out then: nobody would be mailed, and everybody recorded as sent (SPEC R-key). And its directory
 * entry may still know of the first one's grants and decisions, so these are counted on as well.
 */
import type { Book } from "./book.ts";
import type { Storage } from "./sql.ts";

// Not one of the ledger's tables: there is no ledger while it stands.
const MAKE = `CREATE TABLE IF NOT EXISTS _erased (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  next_number INTEGER NOT NULL CHECK (next_number >= 1),
  grants INTEGER NOT NULL DEFAULT 0,
  decisions INTEGER NOT NULL DEFAULT 0
) STRICT`;
const KEEP = `INSERT INTO _erased (one, next_number, grants, decisions) VALUES (1, ?1, ?2, ?3)
  ON CONFLICT (one) DO UPDATE SET next_number = ?1, grants = ?2, decisions = ?3`;
const EXISTS = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_erased'";
// All columns: what 0.1.0 has left knows of no grants or decisions, and its directory neither.
const READ = "SELECT * FROM _erased WHERE one = 1";

export type Left = {
  readonly nextNumber: number;
  readonly grants: number;
  readonly decisions: number;
};

export function numbersOf({ counters }: Book): Left {
  const { next_number: nextNumber, grants, decisions } = counters;
  return { nextNumber, grants, decisions };
}

/** To be called on the empty storage of an erased campaign. One that did nothing left nothing. */
export function keepNumbers(storage: Storage, { nextNumber, grants, decisions }: Left): void {
  if (nextNumber <= 1 && decisions === 0) return;
  storage.sql.exec(MAKE).toArray();
  // The erasure is one more, here and in the directory (account/marks.ts).
  storage.sql.exec(KEEP, nextNumber, grants, decisions + 1).toArray();
}

/** What a campaign that is created now goes on with. */
export function firstNumbers(storage: Storage): Left {
  const exists = storage.sql.exec(EXISTS).toArray().length > 0;
  const row = exists ? storage.sql.exec(READ).toArray()[0] : undefined;
  return {
    nextNumber: Number(row?.["next_number"] ?? 1),
    grants: Number(row?.["grants"] ?? 0),
    decisions: Number(row?.["decisions"] ?? 0),
  };
}
