/** What a deployment uploads: nothing that is not used, nothing that makes code of text, no surplus. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { DASHBOARD_PACKAGES, locked } from "../../src/package/licences.ts";
import { temporaryFolder } from "../support/processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Bytes, as measured and with a tenth on top. A larger one is a decision, and changes these. */
const BUDGET = {
  worker: { most: 1_925_000, mostZipped: 450_000 },
  dashboard: { most: 161_000, mostZipped: 62_000 },
  style: { most: 20_000, mostZipped: 5_500 },
} as const;

type Size = { readonly bytes: number; readonly zipped: number };

let worker = "";
let dashboard = "";
let style = "";
let meta: Metafile;

beforeAll(() => {
  const folder = temporaryFolder("bundle");
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const metafile = join(folder, "meta.json");
  // It builds the dashboard first, as it does before a deployment.
  execFileSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", `--outdir=${folder}`, `--metafile=${metafile}`],
    {
      cwd: ROOT,
      stdio: "pipe",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: folder },
    },
  );
  worker = readFileSync(join(folder, "worker.js"), "utf8");
  meta = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
  dashboard = readFileSync(join(ROOT, "src/dashboard/public/built/main.js"), "utf8");
  style = readFileSync(join(ROOT, "src/dashboard/public/built/main.css"), "utf8");
});

/** Of inputs that left something in an output. */
function packagesOf({ outputs }: Metafile): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const names = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
    .filter((name) => name !== undefined);
  return [...new Set(names)].toSorted();
}

/** What the command line imports of others; its build leaves those as imports. */
async function importedByCommandLine(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/cli/main.ts"],
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    write: false,
    metafile: true,
    outdir: ".",
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const names = imports.map(({ path }) => path).filter((path) => !path.startsWith("node:"));
  return [...new Set(names)];
}

function declared(list: "dependencies" | "devDependencies"): string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  return Object.keys(manifest[list] ?? {});
}

const sizeOf = (text: string): Size => ({
  bytes: Buffer.byteLength(text),
  zipped: gzipSync(text).length,
});

describe("the bundle of the Worker", () => {
  it("holds packages that ship, and none that is for development", () => {
    const shipped = new Set(
      locked().flatMap(([path, { dev }]) =>
        dev === true ? [] : [path.replace(/^.*node_modules\//, "")],
      ),
    );
    const bundled = packagesOf(meta);
    expect(bundled.length).toBeGreaterThan(5);
    expect(bundled.filter((name) => !shipped.has(name))).toEqual([]);
  });

  it("and the command line use every dependency that is declared", async () => {
    const used = new Set([...packagesOf(meta), ...(await importedByCommandLine())]);
    expect(declared("dependencies").filter((name) => !used.has(name))).toEqual([]);
  });

  it("leaves out what zod has for other languages, which is most of it", () => {
    const inputs = Object.values(meta.outputs).flatMap((output) => Object.entries(output.inputs));
    const locales = inputs.filter(
      ([path, { bytesInOutput }]) =>
        /zod\/.*locales\/(?!en\b|index)/.test(path) && bytesInOutput > 0,
    );
    expect(locales.map(([path]) => path)).toEqual([]);
  });
});

describe("the files of the dashboard", () => {
  it("hold the packages whose licences are listed, and no other", async () => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ["src/dashboard/main.tsx"],
      bundle: true,
      jsx: "automatic",
      jsxImportSource: "preact",
      write: false,
      metafile: true,
      outdir: ".",
    });
    expect(packagesOf(metafile)).toEqual([...DASHBOARD_PACKAGES]);
  });
});

/** `eval`, `new Function`, and both under another name. */
const MAKES_CODE = /\beval\b\s*\(|\bnew\s+Function\b|=\s*Function\s*;|\bFunction\s*\(["'`]/g;

describe("nothing that is uploaded makes code of text", () => {
  it("but for zod, which asks whether it may and would then, and does neither where it is `jitless`", () => {
    expect(worker.match(MAKES_CODE)).toEqual(["= Function;", "= Function;"]);
    // src/http/schemas/check.ts says so before any schema is used.
    expect(worker).toMatch(/jitless: true/);
  });

  it("in the dashboard", () => {
    expect(dashboard.length).toBeGreaterThan(10_000);
    expect(dashboard.match(MAKES_CODE)).toBeNull();
  });
});

describe("sizes", () => {
  it.each(["worker", "dashboard", "style"] as const)("%s is within its budget", (name) => {
    const size = sizeOf({ worker, dashboard, style }[name]);
    const { most, mostZipped } = BUDGET[name];
    const figure = `${name}: ${size.bytes} bytes, ${size.zipped} zipped`;
    console.log(figure);
    expect(size.bytes, figure).toBeLessThanOrEqual(most);
    expect(size.zipped, figure).toBeLessThanOrEqual(mostZipped);
    // A bundle that lost its contents would be within every budget.
    expect(size.bytes, figure).toBeGreaterThan(most / 2);
  });
});
