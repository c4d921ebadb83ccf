/**
 * A worker that mails by SMTP, which knows no idempotency keys, in a process of its own and in one of
 * three ways. Its queue is the process that has started it.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createTransport } from "nodemailer";
import { createConsumer, httpCampaign, type Batch } from "../../../src/consumer/consumer.ts";
import { mayCrash } from "../crash.ts";
import type { Person } from "../people.ts";

const env = process.env as Record<string, string>;
const transport = createTransport({
  host: "127.0.0.1",
  port: Number(env["SMTP_PORT"]),
  ignoreTLS: true,
});

export type Message = { readonly id: string; readonly recipients: readonly Person[] };
export type Answer = { readonly id: string; readonly afterSeconds: number | null };

async function mail(to: string): Promise<string> {
  mayCrash("beforeCall");
  const { messageId } = await transport.sendMail({
    from: "news@shop.example",
    to,
    subject: "Spring has come",
    text: "Everything for the garden is 20 % off.",
  });
  mayCrash("afterAcceptance");
  return messageId;
}

async function asItWas({ recipients }: Message): Promise<number | null> {
  for (const { email } of recipients) await mail(email);
  return null;
}

const rows = env["ROWS"] ?? "";

async function rowFirst({ recipients }: Message): Promise<number | null> {
  for (const { email } of recipients) {
    if (existsSync(rows) && readFileSync(rows, "utf8").split("\n").includes(email)) continue;
    appendFileSync(rows, `${email}\n`);
    await mail(email);
  }
  return null;
}

const consumer = createConsumer({
  campaign: httpCampaign({
    url: env["SENDONCE_URL"] ?? "",
    token: env["SENDONCE_TOKEN"] ?? "",
    campaignId: env["RUN"] ?? "",
  }),
  // One recipient a reservation, so that a doubt is about one person.
  batchSize: 1,
  async *send({ recipients }: Batch) {
    for (const { id, email } of recipients) {
      yield { id, outcome: "sent", providerId: await mail(email) };
    }
  },
});

async function withSendonce(message: Message): Promise<number | null> {
  const decision = await consumer.handle(message);
  return decision.action === "ack" ? null : decision.afterSeconds;
}

const ways = { asItWas, rowFirst, sendonce: withSendonce };
const handle = ways[env["HOW"] as keyof typeof ways];

process.on("message", (message: Message) => {
  void handle(message).then((afterSeconds) =>
    process.send?.({ id: message.id, afterSeconds } satisfies Answer),
  );
});
