/** What comes from others: exact versions, whole and from one place, under licences that fit. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { licencePage, locked, shippedPackages } from "../../../src/package/licences.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

type Manifest = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
const manifest = JSON.parse(read("package.json")) as Manifest;

/** Those that ask for no more than that their notice is kept, or for nothing. */
const FITTING = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "0BSD",
  "Unlicense",
]);

describe("packages", () => {
  it.each(["dependencies", "devDependencies"])("%s have exact versions", (list) => {
    const entries = Object.entries(manifest[list] ?? {});
    expect(entries.length).toBeGreaterThan(5);
    const loose = entries.filter(
      ([, version]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it("are in the lock file with the digest of what was looked at", () => {
    expect(locked().length).toBeGreaterThan(100);
    const without = locked().filter(([, entry]) => entry.integrity?.startsWith("sha512-") !== true);
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it("that are declared are locked at just that version", () => {
    const versions = new Map(locked().map(([path, { version }]) => [path, version]));
    const declared = { ...manifest["dependencies"], ...manifest["devDependencies"] };
    const other = Object.entries(declared).filter(
      ([name, version]) => versions.get(`node_modules/${name}`) !== version.replace(/^npm:.*@/, ""),
    );
    expect(other).toEqual([]);
  });

  it("that ship run nothing when they are installed", () => {
    const scripts = read("package-lock.json");
    const { packages } = JSON.parse(scripts) as {
      packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>;
    };
    const shipped = Object.entries(packages).filter(([, each]) => each.dev !== true);
    expect(shipped.filter(([, each]) => each.hasInstallScript === true)).toEqual([]);
  });
});

describe("licences", () => {
  it("are listed as they are (npm run licences)", () => {
    expect(read("src/LICENCES.md")).toBe(licencePage());
  });

  it("of what ships ask for no more than a notice", () => {
    expect(shippedPackages().length).toBeGreaterThan(10);
    expect(shippedPackages().filter(({ licence }) => !FITTING.has(licence))).toEqual([]);
  });
});
