/**
 * One request to Resend at the pace that it allows. Both naive pipelines use it, so that neither
 * loses anything to the rate limit: what goes wrong in them is theirs.
 */
import { Resend } from "resend";
import type { Customer } from "../audience.ts";
import type { Faults } from "../faults.ts";

/** Resend allows ten requests a second; a little more than 100 ms keeps clear of its edges. */
const SPACING_MILLISECONDS = 106;
const RATE_LIMITED_AT_MOST = 10;

export type Mailer = {
  /**
   * Sends one mail to each customer in one request; throws when the provider refuses it.
   *
   * @param handOutAgain what the queue does when it takes this consumer for lost
   */
  send(
    batch: number,
    customers: readonly Customer[],
    handOutAgain: () => Promise<void>,
  ): Promise<void>;
};

export function createMailer(
  options: { readonly apiKey: string; readonly baseUrl: string; readonly campaign: string },
  faults: Faults,
): Mailer {
  const resend = new Resend(options.apiKey, { baseUrl: options.baseUrl });
  let nextAt = 0;
  const turn = async (): Promise<void> => {
    const at = Math.max(Date.now(), nextAt);
    nextAt = at + SPACING_MILLISECONDS;
    await scheduler.wait(at - Date.now());
  };
  const request = async (customers: readonly Customer[]): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      await turn();
      const { error } = await resend.batch.send(
        customers.map((customer) => mailFor(options.campaign, customer)),
      );
      if (error === null) return;
      const limited = error.name === "rate_limit_exceeded" && tries < RATE_LIMITED_AT_MOST;
      if (!limited) throw new Error(`${error.name}: ${error.message}`);
    }
  };
  return {
    async send(batch, customers, handOutAgain) {
      faults.beforeCall(batch, customers.length);
      const answer = request(customers);
      await faults.duringCall(batch, customers.length, handOutAgain);
      await answer;
      faults.afterAcceptance(batch, customers.length);
    },
  };
}

function mailFor(campaign: string, customer: Customer) {
  return {
    from: "The Shop <news@shop.example>",
    to: customer.email,
    subject: `${customer.first_name}, spring has come`,
    text: `Hello ${customer.first_name},\n\neverything for the garden is 20 % off this week.\n`,
    tags: [{ name: "campaign", value: campaign }],
  };
}
