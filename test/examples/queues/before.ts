/** The consumer as it was: it mails, and acknowledges when the provider has answered. */
import { mail, type MailEnv } from "./mail.ts";
import type { Mailing } from "./worker.ts";

type Env = MailEnv;

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
