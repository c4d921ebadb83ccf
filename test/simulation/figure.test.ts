/** The published figure in small: the usual designs fail in these worlds, and Sendonce does not. */
import { describe, expect, it } from "vitest";
import { figure, figureTable } from "./designs/figure.ts";

describe("the published figure", () => {
  it("G1, G2: Sendonce mails nobody twice and loses nobody where the usual designs do", async () => {
    const tallies = await figure(1, 3, () => {});
    expect(tallies.get("Sendonce")).toMatchObject({
      recipients: 15_000,
      duplicates: 0,
      losses: 0,
    });
    expect(tallies.get("no ledger")?.duplicates).toBeGreaterThan(1_000);
    expect(tallies.get("look for `sent` first")?.duplicates).toBeGreaterThan(1_000);
    expect(tallies.get("reserve and skip")?.losses).toBeGreaterThan(1_000);
    expect(figureTable(tallies)).toContain("| Sendonce | 0 | 0 |");
  });
});
