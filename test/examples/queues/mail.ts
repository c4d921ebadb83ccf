/** The shop's own call to its provider, as it was before and is now. */
import { accepted, type SendResult } from "../../../src/consumer/consumer.ts";
import type { Person } from "../people.ts";

export type MailEnv = { readonly PROVIDER_URL: string; readonly PROVIDER_KEY: string };

/** One request for all of them. @throws at anything but an answer that names each mail */
export async function mail(
  env: MailEnv,
  people: readonly Person[],
  campaign: string,
  idempotencyKey?: string,
): Promise<SendResult[]> {
  const response = await fetch(`${env.PROVIDER_URL}/emails/batch`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${env.PROVIDER_KEY}`,
      "content-type": "application/json",
      "user-agent": "shop/1.0",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    body: JSON.stringify(
      people.map(({ email }) => ({
        from: "The Shop <news@shop.example>",
        to: email,
        subject: "Spring has come",
        text: "Everything for the garden is 20 % off.",
        tags: [{ name: "campaign", value: campaign }],
      })),
    ),
  });
  const { data } = await (await accepted(response)).json<{ data: { id: string }[] }>();
  return people.map(({ id }, index) => {
    const providerId = data[index]?.id;
    if (providerId === undefined) throw new Error("the provider has not answered for everybody");
    return { id, outcome: "sent", providerId };
  });
}
