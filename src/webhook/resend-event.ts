/**
 * Reads an event of Resend ("Webhooks: Event Types") as loosely as it can: new types and new fields
 * come without notice, and an event that isn't understood must not be refused, or the provider
 * would send it for a day and then switch the endpoint off (SPEC C64).
 *
 * Ours is what carries the two tags that every mail of a campaign has.
 */
import { fateOf, suppressionBy, type FeedbackEvent } from "../domain/feedback.ts";
import type { CampaignId } from "../domain/ids.ts";
import {
  addressesOf,
  fieldsOf,
  instantOf,
  ownerOf,
  providerIdOf,
  textOf,
} from "../domain/mail-fields.ts";
import type { SuppressionReason } from "../domain/suppression.ts";

export type ReadEvent = {
  readonly campaign: CampaignId;
  readonly feedback: FeedbackEvent;
  /** Why the address must not be mailed again; null: it may be. */
  readonly suppression: SuppressionReason | null;
};

/** Null for an event that is not about a mail of a campaign, or tells nothing about its fate. */
export function readEvent(body: unknown): ReadEvent | null {
  const { type, created_at, data } = fieldsOf(body);
  const fate = fateOf(textOf(type) ?? "");
  const mail = fieldsOf(data);
  const owner = ownerOf(mail["tags"]);
  const providerId = providerIdOf(mail["email_id"]);
  if (fate === null || owner === null || providerId === null) return null;
  const bounce = textOf(fieldsOf(mail["bounce"])["type"]);
  const cause = textOf(fieldsOf(mail["suppressed"])["reason"]);
  return {
    campaign: owner.campaign,
    feedback: {
      seq: owner.seq,
      providerId,
      fate,
      at: instantOf(created_at),
      acceptedAt: instantOf(mail["created_at"]),
      addresses: addressesOf(mail["to"]),
    },
    suppression: suppressionBy(fate, bounce, cause),
  };
}
