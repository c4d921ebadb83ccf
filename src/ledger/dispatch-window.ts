/**
 * How many dispatches may be on the way at once, learnt from what becomes of them.
 *
 * Where many campaigns share the provider's rate, a dispatch finds no slot near and goes back. Sent
 * all at once, nearly all of them would, time and again, each for a message, some requests and rows. So
 * after one that went back only as many are sent as the rate gate has room for, when it has said; and
 * each that is granted lets two follow, as after a loss in TCP (RFC 5681 §3.1, slow start).
 *
 * How far it has opened since is in memory; what the gate said stays with the dispatches that it said it
 * to, since an object that waits for longer than ten seconds is evicted.
 */
import type { Instant } from "../domain/ids.ts";
import { DISPATCH_WINDOW, QUEUE_SEND_BATCH } from "../domain/limits.ts";

export class DispatchWindow {
  #size = DISPATCH_WINDOW;
  #opensAt: Instant = 0;

  /** While it is not, nobody has to count what is out. */
  get isNarrow(): boolean {
    return this.#size < DISPATCH_WINDOW;
  }

  /** There was no slot near; at this time the gate is likely to have room for so many. */
  wentBack(askAt: Instant, room: number): void {
    this.#size = Math.min(Math.max(room, 1), DISPATCH_WINDOW);
    this.#opensAt = Math.max(this.#opensAt, askAt);
  }

  granted(): void {
    this.#size = Math.min(this.#size + 1, DISPATCH_WINDOW);
  }

  /**
   * How many may be sent now, at most one send's worth.
   * @param out how many are on the way; counts where it is narrow
   */
  room(out: number, now: Instant): number {
    if (!this.isNarrow) return QUEUE_SEND_BATCH;
    return now < this.#opensAt ? 0 : Math.max(this.#size - out, 0);
  }

  /**
   * When the next may be sent, of which the first is due at `dueAt`; null: when one of those that are on
   * the way is answered or taken for lost.
   */
  sendsAt(dueAt: Instant | null, out: number): Instant | null {
    if (dueAt === null || !this.isNarrow) return dueAt;
    return out >= this.#size ? null : Math.max(dueAt, this.#opensAt);
  }
}
