/** Migrations are appended and never edited, and a ledger with another past is left alone. */
import { describe, expect, it } from "vitest";
import { isThere, migrate, MIGRATIONS, type Migration } from "../../src/ledger/migrations.ts";
import type { Storage } from "../../src/ledger/sql.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import { START, type Within } from "./rig.ts";

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

    test("opening where there is no campaign writes nothing", (storage) => {
      expect(isThere(storage)).toBe(false);
      const ledger = new Ledger(storage);
      expect(ledger.status(START)).toBeNull();
      expect(ledger.outlook(START)).toBeNull();
      expect(master(storage)).toEqual([]);
    });
  });
}
