/**
 * The stand-in's own clock: it runs with the machine's monotonic one and can be put forward by
 * command, so that the 24 hours of a key pass in no time, or be held still, so that a test of a
 * limit does not depend on how fast the machine is. It never goes back.
 */
export class Clock {
  #aheadMilliseconds = 0;
  #heldAt: number | null = null;

  /** Milliseconds since 1970, with fractions. */
  now(): number {
    return this.#heldAt ?? machineNow() + this.#aheadMilliseconds;
  }

  advance(seconds: number): void {
    if (this.#heldAt === null) this.#aheadMilliseconds += seconds * 1000;
    else this.#heldAt += seconds * 1000;
  }

  /** While it is held, only `advance` moves it. When it runs again, it goes on from there. */
  hold(held: boolean): void {
    const now = this.now();
    this.#heldAt = held ? now : null;
    this.#aheadMilliseconds = now - machineNow();
  }

  reset(): void {
    this.#aheadMilliseconds = 0;
    this.#heldAt = null;
  }
}

function machineNow(): number {
  return performance.timeOrigin + performance.now();
}
