import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { filesByNumber, specWithTests } from "../../support/spec-tests.ts";

const spec = readFileSync(new URL("../../../src/SPEC.md", import.meta.url), "utf8");
const rows = [...spec.matchAll(/^\| ([GC]\d+) \|/gm)].map(([, number]) => number ?? "");

describe("SPEC.md", () => {
  it("lists for each number the files whose tests begin with it (npm run spec)", () => {
    expect(spec).toBe(specWithTests());
  });

  it("has every number that a test's name begins with", () => {
    expect([...filesByNumber().keys()].filter((number) => !rows.includes(number))).toEqual([]);
  });
});
