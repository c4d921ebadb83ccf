/**
 * The identifiers of the product, branded so that one is never passed where another is meant.
 *
 * Ids that come from outside pass through a parser first; a value that carries the brand has
 * therefore been checked, and no later layer checks it again.
 */
import { MAX_CAMPAIGN_ID_CHARACTERS, MAX_RECIPIENT_ID_CHARACTERS } from "./limits.ts";

declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** `[A-Za-z0-9_-]{1,64}`: it is part of the idempotency key, so it has to stay ASCII and short. */
export type CampaignId = Brand<string, "CampaignId">;
/** Any string of 1 to 256 characters, the operator's own name for a person. */
export type RecipientId = Brand<string, "RecipientId">;
/** An address in its normal form: two addresses are one mailbox exactly if these are equal. */
export type Address = Brand<string, "Address">;
/** The place of a recipient in its ledger, counted from 1 in the order of enrolment. */
export type Seq = Brand<number, "Seq">;
/** The number of a batch in its campaign. A managed batch has the number of its dispatch. */
export type BatchNumber = Brand<number, "BatchNumber">;
/** The number of a work order in its campaign. */
export type DispatchNumber = Brand<number, "DispatchNumber">;
/** Fencing token of a reservation: 1 for the first lease of a batch, one higher for each later. */
export type Token = Brand<number, "Token">;
/** Milliseconds since 1970-01-01T00:00Z. */
export type Instant = number;

const CAMPAIGN_ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_CAMPAIGN_ID_CHARACTERS}}$`);

export function parseCampaignId(text: string): CampaignId | null {
  return CAMPAIGN_ID.test(text) ? (text as CampaignId) : null;
}

export function parseRecipientId(text: string): RecipientId | null {
  const fits = text.length >= 1 && text.length <= MAX_RECIPIENT_ID_CHARACTERS;
  return fits ? (text as RecipientId) : null;
}

/**
 * The key the provider remembers a request by. Campaign id and batch number are all it holds, so
 * it is the same for every attempt of a batch and is never used for another (SPEC G1).
 * ASCII, and far below the provider's 256 characters (Resend, "Idempotency Keys").
 */
export function idempotencyKey(campaign: CampaignId, batch: BatchNumber): string {
  return `${campaign}:${batch}`;
}
