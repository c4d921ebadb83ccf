/**
 * Builds what the npm package holds into `dist/`: an ES module for each entry, the declarations that
 * they reach, and the dashboard's files.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { ENTRIES, FOR_IMPORT, ROOT, SHARED } from "./modules.ts";

const DIST = join(ROOT, "dist");

async function buildModules(): Promise<void> {
  await build({ ...FOR_IMPORT, entryPoints: ENTRIES, outdir: DIST });
  await build({
    ...SHARED,
    entryPoints: { cli: "src/cli/main.ts" },
    outdir: DIST,
    platform: "node",
    target: "node20",
  });
  chmodSync(join(DIST, "cli.js"), 0o755);
}

/** Declarations of everything, of which only those are taken that an entry leads to. */
function buildTypes(): void {
  const all = mkdtempSync(join(tmpdir(), "sendonce-types-"));
  try {
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const args = [tsc, "-p", join(ROOT, "src/package"), "--outDir", all];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) throw new Error("the declarations could not be made");
    const seen = new Set<string>();
    for (const entry of Object.values(ENTRIES)) take(all, entry, seen);
  } finally {
    rmSync(all, { recursive: true });
  }
}

const RELATIVE = /(from |import\()"(\.[^"]+)\.(?:ts|js)"/g;

/** Copies one declaration and all that it names, with paths that any resolution understands. */
function take(all: string, source: string, seen: Set<string>): void {
  if (seen.has(source)) return;
  seen.add(source);
  const path = source.replace(/\.ts$/, ".d.ts");
  const text = readFileSync(join(all, path), "utf8");
  const target = join(DIST, "types", path.replace(/^src\//, ""));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text.replace(RELATIVE, '$1"$2.js"'));
  for (const [, , named] of text.matchAll(RELATIVE)) {
    take(all, join(dirname(source), `${named}.ts`), seen);
  }
}

rmSync(DIST, { recursive: true, force: true });
await buildModules();
buildTypes();
cpSync(join(ROOT, "src/dashboard/public"), join(DIST, "dashboard"), { recursive: true });
