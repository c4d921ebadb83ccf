/**
 * The vital signs of a campaign, and what is wrong with one by them. Spans, and no moments, since
 * whoever looks goes by another clock.
 */
import type { CampaignState } from "./campaign.ts";
import { ALARM_BEHIND_SECONDS, OVERDUE_SECONDS } from "./limits.ts";

export type Vitals = {
  readonly state: CampaignState;
  /** Until it has to act by itself, below 0 where that is overdue; null: never. */
  readonly dueInMilliseconds: number | null;
  /** Until its alarm rings; null: none is set. */
  readonly alarmInMilliseconds: number | null;
  /** The alarm rings right now, and sets the next one at its end. */
  readonly isRinging: boolean;
  /** Since the oldest dispatch that nobody has answered was put on the queue; null: none is out. */
  readonly unansweredMilliseconds: number | null;
};

export type Ailment =
  /** There is something to do, and nothing would ever bring it up. */
  | "noAlarm"
  /** The alarm is so long overdue that it will not ring any more (cloudflare-docs#18324). */
  | "deadAlarm"
  /** It would ring long after the work is due. */
  | "lateAlarm"
  /** An alarm stands and rings, and the work is not done: a lease unswept, a dispatch unanswered. */
  | "overdue";

/** What has to be mended by waking the campaign; null: nothing. */
export function ailmentOf(vitals: Vitals): Ailment | null {
  const { dueInMilliseconds: due, alarmInMilliseconds: alarm } = vitals;
  if (due === null || vitals.isRinging) return null;
  if (alarm === null) return "noAlarm";
  if (alarm < -OVERDUE_SECONDS * 1000) return "deadAlarm";
  if (alarm > Math.max(due, 0) + ALARM_BEHIND_SECONDS * 1000) return "lateAlarm";
  return due < -OVERDUE_SECONDS * 1000 ? "overdue" : null;
}
