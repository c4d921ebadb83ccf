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
import { LIVES } from "./lives.ts";
import { frozenLedger } from "./frozen-ledger.ts";
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
