/**
 * The other thing that may stand on the queue: ask the provider about a campaign's doubts. The
 * object makes no call to the world itself, so a consumer carries it out.
 */
import { MESSAGE_VERSION } from "./message-version.ts";
import { parseCampaignId, type CampaignId } from "../domain/ids.ts";

export type InquiryMessage = {
  readonly v: typeof MESSAGE_VERSION;
  readonly campaignId: CampaignId;
  readonly inquiry: number;
};

/** Reads a message body; null for any other kind of message. */
export function parseInquiryMessage(body: unknown): InquiryMessage | null {
  if (typeof body !== "object" || body === null) return null;
  const { v, campaignId, inquiry } = body as Record<string, unknown>;
  if (v !== MESSAGE_VERSION || typeof campaignId !== "string") return null;
  if (typeof inquiry !== "number" || !Number.isSafeInteger(inquiry) || inquiry < 1) return null;
  const id = parseCampaignId(campaignId);
  return id === null ? null : { v, campaignId: id, inquiry };
}
