/**
 * The Worker bundled once, for tests that start it many times: a start of `wrangler dev` then builds
 * nothing, and takes two thirds of the time.
 *
 * It is wrangler's own bundle, and the configuration is the one that ships but for three lines: which
 * file is run, no build step, and where the assets are as seen from another folder.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "./processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type Bundle = {
  /** The path of the one file that the Worker is. */
  readonly script: string;
  /** The path of a wrangler.toml for `startWorker`. */
  readonly config: string;
};

/** @returns what is good until this process ends */
export async function bundleWorker(options: { readonly minify?: boolean } = {}): Promise<Bundle> {
  const folder = temporaryFolder("bundle");
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const args = [wrangler, "deploy", "--dry-run", `--outdir=${folder}`, "--config=wrangler.toml"];
  if (options.minify === true) args.push("--minify");
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: folder };
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  const script = join(folder, "worker.js");
  const config = join(folder, "wrangler.toml");
  writeFileSync(config, bundledConfig(readFileSync(join(ROOT, "wrangler.toml"), "utf8"), script));
  return { script, config };
}

/** The shipped configuration for a Worker that is bundled already. */
export function bundledConfig(shipped: string, script: string): string {
  const lines: readonly [pattern: RegExp, (found: string) => string][] = [
    [/^main = .*$/m, () => `main = ${JSON.stringify(script)}\nno_bundle = true`],
    [/^\[build\]\n(?:[^[\n].*\n|\n)*/m, () => ""],
    [
      /(?<=^directory = )".*"$/m,
      (found) => JSON.stringify(resolve(ROOT, JSON.parse(found) as string)),
    ],
  ];
  let config = shipped;
  for (const [pattern, replacement] of lines) {
    if (!pattern.test(config)) throw new Error(`wrangler.toml has nothing like ${pattern.source}`);
    config = config.replace(pattern, replacement);
  }
  return config;
}
