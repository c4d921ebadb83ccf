/**
 * The version of what stands on the queue (SPEC R-version). During a deploy, and after one that was
 * taken back, a consumer may meet messages of a release that it does not know.
 *
 * Fields are only ever added, and a reader ignores those it doesn't know; `v` rises only when a
 * reader of before would do wrong by that.
 */

/** The newest that this release writes and reads. */
export const MESSAGE_VERSION = 1;

/** Whether a later release wrote it: it says something, to somebody else, and must not be dropped. */
export function isOfLaterRelease(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  const { v } = body as Record<string, unknown>;
  return typeof v === "number" && v > MESSAGE_VERSION;
}
