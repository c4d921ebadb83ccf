import { describe, expect, it } from "vitest";
import { ratePerSecond, RATE_SECONDS, recordAccepted } from "../../../src/domain/rate.ts";

const T = 1_790_000_000_000;
const long = T - 3_600_000;

describe("rate", () => {
  it("is what was accepted in the last ten seconds, a second", () => {
    let recent = "[]";
    for (let second = 0; second < 20; second += 1) {
      recent = recordAccepted(recent, T + second * 1000, 30);
    }
    expect(ratePerSecond(recent, T + 19_000, long)).toBe(30);
    expect(ratePerSecond(recent, T + 24_000, long)).toBe(15);
    expect(ratePerSecond(recent, T + 29_000, long)).toBe(0);
  });

  it("keeps ten buckets at the most, whatever is recorded", () => {
    let recent = "[]";
    for (let tenth = 0; tenth < 1000; tenth += 1) {
      recent = recordAccepted(recent, T + tenth * 100, 1);
    }
    const buckets = JSON.parse(recent) as [number, number][];
    expect(buckets).toHaveLength(RATE_SECONDS);
    expect(buckets.every(([, count]) => count === 10)).toBe(true);
  });

  it("a young campaign is measured over its own life, of a second at least", () => {
    const recent = recordAccepted("[]", T, 100);
    expect(ratePerSecond(recent, T, T)).toBe(100);
    expect(ratePerSecond(recent, T + 2000, T)).toBe(50);
    expect(ratePerSecond(recent, T + 4000, null)).toBe(10);
  });

  it("a clock that steps back adds to the newest second", () => {
    const recent = recordAccepted(recordAccepted("[]", T, 1), T - 5000, 2);
    expect(JSON.parse(recent)).toEqual([[T / 1000, 3]]);
    expect(ratePerSecond(recent, T - 5000, T + 1000)).toBe(3);
  });

  it("has one decimal place", () => {
    expect(ratePerSecond(recordAccepted("[]", T, 1), T, long)).toBe(0.1);
    expect(ratePerSecond(recordAccepted("[]", T, 1234), T, long)).toBe(123.4);
  });
});
