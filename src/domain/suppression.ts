/** An address that must not be mailed, and why. */
import type { Address, Instant } from "./ids.ts";

export type SuppressionEntry = {
  readonly address: Address;
  readonly reason: SuppressionReason;
  readonly at: Instant;
};

export type SuppressionReason = "operator" | "unsubscribe" | "hardBounce" | "complaint";
