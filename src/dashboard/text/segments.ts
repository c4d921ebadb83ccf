/** The parts of a campaign's total, in the order in which the bar shows them. They add up (G5). */
import type { DeliveryStatus, Suppression } from "../../client/types.ts";
import { count, counted } from "./format.ts";

type Stats = DeliveryStatus["stats"];
export type SegmentName = Exclude<keyof Stats, "total">;

/** Settled ones first, so that the bar fills from the left; what is still to come is at its end. */
const ORDER: readonly SegmentName[] = [
  "sent",
  "failed",
  "inDoubt",
  "suppressed",
  "cancelled",
  "reserved",
  "remaining",
];

export const SEGMENT_LABELS: Readonly<Record<SegmentName, string>> = {
  sent: "sent",
  failed: "failed",
  inDoubt: "in doubt",
  suppressed: "suppressed",
  cancelled: "cancelled",
  reserved: "in flight",
  remaining: "remaining",
};

/** What each part means, for those who see the word for the first time. */
export const SEGMENT_MEANINGS: Readonly<Record<SegmentName, string>> = {
  sent: "the provider has accepted the mail",
  failed: "the provider has refused it; nothing was mailed",
  inDoubt: "may have been mailed, and can't be sent again without a risk",
  suppressed: "the address must not be mailed",
  cancelled: "the campaign was cancelled before they were mailed",
  reserved: "with a consumer, or waiting to be asked again under the same key",
  remaining: "not mailed yet",
};

/** Why an address is not mailed. */
export const REASON_LABELS: Readonly<Record<Suppression["reason"], string>> = {
  operator: "by an operator",
  unsubscribe: "unsubscribed",
  hardBounce: "hard bounce",
  complaint: "complaint",
};

export type Segment = {
  readonly name: SegmentName;
  readonly label: string;
  readonly count: number;
};

export function segmentsOf(stats: Stats): Segment[] {
  return ORDER.map((name) => ({ name, label: SEGMENT_LABELS[name], count: stats[name] }));
}

/** The bar in words. */
export function barText(stats: Stats): string {
  if (stats.total === 0) return "No recipients yet.";
  const parts = segmentsOf(stats).filter((segment) => segment.count > 0);
  const list = parts.map(({ label, count: each }) => `${count(each)} ${label}`).join(", ");
  return `${counted(stats.total, "recipient")}: ${list}.`;
}

/** Those who have reached a final state, of all. */
export function settled(stats: Stats): number {
  return stats.total - stats.remaining - stats.reserved;
}
