import { describe, expect, it } from "vitest";
import { instantOf } from "../../../src/domain/local-time.ts";

function read(local: string, zone: string): string {
  const result = instantOf(local, zone);
  return result.ok ? new Date(result.value).toISOString() : result.refusal.code;
}

describe("a local time", () => {
  it.each([
    ["2026-12-01T09:00", "Europe/Berlin", "2026-12-01T08:00:00.000Z"],
    ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"],
    ["2026-12-01T09:00:30", "UTC", "2026-12-01T09:00:30.000Z"],
    ["2027-01-01T00:00", "America/New_York", "2027-01-01T05:00:00.000Z"],
    ["2027-07-04T12:00", "America/New_York", "2027-07-04T16:00:00.000Z"],
    ["2026-12-01T09:00", "Asia/Kolkata", "2026-12-01T03:30:00.000Z"],
    ["2026-12-01T09:00", "Asia/Kathmandu", "2026-12-01T03:15:00.000Z"],
    ["2027-01-15T12:00", "Australia/Lord_Howe", "2027-01-15T01:00:00.000Z"],
    ["2027-07-15T12:00", "Australia/Lord_Howe", "2027-07-15T01:30:00.000Z"],
    ["2026-12-01T00:30", "Pacific/Kiritimati", "2026-11-30T10:30:00.000Z"],
    ["2028-02-29T00:00", "America/St_Johns", "2028-02-29T03:30:00.000Z"],
  ])("%s in %s is %s", (local, zone, instant) => {
    expect(read(local, zone)).toBe(instant);
  });

  it.each([
    // Europe: 02:00 becomes 03:00 on the last Sunday of March, and 03:00 becomes 02:00 in October.
    ["2027-03-28T01:59:59", "Europe/Berlin", "2027-03-28T00:59:59.000Z"],
    ["2027-03-28T02:00", "Europe/Berlin", "skipped"],
    ["2027-03-28T02:30", "Europe/Berlin", "skipped"],
    ["2027-03-28T02:59:59", "Europe/Berlin", "skipped"],
    ["2027-03-28T03:00", "Europe/Berlin", "2027-03-28T01:00:00.000Z"],
    ["2027-10-31T01:59:59", "Europe/Berlin", "2027-10-30T23:59:59.000Z"],
    ["2027-10-31T02:00", "Europe/Berlin", "doubled"],
    ["2027-10-31T02:30", "Europe/Berlin", "doubled"],
    ["2027-10-31T02:59:59", "Europe/Berlin", "doubled"],
    ["2027-10-31T03:00", "Europe/Berlin", "2027-10-31T02:00:00.000Z"],
    ["2027-03-14T02:30", "America/New_York", "skipped"],
    ["2027-11-07T01:30", "America/New_York", "doubled"],
    ["2027-11-07T02:00", "America/New_York", "2027-11-07T07:00:00.000Z"],
    // Half an hour: 02:00 becomes 01:30 in April, and 02:30 in October.
    ["2027-04-04T01:29:59", "Australia/Lord_Howe", "2027-04-03T14:29:59.000Z"],
    ["2027-04-04T01:45", "Australia/Lord_Howe", "doubled"],
    ["2027-04-04T02:00", "Australia/Lord_Howe", "2027-04-03T15:30:00.000Z"],
    ["2027-10-03T02:15", "Australia/Lord_Howe", "skipped"],
    ["2027-10-03T02:30", "Australia/Lord_Howe", "2027-10-02T15:30:00.000Z"],
    // A whole day that a place has skipped by moving over the date line.
    ["2011-12-30T12:00", "Pacific/Apia", "skipped"],
    ["2011-12-31T00:00", "Pacific/Apia", "2011-12-30T10:00:00.000Z"],
  ])("at a change of the clocks: %s in %s is %s", (local, zone, expected) => {
    expect(read(local, zone)).toBe(expected);
  });

  it("says what is wrong with an hour that is skipped or comes twice", () => {
    expect(instantOf("2027-03-28T02:30", "Europe/Berlin")).toMatchObject({
      refusal: {
        detail:
          "2027-03-28T02:30 does not exist: the clocks of Europe/Berlin are put forward by " +
          "60 minutes then; choose a time before or after",
      },
    });
    expect(instantOf("2027-10-31T02:30", "Europe/Berlin")).toMatchObject({
      refusal: {
        detail:
          "2027-10-31T02:30 comes twice: the clocks of Europe/Berlin are put back then; say which " +
          'by "at": 2027-10-31T02:30:00+02:00 or 2027-10-31T02:30:00+01:00',
      },
    });
    expect(instantOf("2027-11-07T01:30", "America/St_Johns")).toMatchObject({
      refusal: {
        detail: expect.stringContaining("2027-11-07T01:30:00-02:30 or 2027-11-07T01:30:00-03:30"),
      },
    });
  });

  it.each(["Mars/Olympus", "Berlin", "", "+01:00", "GMT+1:00", "Europe/Berlin ", "EST5"])(
    "knows no zone called %j",
    (zone) => {
      expect(read("2026-12-01T09:00", zone)).toBe("unknownZone");
    },
  );

  it.each([
    "2026-12-01",
    "2026-12-01 09:00",
    "2026-12-01T09",
    "2026-12-01T09:00Z",
    "2026-12-01T09:00+01:00",
    "2026-13-01T09:00",
    "2026-02-29T09:00",
    "2026-12-01T24:00",
    "2026-12-01T09:60",
    "2026-12-01T09:00:60",
    "tomorrow",
  ])("is not %s", (local) => {
    expect(read(local, "Europe/Berlin")).toBe("malformed");
  });
});
