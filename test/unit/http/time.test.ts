import { describe, expect, it } from "vitest";
import { parseTime, timeText } from "../../../src/http/time.ts";

describe("parseTime", () => {
  it.each([
    ["2026-12-01T09:00:00+01:00", "2026-12-01T08:00:00.000Z"],
    ["2026-12-01T09:00:00Z", "2026-12-01T09:00:00.000Z"],
    ["2026-12-01t09:00:00z", "2026-12-01T09:00:00.000Z"],
    ["2026-12-01 09:00:00Z", "2026-12-01T09:00:00.000Z"],
    ["2026-12-01T09:00:00-00:00", "2026-12-01T09:00:00.000Z"],
    ["2026-12-01T09:00:00.25-03:30", "2026-12-01T12:30:00.250Z"],
    ["2026-12-01T09:00:00.123456789Z", "2026-12-01T09:00:00.123Z"],
    ["2024-02-29T23:59:59+14:00", "2024-02-29T09:59:59.000Z"],
    ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"],
    ["0050-01-01T00:00:00Z", "0050-01-01T00:00:00.000Z"],
  ])("%s is %s", (written, utc) => {
    const parsed = parseTime(written);
    expect(parsed.ok && timeText(parsed.value)).toBe(utc);
  });

  it.each([
    "2026-02-29T09:00:00Z",
    "2026-04-31T09:00:00Z",
    "2026-13-01T09:00:00Z",
    "2026-00-01T09:00:00Z",
    "2026-12-00T09:00:00Z",
    "2026-12-01T24:00:00Z",
    "2026-12-01T09:60:00Z",
    "2026-12-01T09:00:60Z",
    "2026-12-01T09:00:00+24:00",
    "2026-12-01T09:00:00+01:60",
  ])("%s does not exist", (written) => {
    const parsed = parseTime(written);
    expect(!parsed.ok && parsed.refusal).toBe(`is not a time that exists: ${written}`);
  });

  it.each(["", "tomorrow", "2026-12-01", "1796112000", "2026-12-01T09:00Z", "1.12.2026 09:00"])(
    "%j is no time",
    (written) => {
      const parsed = parseTime(written);
      expect(!parsed.ok && parsed.refusal).toContain("has to be a time such as");
    },
  );

  it("C80: a time without an offset says what to add", () => {
    const parsed = parseTime("2026-12-01T10:00:00");
    expect(!parsed.ok && parsed.refusal).toBe(
      "has no offset; add one, as in 2026-12-01T10:00:00Z for UTC or 2026-12-01T10:00:00+01:00",
    );
  });

  it.each(["2026-12-01T10:00:00+01", "2026-12-01T10:00:00 CET", "2026-12-01T10:00:00+0100"])(
    "%s has an offset in another form",
    (written) => {
      const parsed = parseTime(written);
      expect(!parsed.ok && parsed.refusal).toContain("offset that can't be read");
    },
  );
});
