/** The two answers to a reservation (DESIGN §6). */
import * as z from "zod";
import { RESERVE_REFUSAL_REASONS, SKIP_REASONS } from "../../../domain/reservation.ts";
import { recipient } from "./recipient.ts";
import { time } from "./status.ts";

const skipped = z
  .array(
    z.object({
      id: z.string(),
      reason: z.enum(SKIP_REASONS),
    }),
  )
  .describe("Who was asked for and is not to be mailed now, and why.");

export const granted = z.object({
  granted: z.literal(true),
  reservationId: z.string(),
  token: z.int().min(1).describe("For the report; a later reservation has a higher one."),
  expiresAt: time,
  idempotencyKey: z.string().describe("For the provider, with every attempt."),
  recipients: z.array(recipient.pick({ id: true, email: true, data: true })),
  skipped,
});

export const declined = z.object({
  granted: z.literal(false),
  reason: z.enum(RESERVE_REFUSAL_REASONS),
  skipped,
  retryAfterSeconds: z.number().min(0),
});
