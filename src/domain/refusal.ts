/** The refusals of the commands on a campaign. */
import type { CampaignRefusal } from "./campaign.ts";

export type StateRefusal = { readonly code: "notFound" } | CampaignRefusal;

export type CreateRefusal = { readonly code: "exists" };

export type EnrolRefusal = StateRefusal;

export type EraseRefusal = StateRefusal | { readonly code: "inFlight"; readonly reserved: number };
