/** The guide's figures are what the script makes of the recorded counts, and add up. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { costTable, formula, type RecordedCounts } from "../../bench/cost-table.ts";
import { GUIDE, readCounts, withFigures } from "../../bench/guide.ts";
import { limitTable, PRICES, priceTable, READ_ON } from "../../bench/prices.ts";
import { partsTable, scaleTable, sharesText } from "../../bench/scale-table.ts";

const ALONE = {
  campaignRequests: 4,
  accountRequests: 2,
  queueMessages: 1,
  queueBatches: 0.1,
  alarmsSet: 1,
  postponed: 0,
};
const TOGETHER = {
  campaignRequests: 24,
  accountRequests: 12,
  queueMessages: 11,
  queueBatches: 0.6,
  alarmsSet: 3,
  postponed: 10,
};
const EVENT = { rowsWritten: 2, rowsRead: 20, objectRequests: 1 };
const PLAIN: RecordedCounts = {
  recipients: 100,
  batchSize: 100,
  aRecipient: { rowsWritten: 5, rowsRead: 10, databaseBytes: 250, cpuMilliseconds: 0 },
  aBatch: {
    campaignRequests: 4,
    accountRequests: 2,
    queueMessages: 1,
    queueBatches: 0.1,
    logBytes: 10_000,
  },
  aSentEvent: { ...EVENT, rowsWritten: 1 },
  aDeliveredEvent: EVENT,
  aSuppression: { rowsWritten: 1 },
  aPostponement: { rowsWritten: 4 },
  crowd: { campaigns: 100, alone: ALONE, together: TOGETHER },
};

describe("the guide to limits and costs", () => {
  it("has the figures that costs.ts prints (node test/bench/costs.ts --write)", () => {
    const guide = readFileSync(GUIDE, "utf8");
    expect(withFigures(guide, readCounts())).toBe(guide);
  });

  it("holds no amount, price or rate that the script has not written", () => {
    const guide = readFileSync(GUIDE, "utf8");
    const byHand = guide.replaceAll(/<!-- figures: \w+ -->[\s\S]*?<!-- end -->/g, "");
    expect(byHand.match(/\$\d|\d[\d,.]* (million|bytes|GB|dollars|mails|requests|rows)/g)).toBe(
      null,
    );
  });

  it("is what the README says at its beginning", () => {
    const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
    const guide = readFileSync(GUIDE, "utf8");
    const sent = /\*\*imported and sent\*\* \| \| \| \*\*([\d.]+)\*\*/.exec(guide)?.[1];
    const room = /One object has room for (\d+ million) recipients/.exec(guide)?.[1];
    expect(readme).toContain(`$${sent} a million recipients`);
    expect(readme).toContain(`${room} recipients a campaign`);
  });

  it("multiplies counts by prices", () => {
    const table = costTable(PLAIN);
    expect(table).toContain("| rows written | 5,000,000 | $1 a million rows | 5.00 |");
    expect(table).toContain("| requests of objects | 60,000 | $0.15 a million requests | 0.01 |");
    expect(table).toContain(
      "| operations of the queue | 30,000 | $0.4 a million operations | 0.01 |",
    );
    // 1,025 seconds, two objects of 128 MB.
    expect(table).toContain("| GB-s of objects | 262 | $12.5 a million GB-s | < 0.01 |");
    expect(table).toContain("| GB of logs | 0.10 | $0.25 a GB taken in | 0.03 |");
    // 5 + 0.01 + 0.009 + 0.003 + 0.012 + 0.0003 + 0.025
    expect(table).toContain("**5.06**");
    // 2 + 0.02 + 0.15 + 0.30
    expect(table).toContain(
      "| `email.delivered` for each | 2,000,000 | 1,000,000 | 1,000,000 |  |  | 2.47 |",
    );
  });

  it("adds what suppressions cost by the campaigns that are told", () => {
    // A hundredth of a million, told to ten campaigns: a row and a request each.
    expect(costTable(PLAIN)).toContain("campaigns kept | 100,000 | 100,000 |  |  |  | 0.12 |");
  });

  it("adds what a batch of many campaigns costs more than one of a lone campaign", () => {
    // For each of 10,000 batches 10 × 4 + 2 rows, 30 requests, 10 messages and half a queue batch;
    // and 99 objects more that are up for 1,025 seconds: 0.42 + 0.045 + 0.12 + 0.0015 + 0.16.
    expect(costTable(PLAIN)).toContain(
      "| sent among 100 campaigns at once | 420,000 | 300,000 | 5,000 | 300,000 | 12,989 | 0.75 |",
    );
    expect(sharesText(PLAIN)).toContain("goes back 10.0 times");
    expect(sharesText(PLAIN)).toContain("share is 5.9 calls a minute");
  });

  it("divides an object by what a recipient, a batch and a webhook take of it", () => {
    const table = scaleTable(PLAIN);
    expect(table).toContain("One object has room for 40 million recipients");
    expect(table).toContain("| a campaign's: the sending | 39 | 20 % | 5,000 mails a second |");
    // 0.04 + 0.01 + 1 of each mail.
    expect(table).toContain("for each mail | 1,024 | 512 % | 190 mails a second |");
    expect(table).toContain("| the account's: one campaign | 29 | 15 % | 6,667 mails a second |");
  });

  it("cuts an audience by its room and by its webhooks", () => {
    const table = partsTable(PLAIN);
    // 28 million of them fill seven tenths of an object.
    expect(table).toContain("| 10 million | 2.8 h | 1 | $75 |");
    expect(table).toContain("| 100 million | 28.5 h | 4 | $753 |");
    expect(table).toContain("| and `email.delivered` | 6 | 3 |");
    // A million suppressions, each a row and a request of every part.
    expect(table).toContain("suppressed, that is $5 in 4 parts.");
    expect(table).toContain("In 256 it would be $294, and 2,498 calls a second");
  });

  it("gives each price with the page that says it and the day it was read", () => {
    for (const { page } of Object.values(PRICES)) {
      expect(page.url).toMatch(/^https:\/\/developers\.cloudflare\.com\/.*\/pricing\/$/);
      expect(priceTable()).toContain(`[${page.title}](${page.url})`);
    }
    expect(READ_ON).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(priceTable()).toContain("itself could not be read");
    expect(limitTable().match(/\]\(https:\/\//g)).toHaveLength(5);
    for (const { dollars } of [PRICES.rowsWritten, PRICES.queueOperations, PRICES.workerRequests]) {
      expect(formula()).toContain(`× $${dollars}`);
    }
  });

  it("refuses a guide without its marks", () => {
    expect(() => withFigures("# Limits", PLAIN)).toThrow("no place for the costs");
  });
});
