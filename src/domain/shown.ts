/**
 * The JSON of the contract that the HTTP API and the live stream share (DESIGN §4 and §5): one form,
 * so that a number watched and a number asked for can't differ. Times are RFC 3339 in UTC.
 */
import type { EventView } from "./history.ts";
import type { Instant } from "./ids.ts";
import type { DeliveryStatus } from "./status.ts";

/** RFC 3339 in UTC with milliseconds. */
export function timeText(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function timeTextOrNull(instant: Instant | null): string | null {
  return instant === null ? null : timeText(instant);
}

export function shownStatus(status: DeliveryStatus) {
  const { pause, stats, feedback } = status;
  return {
    campaignId: status.campaignId,
    state: status.state,
    pause: pause && { reason: pause.reason, detail: pause.detail, since: timeText(pause.since) },
    stats: {
      total: stats.total,
      sent: stats.sent,
      reserved: stats.reserved,
      failed: stats.failed,
      remaining: stats.remaining,
      suppressed: stats.suppressed,
      inDoubt: stats.inDoubt,
      cancelled: stats.cancelled,
    },
    feedback: {
      delivered: feedback.delivered,
      delayed: feedback.delayed,
      bounced: feedback.bounced,
      complained: feedback.complained,
    },
    duplicatesPrevented: status.duplicatesPrevented,
    deadLetters: status.deadLetters,
    ratePerSecond: status.ratePerSecond,
    startedAt: timeTextOrNull(status.startedAt),
    finishedAt: timeTextOrNull(status.finishedAt),
    expectedFinishAt: timeTextOrNull(status.expectedFinishAt),
    version: status.version,
  };
}

export function shownEvent(view: EventView) {
  return { number: view.number, at: timeText(view.at), type: view.type, detail: view.detail };
}

export type ShownStatus = ReturnType<typeof shownStatus>;
export type ShownEvent = ReturnType<typeof shownEvent>;

/** What a server sends over the live stream, each as one text message. */
export type LiveMessage =
  | { readonly type: "snapshot" | "status"; readonly status: ShownStatus }
  | { readonly type: "event"; readonly event: ShownEvent };
