/** An address that must not be mailed, and why. */
import type { Address, Instant } from "./ids.ts";

export type SuppressionEntry = {
  readonly address: Address;
  readonly reason: SuppressionReason;
  readonly at: Instant;
  /** Set where the person's data was erased as well: whoever uploads it again enrols nobody. */
  readonly erasedAt?: Instant;
};

/** A closed set; the schemas of the ledger and of the account restate it. */
export const SUPPRESSION_REASONS = ["operator", "unsubscribe", "hardBounce", "complaint"] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** Whom an unsubscribe link is for, and what its signature has to be verified with. */
export type LinkTarget = { readonly address: Address; readonly linkSecret: string };
