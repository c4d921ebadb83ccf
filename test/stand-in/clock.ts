/**
 * The stand-in's own clock: it runs with the machine's monotonic one and can be put forward by
 * command, so that the 24 hours of a key pass in no time. It never goes back.
 */
export class Clock {
  #advancedMilliseconds = 0;

  /** Milliseconds since 1970, with fractions. */
  now(): number {
    return performance.timeOrigin + performance.now() + this.#advancedMilliseconds;
  }

  advance(seconds: number): void {
    this.#advancedMilliseconds += seconds * 1000;
  }

  reset(): void {
    this.#advancedMilliseconds = 0;
  }
}
