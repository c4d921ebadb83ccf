import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMilliseconds } from "../../../src/domain/backoff.ts";
import { BACKOFF_MOST_SECONDS, RETRY_AFTER_MOST_SECONDS } from "../../../src/domain/limits.ts";

const SEED = 20_261_129;
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("backoff", () => {
  it.each([
    [1, 1000, 2000],
    [2, 3000, 6000],
    [3, 9000, 18_000],
    [4, 27_000, 54_000],
    [5, 81_000, 162_000],
    [6, 243_000, 486_000],
    [7, 300_000, 600_000],
    [100, 300_000, 600_000],
  ])("after %d failures: between %d and %d milliseconds", (failures, least, most) => {
    expect(backoffMilliseconds(failures, null, 0)).toBe(least);
    expect(backoffMilliseconds(failures, null, 1 - Number.EPSILON)).toBeLessThanOrEqual(most);
    expect(backoffMilliseconds(failures, null, 0.5)).toBe((least + most) / 2);
  });

  it("is whole milliseconds, never above ten minutes, and half of it is certain", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), chance, (failures, drawn) => {
        const wait = backoffMilliseconds(failures, null, drawn);
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeLessThanOrEqual(BACKOFF_MOST_SECONDS * 1000);
        expect(wait).toBeGreaterThanOrEqual(backoffMilliseconds(failures, null, 0));
      }),
      { seed: SEED },
    );
  });

  it("retry-after wins, shorter or longer, without jitter", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: RETRY_AFTER_MOST_SECONDS, noNaN: true }),
        chance,
        (failures, seconds, drawn) => {
          const wait = backoffMilliseconds(failures, seconds, drawn);
          expect(wait).toBe(Math.ceil(seconds * 1000));
        },
      ),
      { seed: SEED },
    );
  });

  it("a retry-after of more than a day is a day, and a negative one is now", () => {
    expect(backoffMilliseconds(1, 1e9, 0)).toBe(RETRY_AFTER_MOST_SECONDS * 1000);
    expect(backoffMilliseconds(1, -5, 0)).toBe(0);
  });

  it.each([
    [0, 0],
    [1, 1],
    [1, -0.1],
    [1, Number.NaN],
  ])("stops at %d failures with the chance %d", (failures, drawn) => {
    expect(() => backoffMilliseconds(failures, null, drawn)).toThrow("invariant broken");
  });
});
