/** Numbers that a deployment gives as text. One that is none stops the part that needs it, by name. */
import { MAX_WINDOW_SECONDS } from "./limits.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

export function positiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`the var ${name} is ${JSON.stringify(text)} and has to be a number above 0`);
}

/** RETENTION_DAYS: whole days, 0 or nothing to keep all. A mistyped one must not erase anything. */
export function retentionDaysOf(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  const given = JSON.stringify(text);
  throw new Error(`the var RETENTION_DAYS is ${given} and has to be whole days, or 0 to keep all`);
}

/**
 * IDEMPOTENCY_WINDOW_SECONDS: whole seconds, and nothing for the usual window. One that is no number
 * would be found by the first reservation of a campaign that has started.
 */
export function windowSecondsOf(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_SETTINGS.idempotencyWindowSeconds;
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_WINDOW_SECONDS) return Number(text);
  const given = JSON.stringify(text);
  throw new Error(
    `the var IDEMPOTENCY_WINDOW_SECONDS is ${given} and has to be whole seconds from 0 to ${MAX_WINDOW_SECONDS}`,
  );
}
