import { describe, expect, it } from "vitest";
import { positiveNumber, retentionDaysOf, windowSecondsOf } from "../../../src/domain/vars.ts";

describe("vars", () => {
  it("takes a number above 0", () => {
    expect(positiveNumber("LIMIT", "10")).toBe(10);
    expect(positiveNumber("LIMIT", "0.5")).toBe(0.5);
  });

  it.each(["", "ten", "0", "-1", "Infinity", "1,000"])("stops at %j and names the var", (text) => {
    expect(() => positiveNumber("LIMIT", text)).toThrow(/LIMIT .* above 0/);
  });
});

describe("RETENTION_DAYS", () => {
  it.each([
    [undefined, 0],
    ["", 0],
    ["0", 0],
    ["30", 30],
  ])("%j is %d", (text, days) => {
    expect(retentionDaysOf(text)).toBe(days);
  });

  it.each(["-1", "1.5", "1e3", "ten", " 30", "999999"])("%j is refused by name", (text) => {
    expect(() => retentionDaysOf(text)).toThrow("RETENTION_DAYS");
  });
});

describe("IDEMPOTENCY_WINDOW_SECONDS", () => {
  it.each([
    [undefined, 72_000],
    ["", 72_000],
    ["0", 0],
    ["86400", 86_400],
  ])("%j is %d", (text, seconds) => {
    expect(windowSecondsOf(text)).toBe(seconds);
  });

  it.each(["-1", "72,000", "20h", "86401", "720000", "1e3", "NaN"])(
    "%j is refused by name",
    (text) => {
      expect(() => windowSecondsOf(text)).toThrow("IDEMPOTENCY_WINDOW_SECONDS");
    },
  );
});
