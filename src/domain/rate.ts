/**
 * Accepted mails of the last ten seconds, kept as a short list of [second, count] in the row of
 * counters that is written anyway, so that the rate survives an eviction and costs no row.
 */
import type { Instant } from "./ids.ts";

export const RATE_SECONDS = 10;

type Bucket = readonly [second: number, count: number];

function live(recent: string, now: Instant): Bucket[] {
  const second = Math.floor(now / 1000);
  return (JSON.parse(recent) as Bucket[]).filter(([at]) => at > second - RATE_SECONDS);
}

/** Adds `count` at `now` and forgets what is older than ten seconds. */
export function recordAccepted(recent: string, now: Instant, count: number): string {
  const second = Math.floor(now / 1000);
  const buckets = live(recent, now);
  const last = buckets.at(-1);
  if (last !== undefined && last[0] >= second)
    buckets[buckets.length - 1] = [last[0], last[1] + count];
  else buckets.push([second, count]);
  return JSON.stringify(buckets);
}

/** Accepted mails a second over the last ten, or over the campaign's own life where it is shorter. */
export function ratePerSecond(recent: string, now: Instant, startedAt: Instant | null): number {
  const accepted = live(recent, now).reduce((sum, [, count]) => sum + count, 0);
  const lived = startedAt === null ? RATE_SECONDS : (now - startedAt) / 1000;
  const seconds = Math.min(RATE_SECONDS, Math.max(1, lived));
  return Math.round((accepted / seconds) * 10) / 10;
}
