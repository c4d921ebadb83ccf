/**
 * `npm run release:freeze`: keeps the release that package.json names, so that later ones can be
 * tested beside it: its Worker, and ledgers of its schema with something in every table.
 *
 * A frozen release is history and is never frozen again.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleWorker } from "../support/bundled-worker.ts";
import { folderOf, keepBundle } from "./bundle.ts";
import { rows, tell, type FrozenLedger } from "./frozen-ledger.ts";
import { LIVES, type Life } from "./lives.ts";
import type { SqlValue, Storage } from "../../src/ledger/sql.ts";
import { NodeStorage } from "../support/node-storage.ts";
import manifest from "../../package.json" with { type: "json" };

const { version } = manifest;
const folder = folderOf(version);
// Throws where the folder is there.
mkdirSync(folder);
const { script } = await bundleWorker({ minify: true });
const bytes = keepBundle(version, readFileSync(script, "utf8"));
const ledgers = Object.entries(LIVES).map(([name, live]) => frozenLedger(name, live));
writeFileSync(join(folder, "ledgers.json"), `${JSON.stringify(ledgers, null, 1)}\n`);
console.log(`${version}: the Worker in ${bytes} bytes, ${ledgers.length} ledgers`);

function frozenLedger(name: string, live: (storage: Storage) => Life): FrozenLedger {
  const storage = new NodeStorage();
  const { ledger, now } = live(storage);
  const sql = dump(storage);
  return { name, now, sql, told: tell(ledger, storage, now) };
}

function dump(storage: Storage): string[] {
  const made = rows(storage, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL");
  const tables = made.filter(({ type }) => type === "table");
  const others = made.filter(({ type }) => type !== "table");
  return [
    ...tables.map(({ sql }) => String(sql)),
    ...tables.flatMap(({ name }) => inserts(storage, String(name))),
    // Behind the rows: a trigger is about moves, and these make none.
    ...others.map(({ sql }) => String(sql)),
  ];
}

function inserts(storage: Storage, table: string): string[] {
  return rows(storage, `SELECT * FROM ${table}`).map((row) => {
    const columns = Object.keys(row).join(", ");
    return `INSERT INTO ${table} (${columns}) VALUES (${Object.values(row).map(literal).join(", ")})`;
  });
}

function literal(value: SqlValue): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
