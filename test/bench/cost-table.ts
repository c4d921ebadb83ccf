/**
 * Dollars per million recipients, and how far one object carries, from counts that were measured and
 * prices that are public. Pure: src/guide/limits-and-costs.md holds what this makes, and a test
 * compares the two.
 */

/** What billed.ts has counted. */
export type RecordedCounts = {
  readonly recipients: number;
  readonly batchSize: number;
  /** From the upload to the end, both objects together. */
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
  };
  /** Of a webhook. */
  readonly anEvent: {
    readonly rowsWritten: number;
    readonly rowsRead: number;
    readonly objectRequests: number;
  };
};

/**
 * Dollars beyond what a paid plan includes, looked up on 2026-11-29.
 * Objects: developers.cloudflare.com/durable-objects/platform/pricing. Queues:
 * developers.cloudflare.com/queues/platform/pricing. Workers:
 * developers.cloudflare.com/workers/platform/pricing.
 */
const PRICES = {
  millionRowsWritten: 1,
  millionRowsRead: 0.001,
  millionObjectRequests: 0.15,
  millionGigabyteSeconds: 12.5,
  gigabyteMonth: 0.2,
  millionQueueOperations: 0.4,
  millionWorkerRequests: 0.3,
  millionCpuMilliseconds: 0.02,
};

/** Resend's Scale plan with 1,000,000 mails a month (resend.com/pricing), looked up the same day. */
const RESEND_MILLION = 650;

/** A message is written, read and deleted (Queues, "Pricing"). */
const OPERATIONS_A_MESSAGE = 3;
/** An object is billed for 128 MB while it is up (Durable Objects, "Pricing"). */
const OBJECT_GIGABYTES = 0.128;
/** The campaign's and the account's, both up while it is sent. */
const OBJECTS_UP = 2;
/** Resend's own limit, ten requests of a hundred, less the spacing of the rate gate (1.04). */
const MAILS_A_SECOND = 1_000 / 1.04;

const OBJECT_BYTES = 10e9; // Durable Objects, "Limits": storage per object.
/** Durable Objects, "Rules": requests a second of one object with storage writes, the lower end. */
const OBJECT_REQUESTS_A_SECOND = 200;

const MILLION = 1_000_000;

type Line = { readonly what: string; readonly count: number; readonly price: number };

/** @param price of a million */
function line(what: string, count: number, price: number): Line {
  return { what, count, price };
}

function lines(counts: RecordedCounts): { sending: Line[]; feedback: Line[] } {
  const { aRecipient, aBatch, anEvent } = counts;
  const batches = MILLION / counts.batchSize;
  const objectRequests = (aBatch.campaignRequests + aBatch.accountRequests) * batches;
  const gigabyteSeconds = (MILLION / MAILS_A_SECOND) * OBJECT_GIGABYTES * OBJECTS_UP;
  const operations = aBatch.queueMessages * OPERATIONS_A_MESSAGE * batches;
  return {
    sending: [
      line("rows written", aRecipient.rowsWritten * MILLION, PRICES.millionRowsWritten),
      line("rows read", aRecipient.rowsRead * MILLION, PRICES.millionRowsRead),
      line("requests of objects", objectRequests, PRICES.millionObjectRequests),
      line("GB-s of objects", gigabyteSeconds, PRICES.millionGigabyteSeconds),
      line("operations of the queue", operations, PRICES.millionQueueOperations),
      line("requests of the Worker", aBatch.queueBatches * batches, PRICES.millionWorkerRequests),
      line("CPU ms, at most", aRecipient.cpuMilliseconds * MILLION, PRICES.millionCpuMilliseconds),
    ],
    feedback: [
      line("rows written", anEvent.rowsWritten * MILLION, PRICES.millionRowsWritten),
      line("rows read", anEvent.rowsRead * MILLION, PRICES.millionRowsRead),
      line("requests of objects", anEvent.objectRequests * MILLION, PRICES.millionObjectRequests),
      line("requests of the Worker", MILLION, PRICES.millionWorkerRequests),
    ],
  };
}

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const dollars = (value: number): string => (value < 0.005 ? "< 0.01" : value.toFixed(2));
const costOf = ({ count, price }: Line): number => (count / MILLION) * price;
const sum = (of: readonly Line[]): number => of.reduce((total, each) => total + costOf(each), 0);

/** The table of dollars, as markdown. */
export function costTable(counts: RecordedCounts): string {
  const { sending, feedback } = lines(counts);
  const row = (each: Line): string =>
    `| ${each.what} | ${whole(each.count)} | $${each.price} a million | ${dollars(costOf(each))} |`;
  const gigabytes = (counts.aRecipient.databaseBytes * MILLION) / 1e9;
  const kept = `$${PRICES.gigabyteMonth} a GB`;
  return [
    "| a million recipients, in batches of 100 | count | price | dollars |",
    "| --- | ---: | --- | ---: |",
    ...sending.map(row),
    `| **imported and sent** | | | **${dollars(sum(sending))}** |`,
    ...feedback.map((each) => row({ ...each, what: `${each.what}, one webhook each` })),
    `| **with one webhook each** | | | **${dollars(sum(sending) + sum(feedback))}** |`,
    `| a month of storage | ${gigabytes.toFixed(2)} GB | ${kept} | ${dollars(gigabytes * PRICES.gigabyteMonth)} |`,
    `| Resend, for the mails themselves | 1,000,000 | Scale plan | ${RESEND_MILLION.toFixed(2)} |`,
  ].join("\n");
}

/** How far one object carries, as markdown. */
export function scaleTable(counts: RecordedCounts): string {
  const { aRecipient, aBatch, batchSize } = counts;
  const recipients = Math.floor(OBJECT_BYTES / aRecipient.databaseBytes / MILLION);
  const hours = (recipients * MILLION) / MAILS_A_SECOND / 3600;
  const pace = MAILS_A_SECOND / batchSize;
  const row = (object: string, requests: number): string => {
    const used = (pace * requests) / OBJECT_REQUESTS_A_SECOND;
    const most = (OBJECT_REQUESTS_A_SECOND / requests) * batchSize;
    return `| ${object} | ${requests.toFixed(2)} | ${(used * 100).toFixed(0)} % | ${whole(most)} mails a second |`;
  };
  return [
    `One object holds ${recipients} million recipients (10 GB at ${whole(aRecipient.databaseBytes)} bytes each). At Resend's`,
    `usual limit that is ${hours.toFixed(0)} hours of sending.`,
    "",
    "| object | requests a batch of 100 | of 200 a second, at Resend's usual limit | carries |",
    "| --- | ---: | ---: | ---: |",
    row("a campaign's", aBatch.campaignRequests),
    row("the account's", aBatch.accountRequests),
  ].join("\n");
}
