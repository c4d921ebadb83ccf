/** Numbers and times as people read them. Pure: the clock and the time zone are arguments. */

const COUNT = new Intl.NumberFormat("en");
const RATE = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** 12480 → 12,480 */
export function count(number: number): string {
  return COUNT.format(number);
}

/** `1 recipient`, `12,480 recipients` */
export function counted(number: number, one: string, many: string = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export function rate(perSecond: number): string {
  return RATE.format(perSecond);
}

/**
 * A share as a percentage that never says more than is true: 100 % stands for all and 0 % for
 * nobody, everything between is between.
 */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  if (part === whole) return "100 %";
  const share = (part / whole) * 100;
  if (share < 0.1) return "< 0.1 %";
  if (share > 99.9) return "> 99.9 %";
  return `${share < 10 || share > 99 ? share.toFixed(1) : share.toFixed(0)} %`;
}

/** @param zone an IANA time zone; undefined: the reader's own */
export function clockTime(at: string | number, zone?: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(new Date(at));
}

/** `29 Nov 2026, 10:32:05` */
export function dateTime(at: string | number, zone?: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(new Date(at));
}

/** `Sunday, 29 November 2026, 10:32` */
export function dayAndTime(at: string | number, zone?: string): string {
  const options = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
  const place = zone === undefined ? {} : { timeZone: zone };
  const date = new Intl.DateTimeFormat("en-GB", { ...options, ...place }).format(new Date(at));
  const day = date.replace(/^(\w+) /, "$1, ");
  return `${day}, ${clockTime(at, zone).slice(0, 5)}`;
}

/** The time where it is within the day, the date as well where it is not. */
export function shortTime(at: string | number, now: number, zone?: string): string {
  const near = Math.abs(new Date(at).getTime() - now) < 20 * 3_600_000;
  return near ? clockTime(at, zone) : dateTime(at, zone);
}

/** `4 s`, `2 min 5 s`, `3 h 20 min`, `2 days 4 h`: the two largest units. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return two(hours, "h", minutes % 60, "min");
  return two(Math.floor(hours / 24), "days", hours % 24, "h");
}

function two(first: number, unit: string, second: number, smaller: string): string {
  return second === 0 ? `${first} ${unit}` : `${first} ${unit} ${second} ${smaller}`;
}
