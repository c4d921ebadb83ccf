/** A delivery status in which nothing has happened, but for what a test names. */
import type { DeliveryStatus } from "../../../src/client/types.ts";

export type StatusFields = Partial<Omit<DeliveryStatus, "stats">> & {
  readonly stats?: Partial<DeliveryStatus["stats"]>;
};

export function statusOf({ stats, ...fields }: StatusFields = {}): DeliveryStatus {
  return {
    campaignId: "spring",
    state: "sending",
    pause: null,
    stats: {
      total: 12_480,
      sent: 0,
      reserved: 0,
      failed: 0,
      remaining: 12_480,
      suppressed: 0,
      inDoubt: 0,
      cancelled: 0,
      ...stats,
    },
    feedback: { delivered: 0, delayed: 0, bounced: 0, complained: 0 },
    duplicatesPrevented: 0,
    deadLetters: 0,
    ratePerSecond: 0,
    startedAt: "2026-12-01T08:59:00.000Z",
    finishedAt: null,
    expectedFinishAt: null,
    version: 1,
    ...fields,
  };
}
