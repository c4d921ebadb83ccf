/** What a preflight tells the author of a campaign before it starts: plain data, for every edge. */
import type { RecipientStatus } from "./recipient.ts";
import type { SuppressionReason } from "./suppression.ts";

export const FINDING_CODES = [
  "missingField",
  "templateFault",
  "oversizedRequest",
  "brokenUnsubscribeLink",
  "largeHtml",
  "missingUnsubscribeLink",
  "insecureUnsubscribeLink",
  "freeMailSender",
  "specialUseSender",
  "specialUseRecipients",
  "noRecipients",
  "notAllChecked",
] as const;
type FindingCode = (typeof FINDING_CODES)[number];

export type Finding = {
  readonly code: FindingCode;
  /** A sentence for whoever has to act on it. */
  readonly detail: string;
  /** The merge field it is about. */
  readonly field?: string;
  /** How many recipients it hits, and the ids of the first of them. */
  readonly count?: number;
  readonly recipients?: readonly string[];
};

export type PreflightReport = {
  readonly ok: boolean;
  readonly willBeMailed: number;
  /** By status: recipients that are in the campaign and would not be mailed. */
  readonly notMailed: Readonly<Partial<Record<RecipientStatus, number>>>;
  /** Why the suppressed ones are. */
  readonly suppressedBecause: Readonly<Partial<Record<SuppressionReason, number>>>;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** How long sending takes at the rate that is set, if nothing holds it up. */
  readonly estimatedSeconds: number;
};
