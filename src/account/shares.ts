/**
 * Who of the campaigns that ask for slots is ahead of its share, so that many of them are served side
 * by side and not one after the other.
 *
 * Each has a turn, the moment from which it is behind its share again: a slot moves it on by one
 * spacing for each campaign that asks. Whoever books further ahead than SHARE_AHEAD_SECONDS has to come
 * back, unless the line is so short that slots would be left unused: an equal share is for times of
 * scarcity, and no slot is given up for it.
 *
 * It lives in memory only. What an eviction forgets is who was ahead, for a few seconds; the limit
 * itself is in the gate's row.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";
import {
  SHARE_AHEAD_SECONDS,
  SHARE_ASKING_SECONDS,
  SHARE_SHORT_LINE_SECONDS,
} from "../domain/limits.ts";

type Share = { turn: Instant; asksUntil: Instant };

export class Shares {
  readonly #asking = new Map<CampaignId, Share>();

  /** Notes that a campaign asks, and forgets those that have stopped. */
  asks(campaign: CampaignId, now: Instant): void {
    const share = this.#asking.get(campaign) ?? { turn: now, asksUntil: now };
    share.turn = Math.max(share.turn, now);
    share.asksUntil = Math.max(share.asksUntil, now + SHARE_ASKING_SECONDS * 1000);
    this.#asking.set(campaign, share);
    for (const [id, { asksUntil }] of this.#asking) {
      if (asksUntil < now) this.#asking.delete(id);
    }
  }

  /**
   * Milliseconds after which a campaign that has asked is behind its share again; 0 where it may have
   * the next slot now.
   *
   * @param line milliseconds until the next slot that nobody has
   */
  aheadBy(campaign: CampaignId, line: number, now: Instant): number {
    const share = this.#asking.get(campaign);
    if (share === undefined || line <= SHARE_SHORT_LINE_SECONDS * 1000) return 0;
    const ahead = share.turn - now;
    if (ahead <= SHARE_AHEAD_SECONDS * 1000) return 0;
    // It comes back only then, and goes on being one of those who ask.
    share.asksUntil = Math.max(share.asksUntil, share.turn + SHARE_ASKING_SECONDS * 1000);
    return ahead;
  }

  /** It has taken a slot. One that would have been left unused is not charged. */
  took(campaign: CampaignId, slotMilliseconds: number, now: Instant): void {
    const share = this.#asking.get(campaign);
    if (share === undefined || share.turn - now > SHARE_AHEAD_SECONDS * 1000) return;
    share.turn += this.#asking.size * slotMilliseconds;
  }
}
