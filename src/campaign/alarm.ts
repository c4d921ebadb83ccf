/**
 * The object's one alarm, kept at the earliest of all deadlines.
 *
 * Setting an alarm is a row written, so it is set only when it has to come earlier than the one that
 * stands. One that comes too early finds nothing to do and arms the right one. What stands is
 * remembered in memory only: a fresh object sets its alarm anew at the first call, from the tables.
 */
import type { Clock } from "../domain/clock.ts";
import type { Instant } from "../domain/ids.ts";
import { OVERDUE_SECONDS } from "../domain/limits.ts";

export type AlarmStorage = {
  setAlarm(at: number): Promise<void>;
  getAlarm(): Promise<number | null>;
};

/**
 * Whether the alarm has to be set: there is none, it comes too late, or it is so long overdue that it
 * is dead (cloudflare-docs#18324 shows ones that never fired).
 */
export function mustSet(deadline: Instant, standing: Instant | null, now: Instant): boolean {
  return standing === null || deadline < standing || now - standing > OVERDUE_SECONDS * 1000;
}

export class Alarm {
  readonly #storage: AlarmStorage;
  #standing: Instant | null = null;
  /** How late the last one rang. */
  #late = 0;

  constructor(storage: AlarmStorage) {
    this.#storage = storage;
  }

  /** What is really set, whatever is remembered; in the platform's time. */
  stored(): Promise<number | null> {
    return this.#storage.getAlarm();
  }

  /**
   * The alarm that stood has been used up.
   * @returns milliseconds by which it came too late; 0 also where a fresh object can't tell
   */
  fired(now: Instant): number {
    this.#late = this.#overdue(now);
    this.#standing = null;
    return this.#late;
  }

  /** Milliseconds by which the alarm is late that should have rung, or else the last one was. */
  late(now: Instant): number {
    return Math.max(this.#late, this.#overdue(now));
  }

  #overdue(now: Instant): number {
    return this.#standing === null ? 0 : Math.max(now - this.#standing, 0);
  }

  /** Sets the alarm for `deadline` where the one that stands would come too late; null: nothing. */
  arm(deadline: Instant | null, now: Instant, clock: Clock): void {
    if (deadline === null || !mustSet(deadline, this.#standing, now)) return;
    // An alarm set to this very moment from inside a handler was lost once (workerd#6866).
    const at = Math.max(deadline, now + 1);
    this.#standing = at;
    // Not awaited: it joins the implicit transaction of the rows, and the output gate holds the
    // answer until both are on disk.
    void this.#storage.setAlarm(clock.alarmTime(at));
  }
}
