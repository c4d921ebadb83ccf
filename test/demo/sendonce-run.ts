/** Runs Sendonce: the product's own Worker and configuration, with the faults put around it. */
import { randomBytes } from "node:crypto";
import { freePort, startWorker, temporaryFolder, type Running } from "../support/processes.ts";
import { SEGMENT } from "./audience.ts";
import { RECIPIENTS, type Tally } from "./faults.ts";
import { countAccepted, openForRun } from "./provider-count.ts";
import { follow, type RunResult } from "./run.ts";
import { SendonceApi, type Status } from "./sendonce-api.ts";
import { count, ProgressBar } from "./terminal.ts";

const CAMPAIGN = "spring";
/** Short, so that a dead consumer is noticed within the demo. The default is two minutes. */
const LEASE_SECONDS = 5;

export type SendonceStack = { readonly worker: Running; readonly token: string };

export async function startSendonce(standIn: Running): Promise<SendonceStack> {
  const port = await freePort();
  const token = randomBytes(16).toString("hex");
  const worker = await startWorker({
    config: "wrangler.toml",
    script: "test/demo/sendonce-worker.ts",
    vars: {
      RESEND_BASE_URL: standIn.url,
      RESEND_API_KEY: "re_demo",
      RESEND_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
      OPERATOR_TOKEN: token,
      SIGNING_KEY: randomBytes(32).toString("hex"),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    persistTo: temporaryFolder("demo"),
    port,
    readyPath: "/healthz",
  });
  return { worker, token };
}

/** Where a browser can watch the campaign. */
export function watchAddress({ worker }: SendonceStack): string {
  return `${worker.url}/?campaign=${CAMPAIGN}`;
}

/** Starts the campaign and follows it to its end. */
export async function runSendonce(
  { worker, token }: SendonceStack,
  standIn: Running,
  name: string,
): Promise<RunResult> {
  const api = new SendonceApi(worker.url, token);
  await openForRun(standIn.url);
  const bar = new ProgressBar(name);
  await api.start(CAMPAIGN);
  let status = await api.deliveryStatus(CAMPAIGN);
  const seconds = await follow([worker, standIn], async () => {
    status = await api.deliveryStatus(CAMPAIGN);
    const { stats } = status;
    bar.update((stats.total - stats.remaining - stats.reserved) / stats.total, progressOf(status));
    if (status.pause !== null) throw new Error(`${status.pause.reason}: ${status.pause.detail}`);
    return { over: status.state === "finished", where: JSON.stringify(stats) };
  });
  bar.end(`${progressOf(status)}, ${count(status.duplicatesPrevented)} prevented`);
  const tally = await (await fetch(`${worker.url}/demo/faults`)).json<Tally>();
  return { name, seconds, tally, count: await countAccepted(standIn.url) };
}

/** Creates the campaign and puts everybody of the segment into it. */
export async function enrolSegment({ worker, token }: SendonceStack): Promise<void> {
  const api = new SendonceApi(worker.url, token);
  await api.create({
    id: CAMPAIGN,
    name: "Spring sale",
    from: "The Shop <news@shop.example>",
    subject: "{{ first_name }}, spring has come",
    text: "Hello {{ first_name }},\n\neverything for the garden is 20 % off this week.\n",
    unsubscribe: true,
    delivery: "managed",
    settings: { leaseSeconds: LEASE_SECONDS },
  });
  await fetch(`${worker.url}/demo/audience`, { method: "POST" });
  const added = await api.addSegment(CAMPAIGN, SEGMENT);
  if (added !== RECIPIENTS) throw new Error(`${added} of ${RECIPIENTS} recipients were added`);
}

function progressOf({ stats }: Status): string {
  const flight = stats.reserved === 0 ? "" : `, ${count(stats.reserved)} in flight`;
  return `${count(stats.sent)} sent${flight}`;
}
