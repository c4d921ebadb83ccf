/**
 * A simulated Durable Object: one event at a time, what an event writes is kept as a whole, and
 * nothing leaves the object before that is on disk (the output gate).
 *
 * It ends in three ways. Before the commit: nothing of the event remains. After the commit: all of it
 * remains and nobody hears of it. Evicted: only its memory is gone. Whoever waits for an answer of
 * an object that has ended gets an error.
 */
import type { Clock } from "../../src/domain/clock.ts";
import type { FaultKind } from "./faults.ts";
import type { Call } from "./occurrence.ts";
import { InjectedError, isInjected, ObjectStorage } from "./storage.ts";

/** What an object needs of the world around it. */
export type ObjectWorld = {
  readonly scheduler: { readonly now: number; after(milliseconds: number, run: () => void): void };
  fault(kind: FaultKind): boolean;
  whole(least: number, most: number): number;
  note(text: string): void;
  /** Is told what an event has written, once it is on disk. */
  committed(object: SimulatedObject<object>, call: Call | null): void;
  done(object: SimulatedObject<object>, call: Call, answer: unknown): void;
  threw(object: SimulatedObject<object>, call: Call | null, error: unknown): void;
  broke(call: Call, error: unknown): void;
  /** Has the object looked at when the event is over. */
  touch(object: SimulatedObject<object>): void;
};

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** The platform retries an alarm that throws so often, and then gives it up (facts: DO alarms). */
const ALARM_RETRIES = 6;

export class SimulatedObject<Instance extends object> {
  readonly name: string;
  readonly storage = new ObjectStorage();
  readonly #world: ObjectWorld;
  readonly #make: (life: Life) => Instance;
  #instance: Instance | null = null;
  #generation = 0;
  #clockOffset: number;
  readonly #drawOffset: () => number;
  /** What leaves the object when its writes are on disk. */
  #gate: (() => void)[] = [];
  #waiting = new Set<(error: unknown) => void>();
  #call: Call | null = null;
  #alarmVersion = 0;
  #alarmRuns = false;
  #alarmRetries = 0;
  alarmIsAbandoned = false;
  /** The alarm that stands is the platform's own, for a handler that did not end. */
  alarmIsRetry = false;

  constructor(
    name: string,
    world: ObjectWorld,
    drawOffset: () => number,
    make: (life: Life) => Instance,
  ) {
    this.name = name;
    this.#world = world;
    this.#drawOffset = drawOffset;
    this.#clockOffset = drawOffset();
    this.#make = make;
  }

  get now(): number {
    return this.#world.scheduler.now + this.#clockOffset;
  }

  /** Whether an alarm stands, or runs and has not yet said what comes next. */
  get hasAlarm(): boolean {
    return this.storage.alarmAt !== null || this.#alarmRuns;
  }

  /** When the alarm fires by the object's own clock; null: it runs, or none stands. */
  get alarmTime(): number | null {
    return this.storage.alarmAt === null ? null : this.storage.alarmAt + this.#clockOffset;
  }

  /** Counts its lives: what one held in memory, the next does not know. */
  get generation(): number {
    return this.#generation;
  }

  #life(): Life {
    const generation = this.#generation;
    const isAlive = (): boolean => generation === this.#generation;
    return {
      storage: this.storage.handle(isAlive),
      clock: {
        now: () => this.now,
        // The platform keeps alarms by the clock of the world.
        alarmTime: (instant) => instant - this.#clockOffset,
      },
      leave: (send) => {
        if (isAlive()) this.#gate.push(send);
      },
      resume: (run) => {
        if (!isAlive()) return;
        this.#world.touch(this);
        run();
      },
    };
  }

  #alive(): Instance {
    this.#instance ??= this.#make(this.#life());
    return this.#instance;
  }

  /** A call reaches the object; `reply` is used when its effects are on disk, or never will be. */
  enter(call: Call, reply: (answer: Answer) => void): void {
    this.#world.touch(this);
    this.#call = call;
    this.storage.isSpared = true;
    this.#run(
      call,
      async (instance) => {
        const method = instance[call.method as keyof Instance] as (...args: unknown[]) => unknown;
        return method.apply(instance, [...call.args]);
      },
      reply,
    );
  }

  #run(
    call: Call | null,
    work: (instance: Instance) => Promise<unknown>,
    reply: (answer: Answer) => void,
  ): void {
    const generation = this.#generation;
    const lost = (error: unknown): void => reply({ ok: false, error });
    this.#waiting.add(lost);
    const finish = (answer: Answer): void => {
      // The object has ended since; `lost` has told it.
      if (generation !== this.#generation) return;
      this.#gate.push(() => {
        if (!this.#waiting.delete(lost)) return;
        reply(answer);
      });
      if (call !== null && answer.ok) this.#finished.push([call, answer.value]);
      // An alarm may not throw whatever happens: the platform gives one up that does (C45).
      const isExplained = !answer.ok && call !== null && isInjected(answer.error);
      if (!answer.ok && !isExplained) this.#world.threw(this, call, answer.error);
      else if (!answer.ok && call !== null) this.#world.broke(call, answer.error);
    };
    let promise: Promise<unknown>;
    try {
      promise = work(this.#alive());
    } catch (error) {
      promise = Promise.reject(error);
    }
    promise.then(
      (value) => finish({ ok: true, value }),
      (error: unknown) => finish({ ok: false, error }),
    );
  }

  #finished: [Call, unknown][] = [];

  /** The event is over: keep what it wrote and let out what it said, or end. */
  settle(): void {
    const call = this.#call;
    this.#call = null;
    this.storage.isSpared = false;
    const wrote = this.storage.hasWritten;
    if ((wrote || this.#gate.length > 0) && this.#world.fault("crashBeforeCommit")) {
      this.storage.rollback();
      this.#end("ends before its commit");
      return;
    }
    const rearmed = this.storage.commit();
    if (rearmed) {
      this.alarmIsRetry = false;
      this.#standAlarm();
    }
    if (wrote) this.#world.committed(this, call);
    const finished = this.#finished;
    this.#finished = [];
    for (const [done, answer] of finished) this.#world.done(this, done, answer);
    if (wrote && this.#world.fault("crashAfterCommit")) {
      this.#end("ends after its commit");
      return;
    }
    const gate = this.#gate;
    this.#gate = [];
    for (const send of gate) send();
    if (this.#waiting.size === 0 && !this.#alarmRuns && this.#world.fault("eviction"))
      this.#evict();
  }

  #evict(): void {
    this.#world.note(`${this.name} is evicted`);
    this.#generation += 1;
    this.#instance = null;
    this.#moveClock();
  }

  #moveClock(): void {
    if (this.#world.fault("clockJump")) this.#clockOffset = this.#drawOffset();
  }

  #end(how: string): void {
    this.#world.note(`${this.name} ${how}`);
    this.#generation += 1;
    this.#instance = null;
    this.#gate = [];
    this.#finished = [];
    this.#moveClock();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const error = new InjectedError("the object was reset", { retryable: true });
    for (const lose of waiting) lose(error);
    if (this.#alarmRuns) this.#alarmFailed(false);
  }

  /** The alarm that is on disk is the one that will fire. */
  #standAlarm(): void {
    this.#alarmVersion += 1;
    const version = this.#alarmVersion;
    const at = this.storage.alarmAt ?? 0;
    const late = this.#world.fault("alarmLate") ? this.#world.whole(1_000, 60_000) : 0;
    const wait = Math.max(0, at - this.#world.scheduler.now) + late;
    this.#world.scheduler.after(wait, () => this.#alarmDue(version));
  }

  #alarmDue(version: number): void {
    if (version !== this.#alarmVersion || this.storage.alarmAt === null) return;
    // One alarm handler at a time: the next waits for this one.
    if (this.#alarmRuns) return;
    this.storage.alarmAt = null;
    this.#fire();
  }

  #fire(): void {
    this.#alarmRuns = true;
    this.#world.note(`${this.name} alarm`);
    this.#world.touch(this);
    // Not under the constructor: an object that can't open its storage has no handler to fail.
    this.#alive();
    if (this.#world.fault("alarmThrows")) this.storage.failAfter = this.#world.whole(1, 30);
    this.#run(
      null,
      (instance) => (instance as unknown as { alarm(): Promise<void> }).alarm(),
      (answer) => {
        this.storage.failAfter = 0;
        if (!this.#alarmRuns) return;
        if (!answer.ok) return this.#alarmFailed(true);
        this.#alarmRuns = false;
        this.#alarmRetries = 0;
        if (this.storage.alarmAt !== null) this.#standAlarm();
        else if (this.#world.fault("alarmTwice")) this.#fireAgain();
      },
    );
  }

  #fireAgain(): void {
    this.storage.alarmAt = this.#world.scheduler.now;
    this.#standAlarm();
  }

  /** The platform fires it again, unless another was set; one that threw is given up in the end. */
  #alarmFailed(itThrew: boolean): void {
    this.#alarmRuns = false;
    this.storage.failAfter = 0;
    if (itThrew) this.#alarmRetries += 1;
    if (this.storage.alarmAt === null) {
      if (this.#alarmRetries > ALARM_RETRIES) {
        this.alarmIsAbandoned = true;
        return;
      }
      this.storage.alarmAt = this.#world.scheduler.now + 2000 * 2 ** this.#alarmRetries;
      this.alarmIsRetry = true;
    }
    this.#standAlarm();
  }
}

/** What one life of an object is given. */
export type Life = {
  readonly storage: ReturnType<ObjectStorage["handle"]>;
  readonly clock: Clock;
  /** Holds something back until what was written is on disk. */
  leave(send: () => void): void;
  /** Goes on after a wait, if this life still lasts. */
  resume(run: () => void): void;
};
