/** Suppressions, sessions, and what is answered to the provider and to monitors. */
import * as z from "zod";
import { HEALTH_REASONS, PART_STATUSES } from "../../../domain/health.ts";
import { SUPPRESSION_REASONS } from "../../../domain/suppression.ts";
import { rowProblem } from "./recipient.ts";
import { count, time, timeOrNull } from "./status.ts";

export const suppression = z.object({
  address: z.string().describe("In normal form."),
  reason: z.enum(SUPPRESSION_REASONS),
  at: time,
});

export const suppressReport = z.object({
  addresses: count.describe("Different ones in the request."),
  added: count,
  already: count,
});

export const importReport = z.object({
  added: count,
  already: count,
  invalid: count,
  problems: z.array(rowProblem).describe("The first hundred, by line."),
});

export const session = z.object({
  role: z.enum(["operator", "viewer"]),
  expiresAt: timeOrNull.describe("Null for a token, which has no end."),
});

const part = z.object({
  status: z.enum(PART_STATUSES).describe("`idle`: no campaign is at work that could tell."),
  reason: z.enum(HEALTH_REASONS).optional(),
});

export const health = z.object({
  status: z.enum(["ok", "degraded", "down"]),
  parts: z.object({ storage: part, queue: part, provider: part }),
});

export const taken = z.object({
  ignored: z.boolean().describe("Whether the event is about no mail of ours."),
});
