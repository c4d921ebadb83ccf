/**
 * What has to happen before each transcript of the guides can be typed: the provider misbehaves on
 * purpose, and everything after that is the product's own doing.
 */
import type { DeliveryStatus } from "../../src/client/types.ts";
import type { Settings } from "../../src/domain/settings.ts";
import { addressOf, type Stage } from "./stage.ts";

const isPaused = ({ state }: DeliveryStatus): boolean => state === "paused";
const isFinished = ({ state }: DeliveryStatus): boolean => state === "finished";
const inDoubt =
  (count: number) =>
  ({ stats }: DeliveryStatus): boolean =>
    stats.inDoubt === count;

/** Makes the provider accept a campaign's mails and lose every answer, or refuse them its own way. */
const mishap = (stage: Stage, campaign: string, what: string, times: number) =>
  stage.provider.fault({ do: what, times, match: { address: addressOf(campaign, 1) } });

/** The provider never answers for one batch, and accepts nothing of it. */
const silent = (stage: Stage, key: string) =>
  stage.provider.fault({ do: "dropBefore", times: null, match: { key } });

async function external(stage: Stage, id: string, settings: Partial<Settings>): Promise<void> {
  await stage.api.create({ id, name: id, delivery: "external", settings });
  await stage.api.start(id);
}

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
    await external(stage, "letter", {});
    await stage.upload("letter", 6);
    const { token, recipients } = await stage.reserve("letter", { limit: 2 });
    const results = recipients.map(({ id }) => ({ id, outcome: "sent", providerId: `re_${id}` }));
    await stage.ask("letter/reservations/m_1/report", { token, results });
  },

  providerAuth: (stage) => refused(stage, "auth", [401, "validation_error", "API key is invalid"]),
  "providerAuth, mended": async () => undefined,

  async providerQuota(stage) {
    const { accepted } = await stage.provider.counts();
    await stage.provider.configure({ dailyQuota: accepted + 4 });
    await stage.campaign("quota", 6, { batchSize: 4, requestsPerSecond: 2 });
    await stage.until("quota", isPaused);
    await stage.provider.configure({ dailyQuota: null });
  },

  senderRefused: (stage) =>
    refused(stage, "sender", [403, "validation_error", "The shop.example domain is not verified"]),

  async failureRate(stage) {
    const refuseAddresses = [3, 14, 15, 41].map((number) => addressOf("list", number));
    await stage.provider.configure({ refuseAddresses });
    await silent(stage, "list:2");
    await stage.campaign("list", 60, { batchSize: 50 });
    await stage.until("list", isPaused);
    await stage.provider.configure({ refuseAddresses: [] });
  },

  async deadLetters(stage) {
    await silent(stage, "letters:2");
    await stage.campaign("letters", 4, { batchSize: 2, pauseAtDeadLetters: 2 });
    await stage.untilUnanswered("letters", "u3");
    await stage.until("letters", ({ stats }) => stats.sent === 2);
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
    await external(stage, "orders", { leaseSeconds: 5, idempotencyWindowSeconds: 0 });
    // A consumer that reserves, and is never heard of again.
    const recipients = [{ id: "u1", email: addressOf("orders", 1) }];
    await stage.reserve("orders", { recipients });
    await stage.until("orders", inDoubt(1));
  },

  async cancelled(stage) {
    await silent(stage, "stopped:2");
    await stage.campaign("stopped", 4, { batchSize: 2 });
    await stage.untilUnanswered("stopped", "u3");
    await stage.until("stopped", ({ stats }) => stats.sent === 2);
  },
};
