/** What is held about one person. */
import * as z from "zod";
import { SUPPRESSION_REASONS } from "../../../domain/suppression.ts";
import { recipientStory } from "./recipient.ts";
import { count, time, timeOrNull } from "./status.ts";

const address = z.string().describe("In normal form.");

export const person = z.object({
  address,
  suppression: z.object({ reason: z.enum(SUPPRESSION_REASONS), at: time }).nullable(),
  erasedAt: timeOrNull.describe("When its erasure was asked for."),
  campaigns: z.array(z.object({ campaignId: z.string(), recipient: recipientStory })),
});

export const erasure = z.object({
  address,
  erased: count.describe("Campaigns it was in and is gone from now."),
  pending: z
    .array(z.object({ campaignId: z.string(), until: time }))
    .describe("Campaigns where it is in a request that may be repeated, until then at the latest."),
});
