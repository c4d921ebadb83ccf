/**
 * The line of those who wait for a slot of the rate gate: each has a place, the moment of its turn.
 *
 * It lives in memory only. A place is a promise to nobody but its holder, and the gate's rows decide;
 * after an eviction the line begins anew, and whoever still has a place comes back with it.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";

export class Line {
  #end: Instant = 0;
  /** Where the places of campaigns with a limit of their own end. */
  readonly #ownEnds = new Map<CampaignId, Instant>();

  /** The next place. @param gate the next slot that nobody has taken */
  next(gate: Instant, now: Instant): Instant {
    return Math.max(this.#end, gate, now);
  }

  /** The same in a campaign's own line. */
  ownNext(campaign: CampaignId, gate: Instant): Instant {
    return Math.max(this.#ownEnds.get(campaign) ?? 0, gate);
  }

  /** @param spacing milliseconds to the place that follows */
  give(place: Instant, spacing: number): void {
    this.#end = place + spacing;
  }

  giveOwn(campaign: CampaignId, place: Instant, spacing: number, now: Instant): void {
    for (const [id, end] of this.#ownEnds) if (end < now) this.#ownEnds.delete(id);
    this.#ownEnds.set(campaign, this.ownNext(campaign, place + spacing));
  }
}
