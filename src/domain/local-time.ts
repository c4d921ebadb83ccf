/**
 * From a time on the clock of a place to the instant it means, where it means exactly one. The rules
 * of the places are those of the runtime (the IANA time zone database behind `Intl`).
 */
import type { Instant } from "./ids.ts";
import { accept, refuse, type Result } from "./result.ts";

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?$/;
const MINUTE = 60_000;
/** No clock is changed twice within so long, and none by so much. */
const A_DAY = 24 * 60 * MINUTE;

export type LocalTimeRefusal = {
  readonly code: "malformed" | "unknownZone" | "skipped" | "doubled";
  /** Goes on after the name of the field. */
  readonly detail: string;
};

/**
 * @param local `2026-12-01T09:00`, or with seconds; without an offset
 * @param zone a name of the IANA time zone database, such as `Europe/Berlin`
 * @returns the instant; refuses the hour that a clock change skips, and the one it has twice
 */
export function instantOf(local: string, zone: string): Result<Instant, LocalTimeRefusal> {
  const asUtc = wallClock(local);
  if (asUtc === null) {
    const detail = "has to be a local time such as 2026-12-01T09:00, without an offset";
    return refuse({ code: "malformed", detail });
  }
  const clock = clockOf(zone);
  if (clock === null) {
    const detail = "has to be the name of a time zone, such as Europe/Berlin";
    return refuse({ code: "unknownZone", detail });
  }
  // The offset before and after the only change that can be near; they are mostly the same.
  const offsets = new Set([offsetAt(clock, asUtc - A_DAY), offsetAt(clock, asUtc + A_DAY)]);
  const fits = [...offsets].filter((offset) => offsetAt(clock, asUtc - offset) === offset);
  const [only] = fits;
  if (only === undefined) return refuse(skipped(local, zone, [...offsets]));
  if (fits.length > 1) return refuse(doubled(local, zone, fits));
  return accept(asUtc - only);
}

/** The same digits as if they were of UTC; null where no calendar has them. */
function wallClock(local: string): number | null {
  const digits = LOCAL.exec(local)?.slice(1).map(Number);
  if (digits === undefined) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits;
  if (hour > 23 || minute > 59 || !(second <= 59 || Number.isNaN(second))) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.setUTCHours(hour, minute, Number.isNaN(second) ? 0 : second);
}

function clockOf(zone: string): Intl.DateTimeFormat | null {
  // Newer runtimes take an offset for a zone; that is what `at` is for.
  if (!/^[A-Za-z]/.test(zone)) return null;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null;
  }
}

/** How many milliseconds this clock is ahead of UTC. */
function offsetAt(clock: Intl.DateTimeFormat, instant: Instant): number {
  const parts = new Map(clock.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const date = new Date(0);
  date.setUTCFullYear(part("year"), part("month") - 1, part("day"));
  const shown = date.setUTCHours(part("hour"), part("minute"), part("second"));
  return shown - Math.floor(instant / 1000) * 1000;
}

function skipped(local: string, zone: string, offsets: readonly number[]): LocalTimeRefusal {
  const minutes = (Math.max(...offsets) - Math.min(...offsets)) / MINUTE;
  const change = `the clocks of ${zone} are put forward by ${minutes} minutes then`;
  const detail = `does not exist: ${change}; choose a time before or after`;
  return { code: "skipped", detail: `${local} ${detail}` };
}

function doubled(local: string, zone: string, offsets: readonly number[]): LocalTimeRefusal {
  const full = local.length === "2026-12-01T09:00".length ? `${local}:00` : local;
  // The greater offset is the earlier instant.
  const both = offsets.toSorted((a, b) => b - a).map((offset) => `${full}${offsetText(offset)}`);
  const detail = `comes twice: the clocks of ${zone} are put back then; say which by "at":`;
  return { code: "doubled", detail: `${local} ${detail} ${both.join(" or ")}` };
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE;
  return `${offset < 0 ? "-" : "+"}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return String(Math.floor(number)).padStart(2, "0");
}
