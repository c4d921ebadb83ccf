/**
 * `npm start`: Sendonce on this machine, for the user's own list. Mails go to the provider stand-in,
 * or to Resend when RESEND_API_KEY is set. What is sent stays in `.wrangler/state`, or in --data.
 *
 *   npm start -- [--port 8787] [--data FOLDER]
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  freePort,
  isPortFree,
  startStandIn,
  startWorker,
  type Running,
} from "../support/processes.ts";

const USUAL_PORT = 8787;
const RESEND = "https://api.resend.com";
const CHECK_MILLISECONDS = 500;

type Options = { readonly port: number; readonly data: string };

async function readOptions(): Promise<Options> {
  const { values } = parseArgs({
    options: { port: { type: "string" }, data: { type: "string", default: ".wrangler/state" } },
  });
  const data = resolve(values.data);
  if (values.port === undefined) {
    const port = (await isPortFree(USUAL_PORT)) ? USUAL_PORT : await freePort();
    return { port, data };
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`--port ${values.port} is not a port; it takes a number from 1 to 65535`);
  }
  if (!(await isPortFree(port))) throw new Error(`port ${port} is taken by another program`);
  return { port, data };
}

/**
 * A secret from the environment, or one drawn at the first start and kept beside the data: a
 * campaign that goes on after a restart needs the same ones.
 */
function secret(name: string, data: string, draw: () => string): string {
  const given = process.env[name];
  if (given !== undefined && given !== "") return given;
  const file = join(data, `${name.toLowerCase()}.secret`);
  if (!existsSync(file)) writeFileSync(file, draw(), { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}

async function startStack({ port, data }: Options): Promise<{ stack: Running[]; token: string }> {
  const apiKey = process.env.RESEND_API_KEY ?? "";
  // With its log beside the data it remembers its keys, as Resend would, when both come back.
  mkdirSync(data, { recursive: true });
  const log = join(data, "stand-in.jsonl");
  const standIn = apiKey === "" ? await startStandIn({ log }) : null;
  const provider = standIn?.url ?? (process.env.RESEND_BASE_URL || RESEND);
  const token = secret("OPERATOR_TOKEN", data, () => randomBytes(16).toString("hex"));
  const viewer = process.env.VIEWER_TOKEN;
  const worker = await startWorker({
    config: "wrangler.toml",
    vars: {
      RESEND_BASE_URL: provider,
      RESEND_API_KEY: apiKey === "" ? "re_stand_in" : apiKey,
      RESEND_WEBHOOK_SECRET: secret("RESEND_WEBHOOK_SECRET", data, drawWebhookSecret),
      OPERATOR_TOKEN: token,
      SIGNING_KEY: secret("SIGNING_KEY", data, () => randomBytes(32).toString("hex")),
      PUBLIC_URL: process.env.PUBLIC_URL || `http://127.0.0.1:${port}`,
      ...(viewer === undefined || viewer === "" ? {} : { VIEWER_TOKEN: viewer }),
    },
    persistTo: data,
    port,
    readyPath: "/healthz",
  });
  const mails = standIn === null ? `to ${provider}, for real` : `to the stand-in at ${provider}`;
  console.log(`Sendonce runs at ${worker.url}, and its mails go ${mails}.\n`);
  return { stack: standIn === null ? [worker] : [worker, standIn], token };
}

function drawWebhookSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

/** The lines that a first campaign takes, ready to be copied. */
function firstSteps(url: string, token: string): string {
  const campaign = JSON.stringify({
    id: "spring",
    name: "Spring sale",
    from: "The Shop <news@shop.example>",
    subject: "{{ firstName | default: 'Hello' }}, spring has come",
    text: "Everything for the garden is 20 % off this week. To unsubscribe: {{ unsubscribeUrl }}",
    unsubscribe: true,
    delivery: "managed",
  }).replaceAll("'", String.raw`'\''`);
  return `Sign in there with the token ${token}

# the command line: npm run -s sendonce -- --help
export SENDONCE_URL=${url} SENDONCE_TOKEN=${token}

# or by curl
export SENDONCE=${url}/api/campaigns AUTH='authorization: Bearer ${token}'

# create a campaign, and put a CSV of 5,000 made-up people into it
curl -sH "$AUTH" -H 'content-type: application/json' $SENDONCE -d '${campaign}'
(echo email,id,firstName; seq 5000 | sed 's/.*/reader&@mail.example,u_&,Reader &/') > list.csv
curl -sH "$AUTH" -H 'content-type: text/csv' $SENDONCE/spring/recipients --data-binary @list.csv

# send it, and watch it at ${url}/?campaign=spring
curl -sH "$AUTH" -X POST $SENDONCE/spring/start
curl -sH "$AUTH" -X POST $SENDONCE/spring/pause
curl -sH "$AUTH" $SENDONCE/spring/delivery-status | jq .stats
curl -sH "$AUTH" -X POST $SENDONCE/spring/resume

Ctrl-C stops it; the data stays.`;
}

const PARENT = process.ppid;

/** Whoever ends npm by a signal has ended npm alone, and meant all of it. */
function isNpmGone(): boolean {
  return process.env.npm_lifecycle_event === "start" && process.ppid !== PARENT;
}

async function main(interrupted: AbortSignal): Promise<void> {
  const options = await readOptions();
  console.log("Starting …");
  const { stack, token } = await startStack(options);
  console.log(firstSteps(`http://127.0.0.1:${options.port}`, token));
  while (!interrupted.aborted && !isNpmGone()) {
    for (const running of stack) running.assertRunning();
    await sleep(CHECK_MILLISECONDS, undefined, { signal: interrupted }).catch(() => null);
  }
  console.log("\nStopping …");
  await Promise.all(stack.map((running) => running.stop()));
}

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // The first one stops everything in order, a second one at once (test/support/processes.ts).
  process.on(signal, () =>
    interruption.signal.aborted ? process.exit(130) : interruption.abort(),
  );
}
try {
  await main(interruption.signal);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
process.exit();
