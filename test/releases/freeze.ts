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
import { tell, type FrozenLedger } from "./frozen-ledger.ts";
import { LIVES, type Life } from "./lives.ts";
import type { Storage } from "../../src/ledger/sql.ts";
import { dumpSql } from "../support/sql-dump.ts";
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
  const sql = dumpSql(storage);
  return { name, now, sql, told: tell(ledger, storage, now) };
}
