/** Migrations are appended and never edited, and a ledger with another past is left alone. */
import { describe, expect, it } from "vitest";
import { isThere, migrate, MIGRATIONS, type Migration } from "../../src/ledger/migrations.ts";
import type { Storage } from "../../src/ledger/sql.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import { Rig, sentTo, START, type Within } from "./rig.ts";

const first: Migration = { name: "first", sql: "CREATE TABLE a (x INTEGER) STRICT;" };
const second: Migration = {
  name: "second",
  sql: "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO b (x) VALUES (7);",
};

function master(storage: Storage): string[] {
  const query =
    "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY 1";
  return storage.sql
    .exec(query)
    .toArray()
    .map((row) => String(row["name"]));
}

function history(storage: Storage): unknown[] {
  return storage.sql.exec("SELECT * FROM _migrations ORDER BY number").toArray();
}

/** @param within gives each test an empty storage, and runs it where that may be used */
export function migrationsContract(name: string, within: Within): void {
  const test = (what: string, body: (storage: Storage) => void) => it(what, () => within(body));

  describe(`migrations on ${name}`, () => {
    test("each is run once and recorded with its digest", (storage) => {
      migrate(storage, [first]);
      expect(history(storage)).toEqual([
        { number: 1, name: "first", digest: expect.stringMatching(/^[0-9a-f]{8}$/) },
      ]);
      migrate(storage, [first, second]);
      migrate(storage, [first, second]);
      expect(history(storage)).toHaveLength(2);
      expect(storage.sql.exec("SELECT x FROM b").toArray()).toEqual([{ x: 7 }]);
    });

    test("an edited past is refused, with nothing written", (storage) => {
      migrate(storage, [first]);
      const edited = { ...first, sql: `${first.sql} ` };
      expect(() => migrate(storage, [edited, second])).toThrow("migration 1 (first)");
      const renamed = { ...first, name: "prime" };
      expect(() => migrate(storage, [renamed, second])).toThrow("migration 1 (first)");
      expect(master(storage)).toEqual(["_migrations", "a"]);
      expect(history(storage)).toHaveLength(1);
    });

    test("a later release's migration is refused, with nothing written", (storage) => {
      migrate(storage, [first, second]);
      expect(() => migrate(storage, [first])).toThrow("migration 2 (second)");
      expect(history(storage)).toHaveLength(2);
    });

    test("G7: one that fails leaves nothing of itself, and of those before it in its run", (storage) => {
      const broken = { name: "broken", sql: "CREATE TABLE c (x); INSERT INTO nowhere VALUES (1);" };
      expect(() => migrate(storage, [first, broken])).toThrow("nowhere");
      expect(master(storage)).toEqual([]);
      migrate(storage, [first, second]);
      expect(master(storage)).toEqual(["_migrations", "a", "b"]);
    });

    test("a ledger of a later release does not open", (storage) => {
      migrate(storage, [...MIGRATIONS, second]);
      const tables = master(storage);
      expect(() => new Ledger(storage)).toThrow("migration");
      expect(master(storage)).toEqual(tables);
    });

    test("G1: a ledger from before unwritten batches goes on where it was", (storage) => {
      const rig = new Rig(storage);
      rig.sending(6, { batchSize: 2 });
      const [begun, whole] = [rig.grant(1), rig.grant(2)];
      rig.told(begun, sentTo(begun, ["r1"]));
      // As it was before: everybody written, and nothing of the migration there.
      expect(rig.statusOf("r3")).toBe("reserved");
      for (const undo of [
        "DROP TRIGGER recipient_stays_erased",
        "DROP TRIGGER recipient_erased_rests",
        "DROP TRIGGER recipient_erased_once",
        "ALTER TABLE recipients DROP COLUMN erased_at",
        "ALTER TABLE suppressions DROP COLUMN erased_at",
        "DROP TABLE erasures",
        "DROP TABLE retention",
        "DROP TRIGGER batch_written",
        "DROP TRIGGER counters_cursor",
        "ALTER TABLE batches DROP COLUMN unwritten",
        "ALTER TABLE counters DROP COLUMN measures",
        "DELETE FROM _migrations WHERE number > 1",
      ]) {
        storage.sql.exec(undo).toArray();
      }
      expect(history(storage)).toHaveLength(1);
      const now = rig.reopened();
      expect(history(storage)).toHaveLength(MIGRATIONS.length);
      for (const grant of [begun, whole, now.grant(3)]) now.told(grant, sentTo(grant));
      expect(now.status()).toMatchObject({ state: "finished", stats: { sent: 6 } });
    });

    test("opening where there is no campaign writes nothing", (storage) => {
      expect(isThere(storage)).toBe(false);
      const ledger = new Ledger(storage);
      expect(ledger.status(START)).toBeNull();
      expect(ledger.deadline(START)).toBeNull();
      expect(master(storage)).toEqual([]);
    });
  });
}
