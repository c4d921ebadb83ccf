/** The delivery status: two rows read, whatever the size of the campaign. */
import { ratePerSecond } from "../domain/rate.ts";
import type { DeliveryStatus, Pause } from "../domain/status.ts";
import type { Book } from "./book.ts";

export function deliveryStatus(book: Book): DeliveryStatus {
  const { campaign, counters, now } = book;
  const rate = ratePerSecond(counters.recent, now, campaign.started_at);
  const open = counters.pending + counters.reserved;
  const isMoving = campaign.state === "sending" && rate > 0 && open > 0;
  return {
    campaignId: campaign.id,
    state: campaign.state,
    pause: pauseOf(book),
    stats: {
      total: counters.total,
      sent: counters.sent,
      reserved: counters.reserved,
      failed: counters.failed,
      remaining: counters.pending,
      suppressed: counters.suppressed,
      inDoubt: counters.in_doubt,
      cancelled: counters.cancelled,
    },
    feedback: {
      delivered: counters.delivered,
      delayed: counters.delayed,
      bounced: counters.bounced,
      complained: counters.complained,
    },
    duplicatesPrevented: counters.duplicates_prevented,
    deadLetters: counters.dead_letters,
    ratePerSecond: rate,
    startedAt: campaign.started_at,
    finishedAt: campaign.finished_at,
    expectedFinishAt: isMoving ? now + Math.ceil((open / rate) * 1000) : null,
    version: counters.version,
  };
}

function pauseOf({ campaign }: Book): Pause | null {
  const { pause_reason, pause_detail, paused_at } = campaign;
  if (pause_reason === null || pause_detail === null || paused_at === null) return null;
  return { reason: pause_reason, detail: pause_detail, since: paused_at };
}
