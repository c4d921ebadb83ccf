/**
 * Who of the campaigns that ask for slots is ahead of its share, so that many of them are served side
 * by side and not one after the other.
 *
 * Each has a turn, the moment from which it is behind its share again: a slot moves it on by one
 * spacing for each campaign that asks. Whoever has places further ahead than SHARE_AHEAD_SECONDS has to
 * come back, unless the line is so short that slots might be left unused: an equal share is for times
 * of scarcity. A line is short while it holds no more than one campaign's window of dispatches, so
 * a campaign that is alone is never held back, whoever has asked before it.
 *
 * It lives in memory only. What an eviction forgets is who was ahead, for a few seconds; the limit
 * itself is in the gate's row.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";
import { DISPATCH_WINDOW, SHARE_AHEAD_SECONDS, SHARE_RETURN_SECONDS } from "../domain/limits.ts";

type Share = { turn: Instant; asksUntil: Instant };

export class Shares {
  readonly #slotMilliseconds: number;
  readonly #asking = new Map<CampaignId, Share>();

  /** @param slotMilliseconds between two slots of the account */
  constructor(slotMilliseconds: number) {
    this.#slotMilliseconds = slotMilliseconds;
  }

  /**
   * A campaign asks.
   * @param line milliseconds until the next place
   * @returns milliseconds after which it is behind its share again; 0: it may have the next place
   */
  ask(campaign: CampaignId, line: number, now: Instant): number {
    this.#forgetWhoLeft(now);
    const share = this.#asking.get(campaign) ?? { turn: now, asksUntil: now };
    this.#asking.set(campaign, share);
    share.turn = Math.max(share.turn, now);
    if (line <= DISPATCH_WINDOW * this.#slotMilliseconds) return 0;
    return this.#isAhead(share, now) ? share.turn - now : 0;
  }

  /** It has a place, or a slot. One that might have been left unused is not charged. */
  took(campaign: CampaignId, now: Instant): void {
    const share = this.#asking.get(campaign);
    if (share === undefined || this.#isAhead(share, now)) return;
    share.turn += this.#asking.size * this.#slotMilliseconds;
  }

  /** It was told to call, or to come back, after so long: it is one of those who ask until then. */
  answered(campaign: CampaignId, waitMilliseconds: number, now: Instant): void {
    const share = this.#asking.get(campaign);
    if (share === undefined) return;
    const until = now + waitMilliseconds + SHARE_RETURN_SECONDS * 1000;
    share.asksUntil = Math.max(share.asksUntil, until);
  }

  /** How many places a campaign gets in a row that is behind its share. */
  room(): number {
    const turn = Math.max(this.#asking.size, 1) * this.#slotMilliseconds;
    return Math.floor((SHARE_AHEAD_SECONDS * 1000) / turn) + 1;
  }

  #isAhead({ turn }: Share, now: Instant): boolean {
    return turn - now > SHARE_AHEAD_SECONDS * 1000;
  }

  #forgetWhoLeft(now: Instant): void {
    for (const [id, { asksUntil }] of this.#asking) {
      if (asksUntil < now) this.#asking.delete(id);
    }
  }
}
