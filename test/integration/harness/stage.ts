/**
 * What a test may decide about the platform around the real worker: its clock, its queue, and which
 * answers get lost. The worker and the tests of a file live in one isolate, so that this one value
 * is what both of them see.
 */
import { systemClock, type Clock } from "../../../src/domain/clock.ts";
import { Bill } from "./bill.ts";

/** In the text of every fault that a test brings about, so that no other one is forgiven. */
export const BY_THE_TEST = "by the test";

/** Far enough that no alarm of a stopped clock rings by itself during a test. */
const NEVER_MILLISECONDS = 30 * 86_400_000;

/** The system's clock, or one that stands still and is moved by hand. */
class StageClock implements Clock {
  #stopped: number | null = null;

  now(): number {
    return this.#stopped ?? systemClock.now();
  }

  /** Alarms of a stopped clock ring when the test rings them. */
  alarmTime(instant: number): number {
    return this.#stopped === null ? instant : systemClock.now() + NEVER_MILLISECONDS;
  }

  stop(at: number = systemClock.now()): void {
    this.#stopped = at;
  }

  advance(milliseconds: number): void {
    if (this.#stopped === null) throw new Error("only a stopped clock is moved by hand");
    this.#stopped += milliseconds;
  }

  /** Really waits while it runs; stopped, it is put forward to the moment that was waited for. */
  async sleep(milliseconds: number): Promise<void> {
    if (this.#stopped === null) return scheduler.wait(milliseconds);
    const wakeAt = this.#stopped + milliseconds;
    // Others that wait get their turn, as they would in real time.
    await scheduler.wait(0);
    this.#stopped = Math.max(this.#stopped, wakeAt);
  }

  run(): void {
    this.#stopped = null;
  }
}

export type Sent = { readonly campaignId: string; readonly dispatch?: number };

/**
 * `pass`: the real queue takes it. `keep`: the test hands it out. `lose`: taken and gone. `throw`
 * and `throwAfter`: refused, and refused although it was taken. `hang`: never an answer.
 */
export type QueueMood = "pass" | "keep" | "lose" | "throw" | "throwAfter" | "hang";

class StageQueue {
  /** What happens to a send; `nth` counts the sends of this test from 1. */
  mood: (nth: number) => QueueMood = () => "pass";
  sends = 0;
  readonly #kept: Sent[] = [];

  async sendBatch(queue: Queue, messages: readonly MessageSendRequest[]): Promise<void> {
    this.sends += 1;
    const bodies = messages.map(({ body }) => body as Sent);
    const mood = this.mood(this.sends);
    switch (mood) {
      case "pass":
        await queue.sendBatch(messages);
        return;
      case "throwAfter":
        await queue.sendBatch(messages);
        throw new Error(`the queue refused ${BY_THE_TEST}`);
      case "keep":
        this.#kept.push(...bodies);
        return;
      case "lose":
        return;
      case "throw":
        throw new Error(`the queue refused ${BY_THE_TEST}`);
      case "hang":
        return new Promise(() => undefined);
    }
  }

  /** Takes the dispatches that were kept for a campaign, in the order in which they were sent. */
  take(campaignId: string): number[] {
    const own = this.#kept.filter((each) => each.campaignId === campaignId);
    const others = this.#kept.filter((each) => each.campaignId !== campaignId);
    this.#kept.splice(0, Infinity, ...others);
    // An inquiry is left: what the provider is asked about doubts is no part of sending.
    return own.flatMap(({ dispatch }) => (dispatch === undefined ? [] : [dispatch]));
  }

  reset(): void {
    this.mood = () => "pass";
    this.sends = 0;
    this.#kept.length = 0;
  }
}

/**
 * How an answer gets lost after its method has run. `throw`: an error goes out in its place.
 * `abort`: the object dies with everything on disk. `abortUnsaved`: it dies in the same moment, so
 * that what it wrote may be lost as well.
 */
export type Loss = "throw" | "abort" | "abortUnsaved";

class StageReplies {
  readonly #losses = new Map<string, Loss[]>();
  lost = 0;

  /** The next answers of this method get lost, one for each entry. */
  lose(method: string, ...losses: readonly Loss[]): void {
    this.#losses.set(method, [...(this.#losses.get(method) ?? []), ...losses]);
  }

  /** Called with each answer before its fate is looked up. */
  onTake: (method: string) => void = () => undefined;

  takeLoss(method: string): Loss | null {
    this.onTake(method);
    const loss = this.#losses.get(method)?.shift() ?? null;
    if (loss !== null) this.lost += 1;
    return loss;
  }

  reset(): void {
    this.#losses.clear();
    this.onTake = () => undefined;
    this.lost = 0;
  }
}

class Stage {
  readonly clock = new StageClock();
  readonly queue = new StageQueue();
  readonly replies = new StageReplies();
  readonly bill = new Bill();
  /** Slots a second of an account object that is built from now on; null: as it is bound. */
  requestsPerSecond: number | null = null;
  /** RETENTION_DAYS of campaign objects that are built from now on; null: they keep all. */
  retentionDays: string | null = null;
  /** ALERT_URL of campaign objects that are built from now on; null: nobody is told. */
  alertUrl: string | null = null;
  /** Whether the HTTP edge goes by this clock as well; otherwise by the machine's. */
  edgeFollowsClock = false;

  reset(): void {
    this.clock.run();
    this.queue.reset();
    this.replies.reset();
    this.bill.reset();
    this.requestsPerSecond = null;
    this.alertUrl = null;
    this.edgeFollowsClock = false;
    this.retentionDays = null;
  }
}

export const stage = new Stage();
