/**
 * What is left of an erased campaign: the number that its id goes on with, and nothing else.
 *
 * A provider remembers a key for a day and longer. A second campaign of the same id would begin with
 * the numbers, and so with the keys, of the first, and the provider would answer for mails that went
 * out then: nobody would be mailed, and everybody recorded as sent (SPEC R-key).
 */
import type { Storage } from "./sql.ts";

// Not one of the ledger's tables: there is no ledger while it stands.
const MAKE = `CREATE TABLE IF NOT EXISTS _erased (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  next_number INTEGER NOT NULL CHECK (next_number >= 1)
) STRICT`;
const KEEP = `INSERT INTO _erased (one, next_number) VALUES (1, ?1)
  ON CONFLICT (one) DO UPDATE SET next_number = ?1`;
const EXISTS = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_erased'";
const READ = "SELECT next_number FROM _erased WHERE one = 1";

/** To be called on the empty storage of an erased campaign. One that never began left no keys. */
export function keepNextNumber(storage: Storage, nextNumber: number): void {
  if (nextNumber <= 1) return;
  storage.sql.exec(MAKE).toArray();
  storage.sql.exec(KEEP, nextNumber).toArray();
}

/** The first number of a campaign that is created now. */
export function firstNumber(storage: Storage): number {
  if (storage.sql.exec(EXISTS).toArray().length === 0) return 1;
  return Number(storage.sql.exec(READ).toArray()[0]?.["next_number"] ?? 1);
}
