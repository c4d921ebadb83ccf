/** The consumer with Sendonce, by the RPC of the campaign's object. */
import { createConsumer, rpcCampaign } from "../../../src/consumer/consumer.ts";
import type { Env, Mailing } from "./env.ts";
import { mail } from "./mail.ts";

export async function consume(batch: MessageBatch<Mailing>, env: Env): Promise<void> {
  for (const message of batch.messages) {
    const { campaign, recipients } = message.body;
    const consumer = createConsumer({
      campaign: rpcCampaign(() => env.CAMPAIGNS.getByName(campaign)),
      send: (mails) => mail(env, mails.recipients, campaign, mails.idempotencyKey),
    });
    const { id, attempts } = message;
    const decision = await consumer.handle({ id, attempts, recipients });
    if (decision.action === "ack") message.ack();
    else message.retry({ delaySeconds: decision.afterSeconds });
  }
}
