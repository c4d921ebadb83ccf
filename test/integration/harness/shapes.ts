/** The shapes of DESIGN §4, exactly: a field more or less is a difference. */
import { expect } from "vitest";
import { done } from "./api.ts";
import { campaign, type TestCampaign } from "./campaign.ts";
import { drive } from "./drive.ts";
import { stage } from "./stage.ts";
import { standIn } from "./stand-in.ts";

export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
export const NUMBER = expect.any(Number) as unknown;
export const TEXT = expect.any(String) as unknown;

export const STATUS = {
  campaignId: TEXT,
  state: TEXT,
  pause: null,
  stats: {
    total: NUMBER,
    sent: NUMBER,
    reserved: NUMBER,
    failed: NUMBER,
    remaining: NUMBER,
    suppressed: NUMBER,
    inDoubt: NUMBER,
    cancelled: NUMBER,
  },
  feedback: { delivered: 0, delayed: 0, bounced: 0, complained: 0 },
  duplicatesPrevented: NUMBER,
  deadLetters: NUMBER,
  ratePerSecond: NUMBER,
  startedAt: TIME,
  finishedAt: TIME,
  expectedFinishAt: null,
  version: NUMBER,
};
export const DRAFT_STATUS = { ...STATUS, startedAt: null, finishedAt: null };

export const SETTINGS = {
  batchSize: 100,
  leaseSeconds: 120,
  maxAttempts: 10,
  idempotencyWindowSeconds: 72_000,
  requestsPerSecond: null,
  pauseAtFailureRate: 0.05,
  pauseAtDeadLetters: 100,
};

/** A finished campaign of three: one sent, one failed, one suppressed. */
export async function told(): Promise<TestCampaign> {
  stage.clock.stop();
  stage.queue.mood = () => "keep";
  await done("PUT", "/api/suppressions", { body: { addresses: ["p3@mail.example.org"] } });
  await standIn.config({ refuseAddresses: ["p2@mail.example.org"] });
  const one = await campaign({ recipients: 3 });
  await one.start();
  await drive(one);
  return one;
}
