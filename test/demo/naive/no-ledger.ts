/** The pipeline of the incident: whoever is in the message gets a mail. */
import type { MailMessage } from "./message.ts";
import type { Mailer } from "./mailer.ts";

export async function sendWithoutLedger(message: MailMessage, mailer: Mailer): Promise<void> {
  await mailer.send(message.batch, message.recipients, () => sendWithoutLedger(message, mailer));
}
