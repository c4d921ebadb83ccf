import { describe, expect, it } from "vitest";
import * as format from "../../../src/dashboard/text/format.ts";

const AT = "2026-11-29T09:32:05.000Z";

describe("numbers", () => {
  it("are grouped, and counted with the right word", () => {
    expect(format.count(12480)).toBe("12,480");
    expect(format.counted(1, "recipient")).toBe("1 recipient");
    expect(format.counted(0, "recipient")).toBe("0 recipients");
    expect(format.counted(2, "dead letter")).toBe("2 dead letters");
    expect(format.rate(940.54)).toBe("940.5");
  });

  it.each([
    [0, 0, "0 %"],
    [0, 100, "0 %"],
    [100, 100, "100 %"],
    [1, 12_480, "< 0.1 %"],
    [12_479, 12_480, "> 99.9 %"],
    [995, 1000, "99.5 %"],
    [38, 1000, "3.8 %"],
    [1, 3, "33 %"],
  ])("%d of %d is %s: nothing is all or none but that", (part, whole, text) => {
    expect(format.percent(part, whole)).toBe(text);
  });
});

describe("times", () => {
  it("are of the zone they are asked for in", () => {
    expect(format.clockTime(AT, "UTC")).toBe("09:32:05");
    expect(format.clockTime(AT, "Europe/Berlin")).toBe("10:32:05");
    expect(format.dateTime(AT, "Europe/Berlin")).toBe("29 Nov 2026, 10:32:05");
  });

  it("have their date where they are a day off", () => {
    const now = Date.parse(AT);
    expect(format.shortTime(now + 60_000, now, "UTC")).toBe("09:33:05");
    expect(format.shortTime(now + 86_400_000, now, "UTC")).toBe("30 Nov 2026, 09:32:05");
  });

  it.each([
    [-5, "0 s"],
    [4_400, "4 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [12_000_000, "3 h 20 min"],
    [200_000_000, "2 days 7 h"],
  ])("%d ms last %s", (milliseconds, text) => {
    expect(format.duration(milliseconds)).toBe(text);
  });

  it("name the day of the week where somebody chooses one", () => {
    expect(format.dayAndTime("2026-12-01T08:00:00Z", "Europe/Berlin")).toBe(
      "Tuesday, 1 December 2026, 09:00",
    );
  });
});
