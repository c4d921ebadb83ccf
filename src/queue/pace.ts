/**
 * Keeps the calls of one isolate within the provider's limit when it falls behind. Consumers that wait
 * for slots side by side wake together after a stall of the event loop, and their calls would arrive
 * as a burst that the provider's window does not allow.
 *
 * So much as the window allows leaves in no less than a window, by when calls really left; two calls
 * in a row are half a spacing apart at the least. A whole spacing after each call would be simpler, but
 * then every timer that rings late delays all that follow: a busy isolate would never catch up.
 */
import { PACE_SPACING } from "../domain/limits.ts";

export class Pace {
  readonly #spacingMilliseconds: number;
  /** Calls of one window: those of a second, or one where the limit is lower than that. */
  readonly #calls: number;
  /** When the last so many left, the oldest first. */
  readonly #left: number[] = [];

  constructor(requestsPerSecond: number) {
    this.#spacingMilliseconds = (1000 / requestsPerSecond) * PACE_SPACING;
    this.#calls = Math.max(1, Math.ceil(requestsPerSecond));
  }

  /**
   * Asks to leave at `now`, in the slot that begins at `callAt`.
   * @returns 0: it has left; otherwise the milliseconds after which to ask again
   */
  leave(callAt: number, now: number): number {
    const earliest = Math.max(callAt, this.#afterLast(), this.#afterWindow());
    if (earliest > now) return earliest - now;
    this.#left.push(now);
    if (this.#left.length > this.#calls) this.#left.shift();
    return 0;
  }

  #afterLast(): number {
    const least = this.#calls === 1 ? 1 : 1 / 2;
    return (this.#left.at(-1) ?? Number.NEGATIVE_INFINITY) + this.#spacingMilliseconds * least;
  }

  #afterWindow(): number {
    const first = this.#left.length === this.#calls ? this.#left[0] : undefined;
    return (first ?? Number.NEGATIVE_INFINITY) + this.#calls * this.#spacingMilliseconds;
  }
}
