/** RFC 3339 text on the outside, milliseconds since 1970 on the inside. */
import type { Instant } from "../domain/ids.ts";
import { MAX_TIME_CHARACTERS } from "../domain/limits.ts";
import { accept, refuse, type Result } from "../domain/result.ts";

export { timeText, timeTextOrNull } from "../domain/shown.ts";

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(.*)$/;
const OFFSET = /^(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const EXAMPLE = "2026-12-01T09:00:00+01:00";

/**
 * Reads `date-time` of RFC 3339 §5.6. The offset is required: a time without one would begin a
 * campaign hours early or late, depending on whose clock was meant (SPEC C80).
 *
 * @returns the instant, or a sentence that goes on after the name of the field
 */
export function parseTime(text: string): Result<Instant, string> {
  const parts = text.length > MAX_TIME_CHARACTERS ? null : DATE_TIME.exec(text);
  if (parts === null) return refuse(`has to be a time such as ${EXAMPLE}`);
  const offset = OFFSET.exec(parts[8] ?? "");
  if (offset === null) {
    const bare = (parts[8] ?? "") === "";
    return refuse(
      bare
        ? `has no offset; add one, as in ${text}Z for UTC or ${text}+01:00`
        : `has an offset that can't be read; write Z or one such as +01:00`,
    );
  }
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as Six;
  const local = utcMilliseconds(year, month, day, hour, minute, second);
  const shift = Number(offset[2] ?? 0) * 60 + Number(offset[3] ?? 0);
  if (local === null || Number(offset[2] ?? 0) > 23 || Number(offset[3] ?? 0) > 59) {
    return refuse(`is not a time that exists: ${text}`);
  }
  const fraction = Math.trunc(Number(`0.${parts[7] ?? "0"}`) * 1000);
  return accept(local + fraction - (offset[1] === "-" ? -shift : shift) * 60_000);
}

type Six = [number, number, number, number, number, number];

/** Null for a date or time that no calendar has. Leap seconds are not told apart from nonsense. */
function utcMilliseconds(...[year, month, day, hour, minute, second]: Six): number | null {
  if (hour > 23 || minute > 59 || second > 59) return null;
  const date = new Date(0);
  // `Date.UTC` would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.setUTCHours(hour, minute, second, 0);
}
