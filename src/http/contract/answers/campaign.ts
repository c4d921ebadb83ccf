/** Campaigns, and what a preflight, a preview and a test say of them. */
import * as z from "zod";
import { DELIVERIES } from "../../../domain/draft.ts";
import { FINDING_CODES } from "../../../domain/preflight.ts";
import { RECIPIENT_STATUSES } from "../../../domain/recipient.ts";
import { SUPPRESSION_REASONS } from "../../../domain/suppression.ts";
import { campaignState, count, deliveryStatus, time, timeOrNull } from "./status.ts";

const settings = z.object({
  batchSize: count,
  leaseSeconds: z.number(),
  maxAttempts: count,
  idempotencyWindowSeconds: z.number(),
  requestsPerSecond: z.number().nullable(),
  pauseAtFailureRate: z.number(),
  pauseAtDeadLetters: count,
});

const texts = z.record(z.string(), z.string());

export const campaign = z.object({
  id: z.string(),
  name: z.string(),
  delivery: z.enum(DELIVERIES),
  from: z.string().optional().describe("This and the next seven: of managed delivery only."),
  replyTo: z.string().nullable().optional(),
  subject: z.string().optional(),
  html: z.string().nullable().optional(),
  text: z.string().nullable().optional(),
  headers: texts.optional(),
  tags: texts.optional(),
  unsubscribe: z.boolean().optional(),
  settings,
  createdAt: time,
  scheduledAt: timeOrNull,
  enrolmentClosed: z.boolean().describe("Whether nobody can be enrolled any more."),
  state: campaignState,
  status: deliveryStatus,
});

const campaignEntry = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: time,
  status: deliveryStatus.optional().describe("Where `include=status` asks for it."),
});

/** @param item what one page lists */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    cursor: z.string().nullable().describe("Asks for the next page; null on the last one."),
  });
}

export const campaignPage = pageOf(campaignEntry);

export const finding = z.object({
  code: z.enum(FINDING_CODES),
  detail: z.string(),
  field: z.string().optional().describe("The merge field it is about."),
  count: count.optional().describe("How many recipients it hits."),
  recipients: z.array(z.string()).optional().describe("The ids of the first of them."),
});

export const preflight = z.object({
  ok: z.boolean().describe("Whether a start would be taken."),
  willBeMailed: count,
  notMailed: z.partialRecord(z.enum(RECIPIENT_STATUSES), count).describe("By their status."),
  suppressedBecause: z.partialRecord(z.enum(SUPPRESSION_REASONS), count),
  errors: z.array(finding),
  warnings: z.array(finding),
  estimatedSeconds: z.number().describe("At the rate that is set, if nothing holds it up."),
});

export const preview = z.object({
  recipient: z.object({ id: z.string(), email: z.string() }),
  from: z.string(),
  replyTo: z.string().nullable(),
  subject: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
});

export const testReport = z.object({
  subject: z.string(),
  sent: z.array(z.object({ to: z.string(), providerId: z.string() })),
  failed: z.array(z.object({ to: z.string(), reason: z.string() })),
});
