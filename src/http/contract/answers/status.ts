/** The delivery status, and what is told over the live stream (domain/shown.ts). */
import * as z from "zod";
import { CAMPAIGN_STATES, PAUSE_REASONS } from "../../../domain/campaign.ts";

export const time = z.string().meta({ format: "date-time" }).describe("RFC 3339 in UTC.");
export const timeOrNull = time.nullable();
export const count = z.int().min(0);

export const campaignState = z.enum(CAMPAIGN_STATES);

export const stats = z
  .object({
    total: count,
    sent: count.describe("The provider has accepted it."),
    reserved: count.describe("With a consumer right now."),
    failed: count.describe("The provider has definitely refused it."),
    remaining: count.describe("Still to be mailed."),
    suppressed: count.describe("The address must not be mailed."),
    inDoubt: count.describe("May have been mailed; nobody can say any more by asking again."),
    cancelled: count.describe("The campaign was cancelled before it was mailed."),
  })
  .describe("Every recipient once: the other numbers always add up to `total`.");

const pause = z.object({
  reason: z.enum(PAUSE_REASONS),
  detail: z.string(),
  since: time,
});

export const deliveryStatus = z.object({
  campaignId: z.string(),
  state: campaignState,
  pause: pause.nullable(),
  stats,
  feedback: z
    .object({ delivered: count, delayed: count, bounced: count, complained: count })
    .describe("What webhooks have told of accepted mails."),
  duplicatesPrevented: count.describe(
    "Recipients that a redelivery, a second consumer or a stale report would have mailed again.",
  ),
  deadLetters: count,
  ratePerSecond: z.number().min(0).describe("Accepted mails, over the last ten seconds."),
  startedAt: timeOrNull,
  finishedAt: timeOrNull,
  expectedFinishAt: timeOrNull,
  version: count.describe("Rises with every visible change."),
});

export const event = z.object({
  number: count,
  at: time,
  type: z.string().describe("Such as `started`, `paused`, `deadLetter` or `finished`."),
  detail: z.record(z.string(), z.unknown()),
});

export const liveMessage = z
  .union([
    z.object({ type: z.enum(["snapshot", "status"]), status: deliveryStatus }),
    z.object({ type: z.literal("event"), event }),
  ])
  .describe("One text message of the live stream.");
