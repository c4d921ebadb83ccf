/**
 * The licences of everything of others that runs: the packages that the Worker, the command line and
 * the package's users get (`dependencies`, and what those bring), and those in the dashboard's files.
 * `npm run licences` writes the page; a test compares it, and refuses a licence that asks for more
 * than a notice.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const PAGE = new URL("src/LICENCES.md", ROOT);

/** Bundled into the dashboard's files, so that nobody installs them. */
export const DASHBOARD_PACKAGES = ["preact", "uplot"] as const;

type Locked = {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly integrity?: string;
};

export type Shipped = { readonly name: string; readonly version: string; readonly licence: string };

/** Everything that package-lock.json says, by the path in node_modules. */
export function locked(): [path: string, Locked][] {
  const text = readFileSync(new URL("package-lock.json", ROOT), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  return Object.entries(packages).filter(([path]) => path !== "");
}

/** By name; one that is there in two versions stands there twice. */
export function shippedPackages(): Shipped[] {
  const bundled: readonly string[] = DASHBOARD_PACKAGES;
  return locked()
    .map(([path, entry]) => ({ name: path.replace(/^.*node_modules\//, ""), path, entry }))
    .filter(({ name, entry }) => entry.dev !== true || bundled.includes(name))
    .map(({ name, path, entry }) => ({
      name,
      version: entry.version,
      licence: entry.license ?? licenceIn(path),
    }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function licenceIn(path: string): string {
  const text = readFileSync(new URL(`${path}/package.json`, ROOT), "utf8");
  return (JSON.parse(text) as { license?: string }).license ?? "none";
}

export function licencePage(): string {
  const rows = shippedPackages().map(
    ({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`,
  );
  return `# Licences

Sendonce is under the MIT licence (\`LICENSE\`). These packages of others run in it: in the Worker, in the command
line or in the dashboard's files. Written by \`npm run licences\` from \`package-lock.json\`.

| package | version | licence |
| --- | --- | --- |
${rows.join("\n")}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, licencePage());
