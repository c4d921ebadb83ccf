/**
 * Virtual time and the one order of events.
 *
 * Everything that takes time in the simulated world waits in this heap; events of the same
 * millisecond come in an order drawn from the seed. Between two events the microtasks run dry, so a
 * continuation of the code under test always runs inside the event that resolved its promise.
 */
import type { Random } from "./random.ts";

type Entry = { readonly at: number; readonly order: number; readonly run: () => void };

const realImmediate = setImmediate;
const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;

/** 2026-01-05T08:00Z: a plausible instant, so that a mistaken unit is seen at once. */
const EPOCH = 1_767_600_000_000;

export class Scheduler {
  now = EPOCH;
  events = 0;
  readonly #random: Random;
  readonly #heap: Entry[] = [];
  #afterEvent: () => void = () => {};
  #onTimer: () => () => void = () => () => {};

  constructor(random: Random) {
    this.#random = random;
  }

  /** What is done when an event and its microtasks are over. */
  afterEvent(hook: () => void): void {
    this.#afterEvent = hook;
  }

  /** Asked when a timer is set for what has to be done before it fires. */
  onTimer(hook: () => () => void): void {
    this.#onTimer = hook;
  }

  get elapsed(): number {
    return this.now - EPOCH;
  }

  after(milliseconds: number, run: () => void): void {
    this.at(this.now + Math.max(0, Math.ceil(milliseconds)), run);
  }

  at(instant: number, run: () => void): void {
    const entry = { at: Math.max(instant, this.now), order: this.#random.next(), run };
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
  }

  /** Runs the next event unless it is later than `limit`; false when there was none. */
  async step(limit: number): Promise<boolean> {
    const next = this.#heap[0];
    if (next === undefined || next.at > limit) return false;
    this.#pop();
    this.now = next.at;
    this.events += 1;
    globalThis.setTimeout = this.#setTimeout as unknown as typeof setTimeout;
    globalThis.clearTimeout = this.#clearTimeout as unknown as typeof clearTimeout;
    try {
      next.run();
      await new Promise<void>((resolve) => realImmediate(resolve));
    } finally {
      globalThis.setTimeout = realSetTimeout;
      globalThis.clearTimeout = realClearTimeout;
    }
    this.#afterEvent();
    return true;
  }

  /** The code under test sets a timer in one place (a queue that hangs); it runs in virtual time. */
  readonly #setTimeout = (run: () => void, milliseconds: number): { cancelled: boolean } => {
    const timer = { cancelled: false };
    const before = this.#onTimer();
    this.after(milliseconds, () => {
      if (timer.cancelled) return;
      before();
      run();
    });
    return timer;
  };

  readonly #clearTimeout = (timer: { cancelled: boolean } | undefined): void => {
    if (timer !== undefined) timer.cancelled = true;
  };

  #before(a: Entry, b: Entry): boolean {
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #up(from: number): void {
    const heap = this.#heap;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const [child, above] = [heap[index] as Entry, heap[parent] as Entry];
      if (!this.#before(child, above)) return;
      heap[index] = above;
      heap[parent] = child;
      index = parent;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    heap[0] = last;
    let index = 0;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let first = index;
      if (left < heap.length && this.#before(heap[left] as Entry, heap[first] as Entry))
        first = left;
      if (right < heap.length && this.#before(heap[right] as Entry, heap[first] as Entry))
        first = right;
      if (first === index) return;
      const moved = heap[first] as Entry;
      heap[first] = heap[index] as Entry;
      heap[index] = moved;
      index = first;
    }
  }
}
