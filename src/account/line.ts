/**
 * The line of those who wait for a slot of the rate gate: each has a place, the moment of its turn.
 *
 * A campaign with a limit of its own has places as far apart as that says, so the line has gaps,
 * which whoever comes next fills from the front. Were it told to come back instead, all of its
 * consumers would ask for each of its slots.
 *
 * It lives in memory only. A place is a promise to nobody but its holder, and the gate's rows decide;
 * after an eviction the line begins anew, and whoever still has a place comes back with it.
 */
import type { CampaignId, Instant } from "../domain/ids.ts";

/** Room for places: `to` is where the next place is taken. */
type Gap = { readonly from: Instant; readonly to: Instant };

/** Places are fractions of a millisecond, and a gap that lacks so little has room. */
const ROUNDING_MILLISECONDS = 1;

export class Line {
  readonly #spacing: number;
  #end: Instant = 0;
  /** Those before the end, the earliest first. */
  #gaps: Gap[] = [];
  /** The place that a campaign with a limit of its own may have next. */
  readonly #turns = new Map<CampaignId, Instant>();

  /** @param spacing milliseconds between two places */
  constructor(spacing: number) {
    this.#spacing = spacing;
  }

  /** The first place from a moment on. */
  next(from: Instant): Instant {
    return this.#from(from, from);
  }

  /**
   * The first place that such a campaign may have. While there is a line, it is whole places behind
   * the others, since what is left between them would be of use to nobody.
   *
   * @param own the next slot of the campaign by its own limit
   */
  nextOf(campaign: CampaignId, own: Instant, from: Instant): Instant {
    const turn = Math.max(this.#turns.get(campaign) ?? 0, own, from);
    return this.#from(from, turn);
  }

  give(place: Instant, now: Instant): void {
    const gaps = [...this.#gaps, { from: this.#end, to: Number.POSITIVE_INFINITY }];
    const left = gaps.flatMap(({ from, to }) =>
      place < from || place >= to
        ? [{ from, to }]
        : [
            { from, to: place },
            { from: place + this.#spacing, to },
          ],
    );
    this.#end = left.at(-1)?.from ?? this.#end;
    this.#gaps = left.slice(0, -1).filter((gap) => this.#hasRoom(gap, now));
  }

  /** @param spacing milliseconds between two slots of the campaign */
  giveOf(campaign: CampaignId, place: Instant, spacing: number, now: Instant): void {
    for (const [id, turn] of this.#turns) if (turn < now) this.#turns.delete(id);
    this.#turns.set(campaign, place + spacing);
  }

  #from(from: Instant, turn: Instant): Instant {
    const isLine = this.#fitting(from) > from;
    return isLine ? this.#fitting(turn, this.#spacing) : this.#fitting(turn);
  }

  /** @param step 0: any moment of a gap will do; otherwise it is whole steps from its beginning */
  #fitting(turn: Instant, step = 0): Instant {
    const open = { from: this.#end, to: Number.POSITIVE_INFINITY };
    for (const gap of [...this.#gaps, open]) {
      const ahead = Math.max(turn - gap.from, 0);
      const place = gap.from + (step === 0 ? ahead : wholeSteps(ahead, step));
      if (this.#hasRoom(gap, place)) return place;
    }
    return turn;
  }

  #hasRoom({ from, to }: Gap, at: Instant): boolean {
    return to - Math.max(from, at) > this.#spacing - ROUNDING_MILLISECONDS;
  }
}

function wholeSteps(length: number, step: number): number {
  return Math.ceil((length - ROUNDING_MILLISECONDS) / step) * step;
}
