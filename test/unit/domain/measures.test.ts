/** What is measured of attempts, and that a later release can read what an earlier one wrote. */
import { describe, expect, it } from "vitest";
import {
  LATENCY_BUCKETS_SECONDS,
  measured,
  NOTHING_MEASURED,
  readMeasures,
} from "../../../src/domain/measures.ts";

const NOW = 1_790_000_000_000;

describe("measures", () => {
  it("count attempts by outcome, and expiries apart", () => {
    let all = measured(NOTHING_MEASURED, "answered", 100, NOW);
    all = measured(all, "unknown", null, NOW);
    all = measured(all, "expired", null, NOW);
    all = measured(all, "answered", 100, NOW);
    expect(all.attempts).toEqual({ answered: 2, rejected: 0, deferred: 0, unknown: 1 });
    expect(all.leaseExpiries).toBe(1);
  });

  it.each([
    [0, 0],
    [50, 0],
    [51, 1],
    [30_000, LATENCY_BUCKETS_SECONDS.length - 1],
    [30_001, LATENCY_BUCKETS_SECONDS.length],
  ])("%d ms fall into bucket %d: a bound is part of its own", (milliseconds, bucket) => {
    const { counts, seconds } = measured(NOTHING_MEASURED, "answered", milliseconds, NOW).latency;
    expect(counts.indexOf(1)).toBe(bucket);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(seconds).toBe(milliseconds / 1000);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "7" as unknown as number])(
    "take no time of %s, which another Worker may say",
    (milliseconds) => {
      const { latency, attempts } = measured(NOTHING_MEASURED, "answered", milliseconds, NOW);
      expect(latency).toEqual(NOTHING_MEASURED.latency);
      expect(attempts.answered).toBe(1);
    },
  );

  it("know since when the provider fails: an expired lease is not its doing", () => {
    let all = measured(NOTHING_MEASURED, "deferred", 10, NOW);
    all = measured(all, "unknown", 10, NOW + 1000);
    all = measured(all, "expired", null, NOW + 2000);
    expect(all.failing).toEqual({ attempts: 2, since: NOW });
    expect(measured(all, "rejected", 10, NOW + 3000).failing).toBeNull();
    expect(measured(all, "answered", 10, NOW + 3000).failing).toBeNull();
  });

  it("come back from the row as they went in", () => {
    const all = measured(measured(NOTHING_MEASURED, "answered", 70, NOW), "unknown", 3, NOW);
    expect(readMeasures(JSON.stringify(all))).toEqual(all);
  });

  it("of a ledger that has measured nothing, or with other buckets, begin at zero", () => {
    expect(readMeasures("{}")).toEqual(NOTHING_MEASURED);
    const old = { leaseExpiries: 4, latency: { counts: [1, 2], seconds: 3 } };
    expect(readMeasures(JSON.stringify(old))).toEqual({ ...NOTHING_MEASURED, leaseExpiries: 4 });
  });
});
