/** The body of `PUT /api/suppressions`. */
import * as z from "zod";
import type { Address } from "../../domain/ids.ts";
import { MAX_SUPPRESSION_ADDRESSES } from "../../domain/limits.ts";
import { SUPPRESSION_REASONS, type SuppressionReason } from "../../domain/suppression.ts";
import { check } from "./check.ts";
import { address, list } from "./field.ts";

export function suppressionReason(text: string): SuppressionReason | null {
  return SUPPRESSION_REASONS.find((each) => each === text) ?? null;
}

export const suppressions = z.strictObject({
  addresses: list(address, MAX_SUPPRESSION_ADDRESSES),
  reason: z
    .enum(SUPPRESSION_REASONS)
    .default("operator")
    .describe("Others than `operator` are for a list that is brought along from another sender."),
});

/** The addresses, each mailbox once however often and in which spelling it stands there. */
export function parseSuppressions(body: unknown): {
  addresses: readonly Address[];
  reason: SuppressionReason;
} {
  const { addresses, reason } = check(suppressions, body);
  return { addresses: [...new Set(addresses.map((each) => each.address))], reason };
}
