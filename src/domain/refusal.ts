/** The refusals of the commands on a campaign. */
import type { CampaignRefusal } from "./campaign.ts";

export type StateRefusal = { readonly code: "notFound" } | CampaignRefusal;

/**
 * The ledger is a backup that has forgotten so many grants, or decisions to hold mails back; going on
 * may mail somebody twice. An object of a release of before counts no decisions.
 */
export type ResumeRefusal =
  | StateRefusal
  | { readonly code: "restored"; readonly forgotten: number; readonly decisions?: number };

export type ResumeRequest = { readonly acceptDuplicateRisk: boolean };

/** It is not the draft any more that the change was made from. */
export type EditRefusal = StateRefusal | { readonly code: "changed" };

export type CreateRefusal = { readonly code: "exists" };

export type EnrolRefusal = StateRefusal;

export type EraseRefusal = StateRefusal | { readonly code: "inFlight"; readonly reserved: number };
