/** What stands on the queue: a hint where to ask for work. It carries no recipient (SPEC R-hint). */
import type { CampaignId, DispatchNumber } from "../domain/ids.ts";
import { MESSAGE_VERSION, readNumbered } from "./message-version.ts";

export type DispatchMessage = {
  readonly v: typeof MESSAGE_VERSION;
  readonly campaignId: CampaignId;
  readonly dispatch: DispatchNumber;
};

/** Reads a message body; null for anything that no version of this product has written. */
export function parseDispatchMessage(body: unknown): DispatchMessage | null {
  const read = readNumbered(body, "dispatch");
  if (read === null) return null;
  const { campaignId, number } = read;
  return { v: MESSAGE_VERSION, campaignId, dispatch: number as DispatchNumber };
}
