/** The body of `POST …/start`. */
import * as z from "zod";
import { isObject } from "../../domain/is-object.ts";
import type { Instant } from "../../domain/ids.ts";
import {
  MAX_START_DELAY_SECONDS,
  MAX_START_PAST_SECONDS,
  MAX_TIME_CHARACTERS,
} from "../../domain/limits.ts";
import { instantOf } from "../../domain/local-time.ts";
import { invalidFields, type Refused } from "../problem.ts";
import { parseTime } from "../time.ts";
import { check } from "./check.ts";
import { line } from "./field.ts";

const time = z
  .string()
  .transform((text, context) => {
    const parsed = parseTime(text);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.refusal });
    return z.NEVER;
  })
  .meta({
    format: "date-time",
    maxLength: MAX_TIME_CHARACTERS,
    description: "RFC 3339 with an offset, at most a year ahead. Left out: at once.",
  });

const clock = {
  local: line(MAX_TIME_CHARACTERS).describe("A time on the clocks of a place, without an offset."),
  zone: line(MAX_TIME_CHARACTERS).describe("The place, as the IANA time zone database has it."),
};

export const start = z
  .strictObject({
    at: time.optional(),
    local: clock.local.optional(),
    zone: clock.zone.optional(),
  })
  .meta({
    dependentRequired: { local: ["zone"], zone: ["local"] },
    not: { required: ["at", "local"] },
  });
/** The same where the two stand inside `at`. */
export const startAtLocal = z.strictObject({ at: z.strictObject(clock) });

/**
 * When to begin; null: at once. `at` has an offset; `local` and `zone` are a time on the clocks of a
 * place, beside or inside of it. A time that has passed is more likely a slip than a wish.
 */
export function parseStart(body: unknown, now: Instant): Instant | null {
  if (isObject(body) && isObject(body.at)) {
    const { local, zone } = check(startAtLocal, body).at;
    return checked(localInstant(local, zone, "at."), "at.local", now);
  }
  const { at, local, zone } = check(start, body);
  if (local === undefined && zone === undefined) return checked(at ?? null, "at", now);
  if (at !== undefined) throw fault("at", "can't stand beside local and zone");
  if (local === undefined) throw fault("local", "is required beside zone");
  if (zone === undefined) throw fault("zone", "is required beside local");
  return checked(localInstant(local, zone, ""), "local", now);
}

function localInstant(local: string, zone: string, inside: string): Instant {
  const read = instantOf(local, zone);
  if (read.ok) return read.value;
  const { code, detail } = read.refusal;
  throw fault(`${inside}${code === "unknownZone" ? "zone" : "local"}`, detail);
}

function checked(at: Instant | null, path: string, now: Instant): Instant | null {
  if (at === null) return null;
  if (at < now - MAX_START_PAST_SECONDS * 1000) {
    throw fault(path, "has passed; leave it out to begin at once");
  }
  if (at > now + MAX_START_DELAY_SECONDS * 1000) throw fault(path, "is more than a year ahead");
  return at;
}

function fault(path: string, detail: string): Refused {
  return invalidFields([{ path, detail }]);
}
