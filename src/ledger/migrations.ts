/**
 * Brings a ledger to the present schema. Migrations are appended and never edited: each ledger has
 * recorded the digest of what it ran, and one that differs is refused before anything is written,
 * since a ledger whose past is unknown can't be trusted with who was mailed.
 */
import { assert } from "../domain/result.ts";
import {
  DECISIONS,
  DISPATCH_ROOM,
  ERASURE,
  GRANT_MARK,
  MEASURES,
  RECIPIENT_MOVES,
  OWED_ERASURES,
  RESERVATION_NAMES,
  UNWRITTEN_BATCHES,
} from "./schema-changes.ts";
import { INITIAL_SCHEMA } from "./schema.ts";
import { all, run, statement, transaction, type Storage } from "./sql.ts";

export type Migration = { readonly name: string; readonly sql: string };

export const MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: INITIAL_SCHEMA },
  { name: "unwritten batches", sql: UNWRITTEN_BATCHES },
  { name: "measures", sql: MEASURES },
  { name: "grant mark", sql: GRANT_MARK },
  { name: "erasure", sql: ERASURE },
  { name: "recipient moves", sql: RECIPIENT_MOVES },
  { name: "decisions", sql: DECISIONS },
  { name: "owed erasures", sql: OWED_ERASURES },
  { name: "dispatch room", sql: DISPATCH_ROOM },
  { name: "reservation names", sql: RESERVATION_NAMES },
];

const HISTORY = `CREATE TABLE IF NOT EXISTS _migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT`;

const tables = statement<{ name: string }, { name: string }>(
  "migrations.table",
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name = :name",
);
const recorded = statement<{ number: number; name: string; digest: string }>(
  "migrations.recorded",
  "SELECT number, name, digest FROM _migrations ORDER BY number",
);
const record = statement<never, { number: number; name: string; digest: string }>(
  "migrations.record",
  "INSERT INTO _migrations (number, name, digest) VALUES (:number, :name, :digest)",
);

/** FNV-1a over UTF-16 units: it has to notice an edit, not withstand an attacker. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}

/** Whether there is a ledger at all. Asking writes nothing. */
export function isThere(storage: Storage): boolean {
  return all(storage, tables, { name: "_migrations" }).length > 0;
}

/**
 * Runs what this ledger has not run yet, in one transaction.
 * @throws when its history is not a beginning of ours: it was written by a later or another release
 */
export function migrate(storage: Storage, migrations: readonly Migration[] = MIGRATIONS): void {
  transaction(storage, () => {
    storage.sql.exec(HISTORY).toArray();
    const past = all(storage, recorded, {});
    for (const [index, row] of past.entries()) {
      const ours = migrations[index];
      assert(
        ours !== undefined && row.name === ours.name && row.digest === digest(ours.sql),
        `migration ${row.number} (${row.name}) of this ledger is the one of this release`,
      );
    }
    for (const [index, migration] of migrations.entries()) {
      if (index < past.length) continue;
      storage.sql.exec(migration.sql).toArray();
      run(storage, record, {
        number: index + 1,
        name: migration.name,
        digest: digest(migration.sql),
      });
    }
  });
}
