/** What the provider stand-in accepted, by its own count: the only judge of the demo. */
import { RECIPIENTS } from "./faults.ts";

export type ProviderCount = {
  /** Mails. */
  readonly accepted: number;
  /** Mails beyond the first to the same recipient. */
  readonly duplicates: number;
  /** Recipients without any mail. */
  readonly neverMailed: number;
};

/** @param url of the stand-in. @param campaign as the mails were tagged with it */
export async function countAccepted(url: string, campaign: string): Promise<ProviderCount> {
  const response = await fetch(`${url}/control/counts?campaign=${encodeURIComponent(campaign)}`);
  if (!response.ok) throw new Error(`the stand-in answered ${response.status} for its counts`);
  const counts = await response.json<{ accepted: number; addresses: number }>();
  return {
    accepted: counts.accepted,
    duplicates: counts.accepted - counts.addresses,
    neverMailed: RECIPIENTS - counts.addresses,
  };
}
