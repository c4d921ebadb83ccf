/** The guide's figures are what the script makes of the recorded counts, and add up. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { costTable, scaleTable, type RecordedCounts } from "../../bench/cost-table.ts";
import { GUIDE, readCounts, withTables } from "../../bench/guide.ts";

const PLAIN: RecordedCounts = {
  recipients: 100,
  batchSize: 100,
  aRecipient: { rowsWritten: 5, rowsRead: 10, databaseBytes: 250, cpuMilliseconds: 0 },
  aBatch: { campaignRequests: 4, accountRequests: 2, queueMessages: 1, queueBatches: 0.1 },
  anEvent: { rowsWritten: 2, rowsRead: 20, objectRequests: 1 },
};

describe("the guide to limits and costs", () => {
  it("has the tables that costs.ts prints (node test/bench/costs.ts --write)", () => {
    const guide = readFileSync(GUIDE, "utf8");
    expect(withTables(guide, readCounts())).toBe(guide);
  });

  it("multiplies counts by prices", () => {
    const table = costTable(PLAIN);
    expect(table).toContain("| rows written | 5,000,000 | $1 a million | 5.00 |");
    expect(table).toContain("| requests of objects | 60,000 | $0.15 a million | 0.01 |");
    expect(table).toContain("| operations of the queue | 30,000 | $0.4 a million | 0.01 |");
    // 1,040 seconds, two objects of 128 MB.
    expect(table).toContain("| GB-s of objects | 266 | $12.5 a million | < 0.01 |");
    // 5 + 0.01 + 0.009 + 0.003 + 0.012 + 0.0003
    expect(table).toContain("**5.03**");
    // 2 + 0.02 + 0.15 + 0.30 more
    expect(table).toContain("**7.50**");
  });

  it("divides an object by what a recipient and a batch take of it", () => {
    const table = scaleTable(PLAIN);
    expect(table).toContain("One object holds 40 million recipients");
    expect(table).toContain("| a campaign's | 4.00 | 19 % | 5,000 mails a second |");
    expect(table).toContain("| the account's | 2.00 | 10 % | 10,000 mails a second |");
  });

  it("refuses a guide without its marks", () => {
    expect(() => withTables("# Limits", PLAIN)).toThrow("no place for the costs");
  });
});
