/**
 * The numbers a page has seen of a campaign, for the plot. They outlive a reload of the page, and
 * are thinned as they grow, so that a campaign may run for days.
 */
import type { DeliveryStatus } from "../client/types.ts";

export type Sample = { readonly at: number; readonly sent: number };

const MOST_SAMPLES = 600;
const LEAST_GAP_MILLISECONDS = 400;

/** Adds what is seen now. The list is the same where there is nothing to add. */
export function withSample(
  samples: readonly Sample[],
  now: number,
  sent: number,
): readonly Sample[] {
  const last = samples.at(-1);
  // Somebody else's clock, or a campaign made anew under the same id.
  if (last !== undefined && (last.at > now || last.sent > sent)) return [{ at: now, sent }];
  const beforeLast = samples.at(-2);
  const isClose = beforeLast !== undefined && now - beforeLast.at < LEAST_GAP_MILLISECONDS;
  const kept = isClose ? samples.slice(0, -1) : samples;
  return thinned([...kept, { at: now, sent }]);
}

/** Every second one of the older half goes: the recent past stays as fine as it was seen. */
function thinned(samples: readonly Sample[]): readonly Sample[] {
  if (samples.length <= MOST_SAMPLES) return samples;
  const half = Math.floor(samples.length / 2);
  return samples.filter((_, index) => index >= half || index % 2 === 0);
}

const keyOf = (campaign: string, startedAt: string): string => `samples:${campaign}:${startedAt}`;

export function recalledSamples({ campaignId, startedAt }: DeliveryStatus): readonly Sample[] {
  if (startedAt === null) return [];
  try {
    const text = sessionStorage.getItem(keyOf(campaignId, startedAt)) ?? "[]";
    return JSON.parse(text) as Sample[];
  } catch {
    return [];
  }
}

export function keepSamples(
  { campaignId, startedAt }: DeliveryStatus,
  samples: readonly Sample[],
): void {
  if (startedAt === null) return;
  try {
    sessionStorage.setItem(keyOf(campaignId, startedAt), JSON.stringify(samples));
  } catch {
    // A browser that keeps nothing still draws what it sees.
  }
}
