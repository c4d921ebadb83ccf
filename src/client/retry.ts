/** When a call or a connection is tried again. Pure: time and chance are arguments. */
import {
  CLIENT_RETRY_FIRST_MILLISECONDS,
  CLIENT_RETRY_MOST_MILLISECONDS,
  CLIENT_WAIT_MOST_SECONDS,
} from "../domain/limits.ts";
import { SendonceProblem, SendonceUnreachable, type SendonceError } from "./problem.ts";

/** Milliseconds until the next try: up to twice as long after each, and no two clients alike. */
export function retryDelay(failures: number, chance: number): number {
  const most = CLIENT_RETRY_FIRST_MILLISECONDS * 2 ** failures;
  return Math.round(Math.min(CLIENT_RETRY_MOST_MILLISECONDS, most) * (0.5 + chance / 2));
}

/** What may be gone by itself: the network's faults, and a server that asks for patience. */
function isPassing(error: unknown): error is SendonceError {
  if (error instanceof SendonceProblem) return error.status === 429 || error.status === 503;
  if (!(error instanceof SendonceUnreachable)) return false;
  const { reason, status } = error;
  return reason !== "unreadable" || status === 429 || (status !== null && status >= 500);
}

/**
 * Whether a call that may be repeated is, and when.
 * @param failures how many tries have failed before this one
 * @returns milliseconds to wait; null: the error is the caller's
 */
export function waitBeforeRepeat(error: unknown, failures: number, chance: number): number | null {
  if (!isPassing(error)) return null;
  const asked = error.retryAfterSeconds ?? 0;
  if (asked > CLIENT_WAIT_MOST_SECONDS) return null;
  return Math.max(asked * 1000, retryDelay(failures, chance));
}
