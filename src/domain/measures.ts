/**
 * What a campaign's ledger measures beside its numbers: attempts by outcome, how long the provider
 * took, and since when it has not answered. Kept as JSON in the row of counters, which is written with
 * most of these anyway; an expired lease or an unanswered call costs that one row more. None of it
 * decides anything, and a measure may begin at zero again, as Prometheus' counters may.
 */
import type { Instant } from "./ids.ts";
import type { AttemptOutcome } from "./outcome.ts";

/** Upper bounds of the buckets; the last call that is waited for takes 30 s. */
export const LATENCY_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30] as const;

/** Calls by how long they took: `counts[i]` up to the bound `i`, and the last one above all bounds. */
export type Latency = { readonly counts: readonly number[]; readonly seconds: number };

export type Measures = {
  /** Attempts that were reported. One that expired first and was reported later counts in both. */
  readonly attempts: Readonly<Record<AttemptOutcome["kind"], number>>;
  readonly leaseExpiries: number;
  readonly latency: Latency;
  /** Attempts in a row that the provider did not answer for; null: the last one it did. */
  readonly failing: { readonly attempts: number; readonly since: Instant } | null;
};

const NO_LATENCY: Latency = {
  counts: Array.from({ length: LATENCY_BUCKETS_SECONDS.length + 1 }, () => 0),
  seconds: 0,
};

export const NOTHING_MEASURED: Measures = {
  attempts: { answered: 0, rejected: 0, deferred: 0, unknown: 0 },
  leaseExpiries: 0,
  latency: NO_LATENCY,
  failing: null,
};

/** Reads what an earlier release may have written: what it lacks is zero. */
export function readMeasures(text: string): Measures {
  const read = JSON.parse(text) as Partial<Measures>;
  const isSame = read.latency?.counts.length === NO_LATENCY.counts.length;
  return {
    attempts: { ...NOTHING_MEASURED.attempts, ...read.attempts },
    leaseExpiries: read.leaseExpiries ?? 0,
    // Other buckets can't be carried over.
    latency: isSame ? (read.latency ?? NO_LATENCY) : NO_LATENCY,
    failing: read.failing ?? null,
  };
}

/**
 * @param outcome of one attempt, `expired` where its lease ran out without a report
 * @param callMilliseconds how long the provider's call took; null: none was made, or nobody says
 */
export function measured(
  before: Measures,
  outcome: AttemptOutcome["kind"] | "expired",
  callMilliseconds: number | null,
  now: Instant,
): Measures {
  const isExpired = outcome === "expired";
  const { attempts, leaseExpiries, latency, failing } = before;
  return {
    attempts: isExpired ? attempts : { ...attempts, [outcome]: attempts[outcome] + 1 },
    leaseExpiries: leaseExpiries + (isExpired ? 1 : 0),
    latency: withCall(latency, callMilliseconds),
    failing: failingAfter(failing, outcome, now),
  };
}

/** An expired lease is its consumer's, and a rejection an answer. */
function failingAfter(
  before: Measures["failing"],
  outcome: AttemptOutcome["kind"] | "expired",
  now: Instant,
): Measures["failing"] {
  switch (outcome) {
    case "answered":
    case "rejected":
      return null;
    case "deferred":
    case "unknown":
      return { attempts: (before?.attempts ?? 0) + 1, since: before?.since ?? now };
    case "expired":
      return before;
  }
}

/** What another Worker says of its call may be anything; only what can be a time is taken. */
function withCall(before: Latency, callMilliseconds: number | null): Latency {
  if (!Number.isFinite(callMilliseconds) || (callMilliseconds ?? -1) < 0) return before;
  const { counts, seconds } = before;
  const took = (callMilliseconds ?? 0) / 1000;
  const found = LATENCY_BUCKETS_SECONDS.findIndex((bound) => took <= bound);
  const bucket = found === -1 ? LATENCY_BUCKETS_SECONDS.length : found;
  return {
    counts: counts.map((count, at) => (at === bucket ? count + 1 : count)),
    // Whole microseconds: a sum of fractions would grow digits without end.
    seconds: Math.round((seconds + took) * 1e6) / 1e6,
  };
}
