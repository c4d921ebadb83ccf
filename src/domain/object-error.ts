/**
 * What an exception from a call to an object says about the call (Cloudflare, Durable Objects,
 * "Error handling" and "Troubleshooting").
 *
 * Its flags are for whoever made the call. An object that asked another one hands on its error
 * without them, so the platform's own words are known too.
 */

export type ObjectTrouble =
  /** It was not carried out, and another call at once would only add to the load. */
  | "overloaded"
  /** Its storage has no room, and what the call wrote was taken back. */
  | "full"
  /** The answer was lost: it may have been carried out, and a new stub may be asked again. */
  | "interrupted"
  /** A bug, or a word of the product. */
  | "fault";

const OVERLOADED =
  /is overloaded|too many requests queued|too much data queued|requests queued for too long|too many requests for the same object|generating too much load/i;
const FULL = /SQLITE_FULL|exceeded allowed storage/i;
const INTERRUPTED =
  /network connection lost|object reset because|caused object to be reset|instance is no longer active|no such durable object class|SQLITE_NOMEM/i;

export function objectTroubleOf(error: unknown): ObjectTrouble {
  if (typeof error !== "object" || error === null) return "fault";
  const { overloaded, retryable, durableObjectReset, message } = error as Record<string, unknown>;
  const text = typeof message === "string" ? message : "";
  // An overloaded object may be flagged retryable too.
  if (overloaded === true || OVERLOADED.test(text)) return "overloaded";
  if (FULL.test(text)) return "full";
  if (retryable === true || durableObjectReset === true) return "interrupted";
  return INTERRUPTED.test(text) ? "interrupted" : "fault";
}

/** Whether it helps to ask again at once. */
export function mayAskAtOnce(error: unknown): boolean {
  const trouble = objectTroubleOf(error);
  return trouble !== "overloaded" && trouble !== "full";
}
