/**
 * How many moments lie within the last second, for any second (a sliding log, not a bucket that is
 * emptied at whole seconds: with buckets, twice the limit fits around the boundary).
 *
 * A moment leaves the window exactly one second after it was noted. Noting and asking cost O(1),
 * spread over the calls.
 */
const WINDOW_MILLISECONDS = 1000;
const COMPACT_AT = 1024;

export class RateWindow {
  #moments: number[] = [];
  #head = 0;
  #most = 0;

  /** `at` never decreases from one call to the next. */
  note(at: number): void {
    const count = this.count(at) + 1;
    this.#moments.push(at);
    this.#most = Math.max(this.#most, count);
  }

  count(at: number): number {
    while ((this.#moments[this.#head] ?? Infinity) <= at - WINDOW_MILLISECONDS) this.#head += 1;
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#moments.length) {
      this.#moments = this.#moments.slice(this.#head);
      this.#head = 0;
    }
    return this.#moments.length - this.#head;
  }

  /** Seconds until the oldest moment of the window leaves it; 0 for an empty window. */
  secondsUntilFree(at: number): number {
    const oldest = this.#moments[this.#head];
    return oldest === undefined ? 0 : Math.max(0, (oldest + WINDOW_MILLISECONDS - at) / 1000);
  }

  /** The most there ever were in one second. */
  get most(): number {
    return this.#most;
  }
}
