/**
 * Bundles the dashboard into `public/built/`. Wrangler runs it before it serves or deploys
 * (wrangler.toml, [build]), and again when something in this folder changes.
 *
 * A file is written only where its content differs, and in one step: several `wrangler dev` of one
 * working copy may build at the same time, and none of them may see half a file or a change.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

async function writeIfChanged(path: string, contents: Uint8Array): Promise<void> {
  const standing = await readFile(path).catch(() => null);
  if (standing !== null && standing.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
  console.log(`built ${relative(process.cwd(), path)}, ${Math.ceil(contents.length / 1024)} KiB`);
}

const { outputFiles } = await build({
  entryPoints: [here("main.tsx"), here("style/main.css"), here("style/docs.css")],
  outdir: here("public/built"),
  entryNames: "[name]",
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  target: ["es2023", "chrome120", "firefox121", "safari17.2"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "eof",
  logLevel: "warning",
});
for (const { path, contents } of outputFiles) await writeIfChanged(path, contents);
