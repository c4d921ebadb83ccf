/**
 * The other thing that may stand on the queue: ask the provider about a campaign's doubts. The
 * object makes no call to the world itself, so a consumer carries it out.
 */
import type { CampaignId } from "../domain/ids.ts";
import { MESSAGE_VERSION, readNumbered } from "./message-version.ts";

export type InquiryMessage = {
  readonly v: typeof MESSAGE_VERSION;
  readonly campaignId: CampaignId;
  readonly inquiry: number;
};

/** Reads a message body; null for any other kind of message. */
export function parseInquiryMessage(body: unknown): InquiryMessage | null {
  const read = readNumbered(body, "inquiry");
  if (read === null) return null;
  const { campaignId, number: inquiry } = read;
  return { v: MESSAGE_VERSION, campaignId, inquiry };
}
