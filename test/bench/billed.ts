/**
 * What the platform bills for one campaign of 10,000 at the provider's pace, counted: from the upload
 * to the end, and then for each webhook. `npm run bench -- --only billed` writes it down in
 * recorded-counts.json, from which costs.ts makes the table of the guide.
 */
import { aimed, type Part, type Row } from "./measure.ts";
import { cpuSeconds } from "./process-usage.ts";
import type { RecordedCounts, ToldCounts } from "./cost-table.ts";
import { readCounts, writeCounts } from "./guide.ts";
import { BenchStack } from "./stack.ts";

const RECIPIENTS = 10_000;
const BATCH = 100;
const EVENTS = 500;
/** Fewer in what is kept of the log would say little. */
const LOGGED_BATCHES = 5;
const REQUESTS_PER_SECOND = 10;
const CAMPAIGN = "billed";
/** Seldom, since each look is billed as well. */
const LOOK_MILLISECONDS = 3_000;
/** Rows written are nine tenths of the price. */
const WRITTEN_AT_MOST = 5.5;

/** The rest is counted elsewhere (cost-table.ts says where). */
type Counted = Omit<RecordedCounts, "crowd" | "aPostponement" | "aSuppression">;

/** Counts of two moments, the one less the other. */
function difference(after: number, before: number, per: number): number {
  return Number(((after - before) / per).toFixed(4));
}

/** What the webhooks of one kind have cost each, one for each of the first mails. */
async function webhooks(stack: BenchStack, type: string): Promise<ToldCounts> {
  const accepted = (await stack.provider.log("accepted")).slice(0, EVENTS);
  const before = await stack.counts(CAMPAIGN);
  for (const { id } of accepted) {
    await stack.provider.post("webhook", {
      url: `${stack.url}/webhooks/resend`,
      secret: stack.webhookSecret,
      type,
      emailId: id,
    });
  }
  const after = await stack.counts(CAMPAIGN);
  const per = accepted.length;
  return {
    rowsWritten: difference(after.campaign.rowsWritten, before.campaign.rowsWritten, per),
    rowsRead: difference(after.campaign.rowsRead, before.campaign.rowsRead, per),
    objectRequests: difference(after.campaign.requests, before.campaign.requests, per),
  };
}

/** Bytes that the Worker has logged for a batch, by the end of its log. */
function logBytes(log: string): number {
  const lines = log.split("\n").filter((line) => line.startsWith('{"event":'));
  const batches = lines.filter((line) => line.startsWith('{"event":"attemptEnded"')).length;
  if (batches < LOGGED_BATCHES) throw new Error(`the log ends with ${batches} batches`);
  return difference(Buffer.byteLength(lines.join("")), 0, batches);
}

async function count(stack: BenchStack): Promise<Counted> {
  const before = cpuSeconds(stack.worker.pid) ?? 0;
  await stack.campaign(CAMPAIGN, RECIPIENTS);
  await stack.api.start(CAMPAIGN);
  await stack.finished(CAMPAIGN, LOOK_MILLISECONDS);
  const cpu = (cpuSeconds(stack.worker.pid) ?? 0) - before;
  const { campaign, account, queue } = await stack.counts(CAMPAIGN);
  const batches = RECIPIENTS / BATCH;
  return {
    recipients: RECIPIENTS,
    batchSize: BATCH,
    aRecipient: {
      rowsWritten: difference(campaign.rowsWritten + account.rowsWritten, 0, RECIPIENTS),
      rowsRead: difference(campaign.rowsRead + account.rowsRead, 0, RECIPIENTS),
      databaseBytes: difference(campaign.databaseBytes, 0, RECIPIENTS),
      cpuMilliseconds: difference(cpu * 1000, 0, RECIPIENTS),
    },
    aBatch: {
      campaignRequests: difference(campaign.requests, 0, batches),
      accountRequests: difference(account.requests, 0, batches),
      queueMessages: difference(queue.messages, 0, batches),
      queueBatches: difference(queue.batches, 0, batches),
      logBytes: logBytes(stack.worker.log()),
    },
    aSentEvent: await webhooks(stack, "email.sent"),
    aDeliveredEvent: await webhooks(stack, "email.delivered"),
  };
}

function row(what: string, unit: string, value: number): Row {
  return { what, unit, samples: [value] };
}

function rowsOf({ aRecipient, aBatch, aSentEvent, aDeliveredEvent }: Counted): Row[] {
  const written = row("rows written", "a recipient", aRecipient.rowsWritten);
  return [
    {
      ...written,
      aim: aimed(`at most ${WRITTEN_AT_MOST}`, aRecipient.rowsWritten <= WRITTEN_AT_MOST),
    },
    row("rows read", "a recipient", aRecipient.rowsRead),
    row("database", "bytes a recipient", aRecipient.databaseBytes),
    row("requests of the campaign's object", "a batch of 100", aBatch.campaignRequests),
    row("requests of the account's object", "a batch of 100", aBatch.accountRequests),
    row("messages of the queue", "a batch of 100", aBatch.queueMessages),
    row("log", "bytes a batch of 100", aBatch.logBytes),
    row("rows written by email.sent", "an event", aSentEvent.rowsWritten),
    row("rows written by email.delivered", "an event", aDeliveredEvent.rowsWritten),
  ];
}

export const billed: Part = {
  name: "billed",
  title: "What the platform bills, counted (recorded-counts.json, costs.ts)",
  async run() {
    const stack = await BenchStack.start(REQUESTS_PER_SECOND);
    try {
      const counts = await count(stack);
      const { feedback } = await stack.api.deliveryStatus(CAMPAIGN);
      if (feedback.delivered !== EVENTS) throw new Error(`${feedback.delivered} events were taken`);
      writeCounts({ ...readCounts(), ...counts });
      return rowsOf(counts);
    } finally {
      await stack.stop();
    }
  },
};
