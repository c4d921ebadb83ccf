/**
 * Dollars per million recipients, from counts that were measured and prices that are public
 * (prices.ts). Pure: src/guide/limits-and-costs.md holds what this makes, and a test compares the two.
 */
import { SLOT_SPACING } from "../../src/domain/limits.ts";
import type { CrowdCounts } from "./crowd.ts";
import { LIMITS, PRICES, RESEND_MILLION } from "./prices.ts";

/** What one webhook costs. */
export type ToldCounts = {
  readonly rowsWritten: number;
  readonly rowsRead: number;
  readonly objectRequests: number;
};

/** recorded-counts.json. */
export type RecordedCounts = {
  readonly recipients: number;
  readonly batchSize: number;
  /** From the upload to the end, both objects together (billed.ts, as the next three). */
  readonly aRecipient: {
    readonly rowsWritten: number;
    readonly rowsRead: number;
    readonly databaseBytes: number;
    /** Of the whole local runtime, which is more than the Worker is billed for. */
    readonly cpuMilliseconds: number;
  };
  readonly aBatch: {
    readonly campaignRequests: number;
    readonly accountRequests: number;
    readonly queueMessages: number;
    readonly queueBatches: number;
    readonly logBytes: number;
  };
  readonly aSentEvent: ToldCounts;
  readonly aDeliveredEvent: ToldCounts;
  /** Of a campaign that is told of an address it need not know (test/contract/budget-workerd.test.ts). */
  readonly aSuppression: { readonly rowsWritten: number };
  /** Of a dispatch that is given back and sent again, without its alarm (the same test). */
  readonly aPostponement: { readonly rowsWritten: number };
  /** A batch of a campaign that is alone, and of one of many (crowd.ts). */
  readonly crowd: {
    readonly campaigns: number;
    readonly alone: CrowdCounts;
    readonly together: CrowdCounts;
  };
};

/** Resend's own limit, less the spacing of the rate gate. */
export const MAILS_A_SECOND =
  (LIMITS.providerRequestsASecond * LIMITS.providerBatch) / SLOT_SPACING;
/** Of mails that bounce for good, are complained about or end in an unsubscribe; no measurement. */
export const SUPPRESSED_OF = 0.01;
/** Campaigns of the account that were not erased, as an example. */
const KEPT_CAMPAIGNS = 10;

const MILLION = 1_000_000;
const BYTES_A_GIGABYTE = 1e9;

/** How much of each is used. */
type Use = Partial<Record<keyof typeof PRICES, number>>;

const costOf = (use: Use): number =>
  Object.entries(use).reduce((sum, [of, count]) => {
    const { dollars, units } = PRICES[of as keyof Use];
    return sum + (count / units) * dollars;
  }, 0);

const gigabyteSeconds = (objects: number): number =>
  (MILLION / MAILS_A_SECOND) * LIMITS.objectGigabytes * objects;

/** A million recipients, from the upload to the end. */
function sending({ aRecipient, aBatch, batchSize }: RecordedCounts): Use {
  const batches = MILLION / batchSize;
  return {
    rowsWritten: aRecipient.rowsWritten * MILLION,
    rowsRead: aRecipient.rowsRead * MILLION,
    objectRequests: (aBatch.campaignRequests + aBatch.accountRequests) * batches,
    // The campaign's and the account's.
    gigabyteSeconds: gigabyteSeconds(2),
    queueOperations: aBatch.queueMessages * LIMITS.operationsAMessage * batches,
    workerRequests: aBatch.queueBatches * batches,
    cpuMilliseconds: aRecipient.cpuMilliseconds * MILLION,
    logGigabytes: (aBatch.logBytes * batches) / BYTES_A_GIGABYTE,
  };
}

/** A webhook for each of a million mails. */
function told({ rowsWritten, rowsRead, objectRequests }: ToldCounts): Use {
  return {
    rowsWritten: rowsWritten * MILLION,
    rowsRead: rowsRead * MILLION,
    objectRequests: objectRequests * MILLION,
    workerRequests: MILLION,
  };
}

/** Every campaign of the account is told of every suppression, before it is acknowledged. */
function suppressing({ aSuppression }: RecordedCounts, campaigns: number): Use {
  const calls = MILLION * SUPPRESSED_OF * campaigns;
  return { rowsWritten: aSuppression.rowsWritten * calls, objectRequests: calls };
}

/** What a million recipients of many campaigns cost more than those of one. */
function crowding({ crowd, aPostponement, batchSize }: RecordedCounts): Use {
  const { alone, together, campaigns } = crowd;
  const more = (of: keyof CrowdCounts): number => together[of] - alone[of];
  const batches = MILLION / batchSize;
  const rows = more("postponed") * aPostponement.rowsWritten + more("alarmsSet");
  return {
    rowsWritten: rows * batches,
    objectRequests: (more("campaignRequests") + more("accountRequests")) * batches,
    // All of them are up while the line of slots is shared.
    gigabyteSeconds: gigabyteSeconds(campaigns - 1),
    queueOperations: more("queueMessages") * LIMITS.operationsAMessage * batches,
    workerRequests: more("queueBatches") * batches,
  };
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const dollars = (value: number): string => (value < 0.005 ? "< 0.01" : value.toFixed(2));

/** Dollars for telling so many campaigns of the suppressions among a million mails. */
export function suppressingMillion(counts: RecordedCounts, campaigns: number): number {
  return costOf(suppressing(counts, campaigns));
}

/** Dollars of a million recipients who are imported, sent to, and told of as delivered. */
export function deliveredMillion(counts: RecordedCounts): number {
  return costOf(sending(counts)) + costOf(told(counts.aDeliveredEvent));
}

const SENDING: Readonly<Record<string, keyof Use>> = {
  "rows written": "rowsWritten",
  "rows read": "rowsRead",
  "requests of objects": "objectRequests",
  "GB-s of objects": "gigabyteSeconds",
  "operations of the queue": "queueOperations",
  "requests of the Worker": "workerRequests",
  "CPU ms, at most": "cpuMilliseconds",
  "GB of logs": "logGigabytes",
};

/** The tables of dollars, as markdown. */
export function costTable(counts: RecordedCounts): string {
  const use = sending(counts);
  const line = ([what, of]: [string, keyof Use]): string => {
    const count = use[of] ?? 0;
    const { dollars: price, per } = PRICES[of];
    const shown = of === "logGigabytes" ? count.toFixed(2) : whole(count);
    return `| ${what} | ${shown} | $${price} ${per} | ${dollars(costOf({ [of]: count }))} |`;
  };
  const gigabytes = (counts.aRecipient.databaseBytes * MILLION) / BYTES_A_GIGABYTE;
  return [
    `| a million recipients, in batches of ${counts.batchSize} | count | price | dollars |`,
    "| --- | ---: | --- | ---: |",
    ...Object.entries(SENDING).map(line),
    `| **imported and sent** | | | **${dollars(costOf(use))}** |`,
    `| a month of storage | ${gigabytes.toFixed(2)} GB | $${PRICES.stored.dollars} a GB | ` +
      `${dollars(costOf({ stored: gigabytes }))} |`,
    `| Resend, for the mails themselves | 1,000,000 | ${RESEND_MILLION.plan} | ` +
      `${RESEND_MILLION.dollars.toFixed(2)} |`,
    "",
    moreTable(counts),
  ].join("\n");
}

const MORE = ["rowsWritten", "objectRequests", "workerRequests", "queueOperations"] as const;

function moreRow(what: string, use: Use): string {
  const cells = [...MORE, "gigabyteSeconds" as const].map((of) =>
    use[of] === undefined ? "" : whole(use[of]),
  );
  return `| ${what} | ${cells.join(" | ")} | ${dollars(costOf(use))} |`;
}

function moreTable(counts: RecordedCounts): string {
  const suppressed = `one in ${1 / SUPPRESSED_OF} suppressed, for every ${KEPT_CAMPAIGNS} campaigns kept`;
  return [
    "| more, for a million recipients | rows written | requests of objects | of the Worker | operations of the queue | GB-s | dollars |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    moreRow("`email.delivered` for each", told(counts.aDeliveredEvent)),
    moreRow("`email.sent` for each", told(counts.aSentEvent)),
    moreRow(suppressed, suppressing(counts, KEPT_CAMPAIGNS)),
    moreRow(`sent among ${counts.crowd.campaigns} campaigns at once`, crowding(counts)),
  ].join("\n");
}

const at = (of: keyof Use): string => `$${PRICES[of].dollars}`;

/** The formula with the prices in it, as text. */
export function formula(): string {
  const rows = `rows written × ${at("rowsWritten")} + rows read × ${at("rowsRead")}`;
  const requests = `requests of objects × ${at("objectRequests")}`;
  return [
    "```",
    `dollars = N × (${rows} + CPU ms × ${at("cpuMilliseconds")}) / 1,000,000`,
    `        + N/b × (${requests} + messages × ${LIMITS.operationsAMessage} × ${at("queueOperations")} + queue batches × ${at("workerRequests")}) / 1,000,000`,
    `        + N/b × bytes logged / 1,000,000,000 × ${at("logGigabytes")}`,
    `        + N / (mails a second) × objects up × ${LIMITS.objectGigabytes} GB × ${at("gigabyteSeconds")} / 1,000,000`,
    `        + webhooks × (${rows} + ${requests} + ${at("workerRequests")}) / 1,000,000`,
    `        + suppressions × campaigns kept × (${rows} + ${requests}) / 1,000,000`,
    "```",
  ].join("\n");
}
