/** What the object of a campaign says when it is looked at from outside: by metrics and by health. */
import type { Instant } from "./ids.ts";
import type { Measures } from "./measures.ts";
import type { DeliveryStatus } from "./status.ts";

/** Where the ledger stands, as far as fixed rows tell. */
export type LedgerReading = {
  readonly status: DeliveryStatus;
  readonly measures: Measures;
  readonly outbox: {
    /** Dispatches to be put on the queue, and those that are out and unanswered. */
    readonly due: number;
    readonly out: number;
    /** When the oldest one that is out was sent; null: none is out. */
    readonly oldestSentAt: Instant | null;
    /** When a consumer last asked for work; 0: never. */
    readonly heardAt: Instant;
  };
  /** Leased and waiting batches, and those of them that may have been accepted. */
  readonly openBatches: number;
  readonly troubledBatches: number;
};

export type CampaignReading = LedgerReading & {
  /** By the object's own clock; the times above are compared with it alone. */
  readonly now: Instant;
  /** How late the alarm is that should have rung, or else how late the last one was. */
  readonly alarmLateMilliseconds: number;
  readonly liveSockets: number;
};

/** Milliseconds for which nobody has asked for what is on the queue; 0: nothing is, or it was now. */
export function queueSilence({ outbox, now }: CampaignReading): number {
  if (outbox.oldestSentAt === null) return 0;
  return Math.max(now - Math.max(outbox.oldestSentAt, outbox.heardAt), 0);
}
