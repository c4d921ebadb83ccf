/** When a server wants to be asked again: the provider, or this API. Pure: the time is an argument. */
import type { Instant } from "./ids.ts";
import { RETRY_AFTER_MOST_SECONDS } from "./limits.ts";

/** By lowercased name, as fetch gives them. */
export type AnswerHeaders = Readonly<Record<string, string>>;

const SECONDS = /^\d{1,15}$/u;
/** IMF-fixdate and the obsolete RFC 850 form: both end in GMT. */
const DATE_WITH_ZONE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/u;
/** The form of C's asctime: it has no zone and means GMT. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/u;

/**
 * `Retry-After`: whole seconds, or an HTTP-date in any of its three forms (RFC 9110 §10.2.3 and
 * §5.6.7). A date is one of the server's clock, which the answer's own `Date` tells where it is there.
 *
 * @param now by the clock of this machine
 * @returns whole seconds, 0 for a date that is over, a day at the most; null where the header is
 *   missing or is neither
 */
export function retryAfterSeconds(headers: AnswerHeaders, now: Instant): number | null {
  const value = headers["retry-after"]?.trim();
  if (value === undefined) return null;
  if (SECONDS.test(value)) return capped(Number(value));
  const date = httpDate(value);
  if (date === null) return null;
  const from = httpDate(headers.date?.trim() ?? "") ?? now;
  return capped(Math.ceil((date - from) / 1000));
}

/**
 * `RateLimit-Reset`: whole seconds until the limit has room again
 * (draft-ietf-httpapi-ratelimit-headers-06 §3; Resend, "Rate Limit").
 */
export function rateResetSeconds(headers: AnswerHeaders): number | null {
  const value = headers["ratelimit-reset"]?.trim();
  return value !== undefined && SECONDS.test(value) ? capped(Number(value)) : null;
}

function httpDate(value: string): Instant | null {
  const zoned = ASCTIME.test(value) ? `${value} GMT` : value;
  const date = DATE_WITH_ZONE.test(value) || zoned !== value ? Date.parse(zoned) : Number.NaN;
  return Number.isNaN(date) ? null : date;
}

function capped(seconds: number): number {
  return Math.min(Math.max(seconds, 0), RETRY_AFTER_MOST_SECONDS);
}
