/** What stands on the queue: a hint where to ask for work. It carries no recipient (SPEC R-hint). */
import { MESSAGE_VERSION } from "./message-version.ts";
import { parseCampaignId, type CampaignId, type DispatchNumber } from "../domain/ids.ts";

export type DispatchMessage = {
  readonly v: typeof MESSAGE_VERSION;
  readonly campaignId: CampaignId;
  readonly dispatch: DispatchNumber;
};

/** Reads a message body; null for anything that no version of this product has written. */
export function parseDispatchMessage(body: unknown): DispatchMessage | null {
  if (typeof body !== "object" || body === null) return null;
  const { v, campaignId, dispatch } = body as Record<string, unknown>;
  if (v !== MESSAGE_VERSION || typeof campaignId !== "string") return null;
  if (typeof dispatch !== "number" || !Number.isSafeInteger(dispatch) || dispatch < 1) return null;
  const id = parseCampaignId(campaignId);
  return id === null ? null : { v, campaignId: id, dispatch: dispatch as DispatchNumber };
}
