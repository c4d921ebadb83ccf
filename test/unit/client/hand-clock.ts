/** A clock that a test moves: timers ring in their order when their time has come. */
import type { Surroundings } from "../../../src/client/surroundings.ts";

type Timer = { readonly at: number; readonly work: () => void };

export class HandClock implements Pick<Surroundings, "now" | "later"> {
  #now = 0;
  #timers: Timer[] = [];

  readonly now = (): number => this.#now;

  readonly later = (milliseconds: number, work: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  };

  /** Milliseconds until each timer that is set, the next one first. */
  get waits(): number[] {
    return this.#timers.map(({ at }) => at - this.#now).toSorted((left, right) => left - right);
  }

  /** Rings the next timer, once there is one. @returns how far that was ahead */
  async ring(): Promise<number> {
    while (this.#timers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const next = this.#timers.reduce((left, right) => (right.at < left.at ? right : left));
    const ahead = next.at - this.#now;
    this.#timers = this.#timers.filter((each) => each !== next);
    this.#now = next.at;
    next.work();
    return ahead;
  }
}
