/** The consumer with Sendonce, by the RPC of the campaign's object. */
import { createConsumer, rpcCampaign } from "../../../src/consumer/consumer.ts";
import type { CampaignObject } from "../../../src/worker.ts";
import { mail, type MailEnv } from "./mail.ts";
import type { Mailing } from "./worker.ts";

type Env = MailEnv & { readonly CAMPAIGNS: DurableObjectNamespace<CampaignObject> };

export async function consume(batch: MessageBatch<Mailing>, env: Env): Promise<void> {
  for (const message of batch.messages) {
    const { campaign, recipients } = message.body;
    const { handle } = createConsumer({
      campaign: rpcCampaign(() => env.CAMPAIGNS.getByName(campaign)),
      send: (batch) => mail(env, batch.recipients, campaign, batch.idempotencyKey),
    });
    const decision = await handle({ id: message.id, attempts: message.attempts, recipients });
    if (decision.action === "ack") message.ack();
    else message.retry({ delaySeconds: decision.afterSeconds });
  }
}
