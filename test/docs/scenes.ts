/**
 * What has to happen before each transcript of the guides can be typed: the provider misbehaves on
 * purpose, and everything after that is the product's own doing.
 */
import type { DeliveryStatus } from "../../src/client/types.ts";
import { addressOf, type Stage } from "./stage.ts";

const isPaused = ({ state }: DeliveryStatus): boolean => state === "paused";
const isFinished = ({ state }: DeliveryStatus): boolean => state === "finished";
const inDoubt =
  (count: number) =>
  ({ stats }: DeliveryStatus): boolean =>
    stats.inDoubt === count;

/** One batch leaves at once, and the next one only after ten seconds. */
const SLOW = { requestsPerSecond: 0.1 };

/** Makes the provider accept a campaign's mails and lose every answer, or refuse them its own way. */
const mishap = (stage: Stage, campaign: string, what: string, times: number) =>
  stage.provider.fault({ do: what, times, match: { address: addressOf(campaign, 1) } });

async function refused(
  stage: Stage,
  id: string,
  answer: [status: number, name: string, message: string],
): Promise<void> {
  await stage.refuseAll(...answer);
  await stage.campaign(id, 6, { batchSize: 100 });
  await stage.until(id, isPaused);
  await stage.provider.configure({ answer: null });
}

export const SCENES: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  async first(stage) {
    for (const fate of ["delivered", "bounced", "complained", "suppressed"]) {
      await stage.tell(`email.${fate}`, `${fate}@resend.dev`);
    }
  },

  async operator(stage) {
    await stage.campaign("letter", 6, { ...SLOW, batchSize: 2 });
    await stage.until("letter", ({ stats }) => stats.sent === 2 && stats.reserved === 0);
  },

  providerAuth: (stage) => refused(stage, "auth", [401, "validation_error", "API key is invalid"]),
  "providerAuth, mended": async () => undefined,

  async providerQuota(stage) {
    const { accepted } = await stage.provider.counts();
    await stage.provider.configure({ dailyQuota: accepted + 4 });
    await stage.campaign("quota", 6, { batchSize: 4, ...SLOW, requestsPerSecond: 2 });
    await stage.until("quota", isPaused);
    await stage.provider.configure({ dailyQuota: null });
  },

  senderRefused: (stage) =>
    refused(stage, "sender", [403, "validation_error", "The shop.example domain is not verified"]),

  async failureRate(stage) {
    const refuseAddresses = [3, 14, 15, 41].map((number) => addressOf("list", number));
    await stage.provider.configure({ refuseAddresses });
    await stage.campaign("list", 60, { ...SLOW, batchSize: 50 });
    await stage.until("list", isPaused);
    await stage.provider.configure({ refuseAddresses: [] });
  },

  async deadLetters(stage) {
    await stage.campaign("letters", 6, { ...SLOW, batchSize: 2, pauseAtDeadLetters: 2 });
    await stage.until("letters", ({ stats }) => stats.sent === 2 && stats.reserved === 0);
    for (const dispatch of [2, 3]) {
      const letter = JSON.stringify({ v: 1, campaignId: "letters", dispatch });
      await stage.front("dead-letter", letter);
      await stage.until("letters", ({ deadLetters }) => deadLetters === dispatch - 1);
    }
  },

  async unanswered(stage) {
    await mishap(stage, "silence", "acceptThenDrop", 2);
    await stage.campaign("silence", 2, { maxAttempts: 2 });
    await stage.until("silence", inDoubt(2));
  },
  "unanswered, a webhook came": (stage) => stage.tell("email.sent", addressOf("silence", 1)),

  async drifted(stage) {
    await mishap(stage, "drift", "conflictBody", 1);
    await stage.campaign("drift", 1, {});
    await stage.until("drift", inDoubt(1));
  },

  async window(stage) {
    await mishap(stage, "window", "acceptThenDrop", 1);
    await stage.campaign("window", 1, { idempotencyWindowSeconds: 0 });
    await stage.until("window", (status) => inDoubt(1)(status) && isFinished(status));
  },

  async lease(stage) {
    const settings = { leaseSeconds: 5, idempotencyWindowSeconds: 0 };
    await stage.api.create({ id: "orders", name: "orders", delivery: "external", settings });
    await stage.api.start("orders");
    const email = addressOf("orders", 1);
    // A consumer that reserves, and is never heard of again.
    const response = await fetch(`${stage.url}/api/campaigns/orders/reservations`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${stage.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ reservationId: "m_1", recipients: [{ id: "u1", email }] }),
    });
    if (!response.ok) throw new Error(await response.text());
    await stage.until("orders", inDoubt(1));
  },

  async cancelled(stage) {
    await mishap(stage, "stopped", "acceptThenDrop", 1);
    await stage.campaign("stopped", 4, { ...SLOW, batchSize: 2 });
    await stage.until("stopped", ({ version, stats }) => version > 0 && stats.reserved === 2);
    await stage.untilUnanswered("stopped", "u1");
  },
};
