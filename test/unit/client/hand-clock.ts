/** A clock that a test moves: timers ring when they are told to. */
import type { Surroundings } from "../../../src/client/surroundings.ts";
import { CLIENT_WAIT_MOST_SECONDS } from "../../../src/domain/limits.ts";

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

  /**
   * Rings the next timer that is a wait, as soon as there is one: the ordinary limit of a call is
   * longer than any wait. @returns how far it was ahead, in milliseconds
   */
  async ring(): Promise<number> {
    for (;;) {
      const [ahead] = this.waits;
      if (ahead !== undefined && ahead <= CLIENT_WAIT_MOST_SECONDS * 1000) return this.#pass(ahead);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #pass(milliseconds: number): number {
    this.#now += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { work } of due) work();
    return milliseconds;
  }
}
