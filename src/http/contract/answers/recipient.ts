/** Recipients, their stories, and what became of uploads, replays and messages. */
import * as z from "zod";
import { FATES } from "../../../domain/feedback.ts";
import { ATTEMPT_OUTCOMES } from "../../../domain/outcome.ts";
import { RECIPIENT_STATUSES } from "../../../domain/recipient.ts";
import { SUPPRESSION_REASONS } from "../../../domain/suppression.ts";
import { count, deliveryStatus, time, timeOrNull } from "./status.ts";

export const rowProblem = z.object({
  line: z.int().min(1).describe("Where the row begins, counted from 1."),
  code: z.string().describe("Such as `duplicateAddress`, `suppressed` or `badId`."),
  detail: z.string(),
});

export const uploadReport = z.object({
  added: count,
  duplicates: count.describe("Rows whose id or address is there already."),
  suppressed: count.describe("Enrolled, but not to be mailed."),
  invalid: count,
  total: count.describe("Recipients of the campaign by now."),
  problems: z.array(rowProblem).describe("The first hundred, by line."),
});

export const recipientStatus = z.enum(RECIPIENT_STATUSES);

export const recipient = z.object({
  id: z.string(),
  email: z.string(),
  data: z.record(z.string(), z.unknown()),
  status: recipientStatus,
  reason: z
    .string()
    .nullable()
    .describe("Why it failed, is suppressed, in doubt, or was put back."),
  providerId: z.string().nullable(),
  batch: z.int().nullable(),
  updatedAt: time,
});

const attempt = z
  .object({
    token: z.int(),
    startedAt: time,
    expiresAt: time,
    endedAt: timeOrNull,
    outcome: z.enum([...ATTEMPT_OUTCOMES, "expired"]).nullable(),
    reason: z.string().nullable(),
  })
  .describe("One call of the provider.");

export const recipientStory = recipient.extend({
  idempotencyKey: z.string().nullable(),
  attempts: z.array(attempt),
  feedback: z.object({ state: z.enum(FATES), at: time }).nullable(),
  suppression: z.object({ reason: z.enum(SUPPRESSION_REASONS), at: time }).nullable(),
});

export const replayReport = z.object({
  replayed: count.describe("Put back, to be mailed under a new key."),
  reopened: count.describe("Sent again under the key that they have."),
  left: z.array(z.object({ id: z.string(), status: recipientStatus })),
  status: deliveryStatus,
});

export const deadLetter = z.object({
  campaignId: z.string(),
  number: count,
  at: time,
  messageId: z.string(),
  dispatch: z.int().nullable(),
  error: z.string(),
  stack: z.string().nullable(),
  attempts: count,
  recipients: count.describe("How many its batch holds; 0 where none was formed."),
  replayedAt: timeOrNull,
});
