/**
 * Which tests show which number of src/SPEC.md: read from the names of the tests, so that the page
 * can't claim what no test says. `npm run spec` writes the column; a test compares it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SPEC = join(ROOT, "src/SPEC.md");
const ROW = /^\| ([GC]\d+) \|.*\| ([^|]*)\|$/;
/** The name of a test begins with its numbers: `C28, G3: only the one at fault fails`. */
const NAME =
  /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*["'`]((?:[GC]\d+(?:[–-][GC]?\d+)?[,: ]\s*)+)/g;

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

/** Number → the files, below test/, that have a test whose name begins with it. */
export function filesByNumber(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const path of testFiles(join(ROOT, "test"))) {
    for (const [, numbers = ""] of readFileSync(path, "utf8").matchAll(NAME)) {
      for (const number of numbers.match(/[GC]\d+/g) ?? []) {
        const files = found.get(number) ?? new Set();
        found.set(number, files.add(relative(join(ROOT, "test"), path)));
      }
    }
  }
  return found;
}

/** The page with its last column as the tests have it. */
export function specWithTests(): string {
  const found = filesByNumber();
  return readFileSync(SPEC, "utf8")
    .split("\n")
    .map((line) => {
      const row = ROW.exec(line);
      if (row === null) return line;
      const [, number = "", column = ""] = row;
      const files = [...(found.get(number) ?? [])].toSorted().map((file) => `\`${file}\``);
      const head = line.slice(0, line.length - column.length - 1);
      return `${head}${files.length > 0 ? `${files.join(", ")} ` : ""}|`;
    })
    .join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(SPEC, specWithTests());
