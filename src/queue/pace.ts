/**
 * Keeps the calls of one isolate apart when it falls behind. Consumers that wait for slots side by
 * side wake together after a stall of the event loop, and their calls would arrive as a burst that
 * the provider's window does not allow; so each leaves no sooner than a spacing after the last.
 */
import { PACE_SPACING } from "../domain/limits.ts";

export class Pace {
  readonly #spacingMilliseconds: number;
  #next = 0;

  constructor(requestsPerSecond: number) {
    this.#spacingMilliseconds = (1000 / requestsPerSecond) * PACE_SPACING;
  }

  /** When a call may leave whose slot begins at `callAt`, given that it asks at `now`. */
  leaveAt(callAt: number, now: number): number {
    const at = Math.max(callAt, now, this.#next);
    this.#next = at + this.#spacingMilliseconds;
    return at;
  }
}
