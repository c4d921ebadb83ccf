/** Proof that the proof works: each of our own faults is noticed within so many seeds. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { SEEDS_AT_MOST } from "./mutants/hunt.ts";
import { MUTANTS } from "./mutants/list.ts";
import { patch } from "./mutants/loader.ts";

const run = promisify(execFile);

describe("mutants", () => {
  it(`each of ${MUTANTS.length} mutants is noticed within ${SEEDS_AT_MOST} seeds`, async () => {
    // A process of its own: modules are patched as Node loads them, which a test runner would not do.
    const main = fileURLToPath(new URL("main.ts", import.meta.url));
    const flags = ["--disable-warning=ExperimentalWarning", main, "--mutants"];
    const { stdout } = await run(process.execPath, flags).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout.split("\n").filter((line) => line.includes("| nobody |"))).toEqual([]);
    expect(stdout.split("\n").filter((line) => line.startsWith("| "))).toHaveLength(
      MUTANTS.length + 2,
    );
  });

  it("a mutant whose text is not in its file is an error", () => {
    const [mutant] = MUTANTS;
    if (mutant === undefined) throw new Error("there are mutants");
    expect(() => patch("nothing of it", mutant)).toThrow("stands 0 times");
  });

  it.each(MUTANTS)("$name: its text stands once in $file", (mutant) => {
    const file = new URL(`../../src/${mutant.file}`, import.meta.url);
    expect(patch(readFileSync(file, "utf8"), mutant)).toContain(mutant.replace);
  });
});
