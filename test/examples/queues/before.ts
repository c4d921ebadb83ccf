/** The consumer as it was: it mails, and acknowledges when the provider has answered. */
import type { Env, Mailing } from "./env.ts";
import { mail } from "./mail.ts";

export async function consume(batch: MessageBatch<Mailing>, env: Env): Promise<void> {
  for (const message of batch.messages) {
    const { campaign, recipients } = message.body;
    try {
      await mail(env, recipients, campaign);
      message.ack();
    } catch {
      message.retry();
    }
  }
}
