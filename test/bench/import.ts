/**
 * A whole import (case C72): CSV rows, made while they are sent, go by HTTP through `wrangler dev`
 * into a campaign's ledger on disk; then the preflight and the start of that campaign. Prints rows a
 * second end to end, the peak memory of workerd, and the heap of the isolate, which the platform
 * bounds at 128 MB.
 *
 *   node test/bench/import.ts [rows]
 */
import { randomBytes } from "node:crypto";
import { freePort, startWorker, temporaryFolder, type Running } from "../support/processes.ts";
import { HeapWatch } from "./heap-watch.ts";
import { cpuSeconds, peakMegabytes } from "./process-usage.ts";
import { csv } from "./stack.ts";

const CAMPAIGN = "import";

const rows = Number(process.argv[2] ?? 1_000_000);
const token = randomBytes(16).toString("hex");

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Number(((performance.now() - began) / 1000).toFixed(2));
}

async function call(url: string, type = "", body: BodyInit | null = null): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      ...(type === "" ? {} : { "content-type": type }),
    },
    body,
    duplex: "half",
  } as RequestInit);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function measure(worker: Running, inspectorPort: number): Promise<void> {
  const campaigns = `${worker.url}/api/campaigns`;
  const campaign = { id: CAMPAIGN, name: "Import", delivery: "managed", subject: "Hello" };
  const content = { from: "The Shop <news@shop.example>", text: "Hello {{ firstName }}" };
  await call(campaigns, "application/json", JSON.stringify({ ...campaign, ...content }));
  const heap = await HeapWatch.open(inspectorPort);
  const began = performance.now();
  const answer = await call(`${campaigns}/${CAMPAIGN}/recipients`, "text/csv", csv(rows));
  const seconds = (performance.now() - began) / 1000;
  const imported = { ...heap.report(), cpu: cpuSeconds(worker.pid) };
  const preflight = await timed(() => call(`${campaigns}/${CAMPAIGN}/preflight`));
  const start = await timed(() => call(`${campaigns}/${CAMPAIGN}/start`));
  const whole = heap.close();
  const { added } = answer as { added: number };
  if (added !== rows) throw new Error(`${added} of ${rows} rows were added`);
  console.log(
    JSON.stringify({
      rows,
      seconds: Number(seconds.toFixed(1)),
      rowsPerSecond: Math.round(rows / seconds),
      workerdCpuSeconds: imported.cpu,
      workerdPeakMegabytes: peakMegabytes(worker.pid),
      heapMegabytes: { idle: imported.idle, median: imported.median, peak: imported.peak },
      preflightSeconds: preflight,
      startSeconds: start,
      heapPeakMegabytesWithThose: whole.peak,
    }),
  );
}

const inspectorPort = await freePort();
const worker = await startWorker({
  config: "wrangler.toml",
  vars: {
    RESEND_BASE_URL: "http://127.0.0.1:9",
    RESEND_API_KEY: "re_bench",
    RESEND_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
    OPERATOR_TOKEN: token,
    SIGNING_KEY: randomBytes(32).toString("hex"),
  },
  persistTo: temporaryFolder("bench"),
  inspectorPort,
  readyPath: "/healthz",
});
try {
  await measure(worker, inspectorPort);
} catch (error) {
  console.error(worker.log());
  throw error;
} finally {
  await worker.stop();
}
process.exit();
