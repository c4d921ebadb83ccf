/**
 * How much a thousand viewers of the live stream slow the campaign that they watch: the same
 * campaign without and with them, in turn, on one stack. The viewers share the machine with it.
 *
 *   node test/bench/watchers.ts [viewers] [recipients] [requestsPerSecond] [rounds]
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  freePort,
  startStandIn,
  startWorker,
  temporaryFolder,
  type Running,
} from "../support/processes.ts";

const [viewers = 1000, recipients = 10_000, requestsPerSecond = 10, rounds = 3] = process.argv
  .slice(2)
  .map(Number);
const token = randomBytes(16).toString("hex");
const CONNECT_AT_A_TIME = 50;

type Status = {
  readonly state: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly stats: { readonly sent: number };
};

async function startStack(): Promise<{ worker: Running; standIn: Running }> {
  const [standIn, port] = [await startStandIn(), await freePort()];
  const worker = await startWorker({
    config: "wrangler.toml",
    vars: {
      RESEND_BASE_URL: standIn.url,
      RESEND_API_KEY: "re_bench",
      RESEND_WEBHOOK_SECRET: "whsec_dGVzdA==",
      RESEND_REQUESTS_PER_SECOND: String(requestsPerSecond),
      OPERATOR_TOKEN: token,
      SIGNING_KEY: "signing-key",
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    persistTo: temporaryFolder("watchers"),
    port,
    readyPath: "/healthz",
  });
  return { worker, standIn };
}

async function ask(url: string, method: string, body?: string, type?: string): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(type === undefined ? {} : { "content-type": type }),
  };
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Connected viewers, and how many messages each has had on average. */
async function watch(url: string, count: number) {
  const sockets: WebSocket[] = [];
  let messages = 0;
  const connect = async (): Promise<void> => {
    // Node's WebSocket takes headers beside the standard's arguments.
    const options = { headers: { authorization: `Bearer ${token}` } } as unknown as string[];
    const socket = new WebSocket(url.replace(/^http/, "ws"), options);
    sockets.push(socket);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("message", () => {
        messages += 1;
        resolve();
      });
      socket.addEventListener("error", () => reject(new Error("a viewer was refused")));
    });
  };
  for (let at = 0; at < count; at += CONNECT_AT_A_TIME) {
    const some = Math.min(CONNECT_AT_A_TIME, count - at);
    await Promise.all(Array.from({ length: some }, () => connect()));
  }
  return {
    perViewer: () => (count === 0 ? 0 : messages / count),
    stop: () => sockets.forEach((socket) => socket.close()),
  };
}

async function run(worker: Running, id: string, watching: number) {
  const api = `${worker.url}/api/campaigns`;
  const draft = { id, name: id, from: "Shop <shop@shop.example>", subject: "Hi", text: "Hello" };
  await ask(api, "POST", JSON.stringify(draft), "application/json");
  const rows = Array.from({ length: recipients }, (_, at) => `r${at}@mail.example\n`).join("");
  await ask(`${api}/${id}/recipients`, "POST", `email\n${rows}`, "text/csv");
  const watched = await watch(`${api}/${id}/live`, watching);
  await ask(`${api}/${id}/start`, "POST");
  let status: Status;
  do {
    await sleep(500);
    status = (await ask(`${api}/${id}/delivery-status`, "GET")) as Status;
  } while (status.state === "sending");
  const seconds = (Date.parse(status.finishedAt) - Date.parse(status.startedAt)) / 1000;
  await sleep(500);
  watched.stop();
  return { viewers: watching, seconds, sent: status.stats.sent, messages: watched.perViewer() };
}

const { worker, standIn } = await startStack();
const results: Awaited<ReturnType<typeof run>>[] = [];
// The first run warms the stack up and is not counted.
await run(worker, "warm", 0);
for (let round = 0; round < rounds; round += 1) {
  for (const watching of [0, viewers]) {
    const result = await run(worker, `round-${round}-${watching}`, watching);
    console.log(JSON.stringify(result));
    results.push(result);
  }
}
const mean = (watching: number): number => {
  const seconds = results.filter((each) => each.viewers === watching).map((each) => each.seconds);
  return seconds.reduce((sum, each) => sum + each, 0) / seconds.length;
};
const slower = (mean(viewers) / mean(0) - 1) * 100;
console.log(`${viewers} viewers: ${slower.toFixed(1)} % slower`);
await Promise.all([worker.stop(), standIn.stop()]);
process.exit();
