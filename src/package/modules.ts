/**
 * How an entry of the package becomes one ES module: what is our own is bundled, so that no path of
 * the source is part of what others may import; the packages of others stay imports, since npm
 * installs and updates those.
 */
import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Entries that others import, by the name in `exports` of package.json. */
export const ENTRIES = {
  client: "src/client/client.ts",
  consumer: "src/consumer/consumer.ts",
  worker: "src/worker.ts",
} as const;

export const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  format: "esm",
  packages: "external",
  logLevel: "warning",
} as const satisfies BuildOptions;

export const FOR_IMPORT = {
  ...SHARED,
  target: "es2023",
  // Wrangler bundles the Worker once more, and resolves these there.
  external: ["cloudflare:*", "node:*"],
} satisfies BuildOptions;
