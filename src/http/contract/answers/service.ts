/** Suppressions, sessions, and what is answered to the provider and to monitors. */
import { z } from "zod";
import { SUPPRESSION_REASONS } from "../../schemas/suppression.ts";
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

export const health = z.object({ ok: z.literal(true) });

export const taken = z.object({
  ignored: z.boolean().describe("Whether the event is about no mail of ours."),
});
