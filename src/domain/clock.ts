/** Where time comes from. Only objects and edges hold a clock; everything below gets `now`. */
import type { Instant } from "./ids.ts";

export interface Clock {
  now(): Instant;
  /** The platform's alarm time for an instant of this clock: the same, unless a test says so. */
  alarmTime(instant: Instant): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  alarmTime: (instant) => instant,
};
