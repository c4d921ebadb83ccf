/**
 * A provider without idempotency keys. The worker is killed between a recipient's reservation and the
 * call, and again when the server has accepted a mail. Nobody can know from the outside which of the
 * two it was, so the honest answer is doubt about these two people and about nobody else.
 */
import { fork, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createConsumer, httpCampaign } from "../../../src/consumer/consumer.ts";
import { temporaryFolder } from "../../support/processes.ts";
import { MOMENTS } from "../crash.ts";
import { mailings } from "../people.ts";
import type { Comparison, Count, ExampleStack } from "../stack.ts";
import { MailServer } from "./server.ts";
import type { Answer, Message } from "./worker.ts";

const MESSAGES = 5;
const EACH = 4;
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

const WAYS = [
  { how: "as it was", run: "smtp-before", way: "asItWas" },
  { how: "row first, in a file", run: "smtp-rows", way: "rowFirst" },
  { how: "with Sendonce", run: "smtp-after", way: "sendonce" },
] as const;

export async function runSmtp(stack: ExampleStack, server: MailServer): Promise<Comparison> {
  await stack.campaign("smtp-after", { leaseSeconds: 8, idempotencyWindowSeconds: 0 });
  const counts = await Promise.all(WAYS.map((way) => runOne(stack, server, way)));
  return { example: "SMTP, which keeps no keys, workers killed", counts };
}

async function runOne(
  stack: ExampleStack,
  server: MailServer,
  { how, run, way }: (typeof WAYS)[number],
): Promise<Count> {
  const env = {
    HOW: way,
    RUN: run,
    SMTP_PORT: String(server.port),
    ROWS: join(temporaryFolder("rows"), "rows"),
    SENDONCE_URL: stack.url,
    SENDONCE_TOKEN: stack.token,
  };
  const messages = mailings(run, MESSAGES, EACH).map((recipients, index) => ({
    id: `message-${index + 1}`,
    recipients,
  }));
  const crashes = MOMENTS.map((moment) => `${moment}@2`);
  let worker: ChildProcess | null = null;
  for (let left: Message[] = messages; left.length > 0;) {
    worker ??= fork(WORKER, { env: { ...process.env, ...env, CRASH_AT: crashes.shift() ?? "" } });
    const [message, ...others] = left;
    const answer = await deliver(worker, message as Message);
    if (answer === "died") worker = null;
    else if (answer.afterSeconds === null) left = others;
    else await sleep(answer.afterSeconds * 1000);
  }
  worker?.kill("SIGKILL");
  return count(stack, server, how, run);
}

/** A message that is neither acknowledged nor given back when its worker dies comes again. */
function deliver(worker: ChildProcess, message: Message): Promise<Answer | "died"> {
  return new Promise((resolve) => {
    const end = (answer: Answer | "died"): void => {
      worker.removeAllListeners("message").removeAllListeners("exit");
      resolve(answer);
    };
    worker.once("message", (answer) => end(answer as Answer));
    worker.once("exit", () => end("died"));
    worker.send(message);
  });
}

async function count(
  stack: ExampleStack,
  server: MailServer,
  how: string,
  run: string,
): Promise<Count> {
  const people = MESSAGES * EACH;
  const accepted = server.accepted.filter((address) => address.startsWith(`${run}-`));
  const addresses = new Set(accepted).size;
  return {
    how,
    people,
    accepted: accepted.length,
    duplicates: accepted.length - addresses,
    missing: people - addresses,
    inDoubt: await stack.inDoubt(run),
  };
}

/**
 * What an operator does about doubts: looks into the server's own log, and settles whom it names. The
 * others are mailed on purpose.
 */
export async function settleDoubts(stack: ExampleStack, server: MailServer): Promise<Count> {
  const [run, how] = ["smtp-after", "with Sendonce, doubts settled"];
  const { items } = await stack.api.recipients(run, { status: "inDoubt" }).page();
  const isMailed = ({ email }: { email: string }) => server.accepted.includes(email);
  const idsOf = (some: typeof items) => some.map(({ id }) => id);
  await stack.api.resolve(run, { ids: idsOf(items.filter(isMailed)), as: "sent" });
  const others = items.filter((each) => !isMailed(each));
  await stack.api.replay(run, { ids: idsOf(others), acceptDuplicateRisk: true });
  const consumer = createConsumer({
    campaign: httpCampaign({ url: stack.url, token: stack.token, campaignId: run }),
    send: async ({ recipients }) =>
      recipients.map(({ id, email }) => {
        server.accepted.push(email);
        return { id, outcome: "sent" };
      }),
  });
  await consumer.handle({ id: randomUUID(), limit: others.length });
  return count(stack, server, how, run);
}
