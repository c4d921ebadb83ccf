/**
 * The parts of Sendonce as three Workers, each of any release, bound to each other as they are in
 * the middle of a deploy: whoever serves HTTP and the queue, the campaigns, and the account.
 *
 * Each runs the whole of its release; the configurations, made from the one that ships, say which
 * part of it is used.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledConfig } from "../support/bundled-worker.ts";
import { temporaryFolder } from "../support/processes.ts";
import { readBundle } from "./bundle.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Paths of the Workers, by the part that each plays. */
export type Mix = {
  readonly edge: string;
  readonly campaigns: string;
  readonly account: string;
};

/** Writes a frozen release where it can be run from. @returns the path of its Worker */
export function thawRelease(version: string): string {
  const script = join(temporaryFolder("release"), "worker.js");
  writeFileSync(script, readBundle(version));
  return script;
}

/** @returns paths of configurations for `startWorker`; the first has the port */
export function mixConfigs(mix: Mix): string[] {
  const shipped = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const folder = temporaryFolder("mix");
  return (["edge", "campaigns", "account"] as const).map((part) => {
    const path = join(folder, `${part}.toml`);
    writeFileSync(path, partConfig(bundledConfig(shipped, mix[part]), part));
    return path;
  });
}

/** A table of the configuration: its header, and what stands below it. */
const TABLE = /^(?=\[)/m;

function partConfig(config: string, part: keyof Mix): string {
  const tables = config.split(TABLE).flatMap((table) => partTable(table, part));
  return tables.join("");
}

function partTable(table: string, part: keyof Mix): string[] {
  if (table.startsWith("name = ")) return [table.replace(/^name = .*$/m, `name = "${part}"`)];
  const forEdge = /^\[(\[queues\.consumers\]|assets|triggers)\]/.test(table);
  if (forEdge) return part === "edge" ? [table] : [];
  if (table.startsWith("[[durable_objects.bindings]]")) return [bound(table, part)];
  if (!table.startsWith("[[migrations]]")) return [table];
  const own = { edge: null, campaigns: "CampaignObject", account: "AccountObject" }[part];
  return own === null ? [] : [`[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["${own}"]\n\n`];
}

function bound(table: string, part: keyof Mix): string {
  const owner = table.includes('"CampaignObject"') ? "campaigns" : "account";
  return owner === part
    ? table
    : table.replace(/^(class_name = .*)$/m, `$1\nscript_name = "${owner}"`);
}
