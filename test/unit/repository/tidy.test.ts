/** The house rules that no linter knows. */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";

const root = new URL("../../../", import.meta.url).pathname;

type Source = { readonly path: string; readonly text: string };

function sources(folder: string): Source[] {
  return (
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
      // What wrangler leaves beside a configuration is its own.
      .filter((file) => !file.includes(".wrangler/"))
      .map((file) => `${folder}/${file}`)
      .map((path) => ({ path, text: readFileSync(root + path, "utf8") }))
  );
}

const src = sources("src");
const test = sources("test");
const pathsOf = (found: readonly Source[]) => found.map(({ path }) => path);

/** Names that say nothing of what is inside. */
const EMPTY_NAMES = new Set(["utils", "util", "helpers", "helper", "manager", "common", "misc"]);

describe("the repository", () => {
  it("has its sources where this test looks for them", () => {
    expect(src.length).toBeGreaterThan(50);
    expect(test.length).toBeGreaterThan(50);
  });

  it("keeps every file of src under 400 lines", () => {
    expect(pathsOf(src.filter(({ text }) => text.split("\n").length > 400))).toEqual([]);
  });

  it("opens every file of src with what it is for", () => {
    expect(pathsOf(src.filter(({ text }) => !/^(#!.*\n)?\/\*\*/.test(text)))).toEqual([]);
  });

  it("calls no file and no folder by an empty name", () => {
    const empty = [...src, ...test].filter(({ path }) =>
      path.split("/").some((part) => EMPTY_NAMES.has(basename(part, ".ts").toLowerCase())),
    );
    expect(pathsOf(empty)).toEqual([]);
  });

  it("has no barrel: a file that only hands on what others have", () => {
    const barrels = src.filter(({ path, text }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
      return path.endsWith("/index.ts") || !/^(?!\s*(export|import)\b.*\bfrom\b)\s*\S/m.test(code);
    });
    expect(pathsOf(barrels)).toEqual([]);
  });

  it("has no test that is skipped, alone, or retried", () => {
    const loose = test.filter(({ text }) =>
      /\b(it|test|describe)\.(only|skip|todo|fails)\b|\bretry:\s*\d/.test(text),
    );
    expect(pathsOf(loose)).toEqual([]);
  });

  it("leaves nothing to do later in comments", () => {
    const later = [...src, ...test].filter(({ text }) =>
      /\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/.test(text),
    );
    expect(pathsOf(later)).toEqual([]);
  });

  it("counts with domain/counted.ts, which knows that one of them is no plural", () => {
    // A bound of limits.ts is never one.
    const plural =
      /\$\{(?![A-Z_]+\})[^}]+\} (?:recipients|messages|attempts|mails|batches|campaigns|duplicates|doubts|dead letters|addresses|fields|columns|rows|packages|reservations|decisions)\b/;
    expect(pathsOf(src.filter(({ text }) => plural.test(text)))).toEqual([]);
  });

  it("names no machine of ours", () => {
    const local = [...src, ...test].filter(({ text }) =>
      /["'`(\s]\/(home|Users|work)\//.test(text),
    );
    expect(pathsOf(local)).toEqual([]);
  });
});
