/** The body of `POST …/start`. */
import { z } from "zod";
import type { Instant } from "../../domain/ids.ts";
import { MAX_START_DELAY_SECONDS, MAX_START_PAST_SECONDS } from "../../domain/limits.ts";
import { invalidFields } from "../problem.ts";
import { parseTime } from "../time.ts";
import { check } from "./check.ts";

const start = z.strictObject({
  at: z
    .string()
    .transform((text, context) => {
      const parsed = parseTime(text);
      if (parsed.ok) return parsed.value;
      context.addIssue({ code: "custom", message: parsed.refusal });
      return z.NEVER;
    })
    .optional(),
});

/** When to begin; null: at once. A time that has passed is more likely a slip than a wish. */
export function parseStart(body: unknown, now: Instant): Instant | null {
  const { at } = check(start, body);
  if (at === undefined) return null;
  if (at < now - MAX_START_PAST_SECONDS * 1000) {
    throw invalidFields([{ path: "at", detail: "has passed; leave it out to begin at once" }]);
  }
  if (at > now + MAX_START_DELAY_SECONDS * 1000) {
    throw invalidFields([{ path: "at", detail: "is more than a year ahead" }]);
  }
  return at;
}
