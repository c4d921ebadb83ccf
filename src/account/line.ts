/**
 * The line of those who wait for a slot of the rate gate: each has a place, the moment of its turn.
 *
 * It lives in memory only. A place is a promise to nobody but its holder, and the gate's rows decide;
 * after an eviction the line begins anew, and whoever still has a place comes back with it.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";

export class Line {
  readonly #spacing: number;
  /** Where the line ends, and the next place is. */
  #end: Instant = 0;
  /** Places behind the end, of campaigns that have to wait for themselves; the first is first. */
  #beyond: Instant[] = [];
  /** Where the places of campaigns with a limit of their own end. */
  readonly #ownEnds = new Map<CampaignId, Instant>();

  /** @param spacing milliseconds between two places */
  constructor(spacing: number) {
    this.#spacing = spacing;
  }

  /** The next place. @param gate the next slot that nobody has taken */
  next(gate: Instant, now: Instant): Instant {
    const begin = Math.max(gate, now);
    this.#beyond = this.#beyond.filter((place) => place > begin);
    this.#end = Math.max(this.#end, begin);
    // The line has come to such a place: it counts as one of the line from here on.
    while ((this.#beyond[0] ?? Number.POSITIVE_INFINITY) < this.#end) {
      this.#beyond.shift();
      this.#end += this.#spacing;
    }
    return this.#end;
  }

  /** The next place of a campaign with a limit of its own, after its last one. */
  ownNext(campaign: CampaignId, ownGate: Instant): Instant {
    return Math.max(this.#ownEnds.get(campaign) ?? 0, ownGate);
  }

  give(place: Instant): void {
    if (place <= this.#end) this.#end += this.#spacing;
    else this.#beyond = [...this.#beyond, place].toSorted((a, b) => a - b);
  }

  /** @param spacing milliseconds between two places of this campaign */
  giveOwn(campaign: CampaignId, place: Instant, spacing: number, now: Instant): void {
    for (const [id, end] of this.#ownEnds) if (end < now) this.#ownEnds.delete(id);
    this.#ownEnds.set(campaign, this.ownNext(campaign, place + spacing));
  }
}
