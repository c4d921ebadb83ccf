/** How long to wait before the same request is made again. Pure: the chance is an argument. */
import {
  BACKOFF_FACTOR,
  BACKOFF_FIRST_SECONDS,
  BACKOFF_MOST_SECONDS,
  RETRY_AFTER_MOST_SECONDS,
} from "./limits.ts";
import { assert } from "./result.ts";

/**
 * Exponential, capped at ten minutes, with "equal jitter": half of the wait is certain, half is
 * drawn, so that batches which failed together don't come back together.
 *
 * @param failures attempts that ended without an answer, from 1
 * @param retryAfterSeconds what the provider asked for; it wins over our own figure (RFC 9110
 *   §10.2.3), up to a day
 * @param chance a number in [0, 1)
 * @returns whole milliseconds
 */
export function backoffMilliseconds(
  failures: number,
  retryAfterSeconds: number | null,
  chance: number,
): number {
  assert(
    failures >= 1 && chance >= 0 && chance < 1,
    "backoff of at least one failure, chance in [0,1)",
  );
  if (retryAfterSeconds !== null) {
    return Math.ceil(Math.min(Math.max(retryAfterSeconds, 0), RETRY_AFTER_MOST_SECONDS) * 1000);
  }
  const exponential = BACKOFF_FIRST_SECONDS * BACKOFF_FACTOR ** (failures - 1);
  const capped = Math.min(exponential, BACKOFF_MOST_SECONDS);
  return Math.ceil(capped * (0.5 + chance / 2) * 1000);
}
