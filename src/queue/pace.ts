/**
 * Keeps the calls of one isolate apart when it falls behind. Consumers that wait for slots side by
 * side wake together after a stall of the event loop, and their calls would arrive as a burst that
 * the provider's window does not allow; so each leaves no sooner than a spacing after the last one
 * really left.
 */
import { PACE_SPACING } from "../domain/limits.ts";

export class Pace {
  readonly #spacingMilliseconds: number;
  #lastLeft = Number.NEGATIVE_INFINITY;

  constructor(requestsPerSecond: number) {
    this.#spacingMilliseconds = (1000 / requestsPerSecond) * PACE_SPACING;
  }

  /**
   * Asks to leave at `now`, in the slot that begins at `callAt`.
   * @returns 0: it has left; otherwise the milliseconds after which to ask again
   */
  leave(callAt: number, now: number): number {
    const earliest = Math.max(callAt, this.#lastLeft + this.#spacingMilliseconds);
    if (earliest > now) return earliest - now;
    this.#lastLeft = now;
    return 0;
  }
}
