/**
 * The version of what stands on the queue (SPEC R-version). During a deploy, and after one that was
 * taken back, a consumer may meet messages of a release that it does not know.
 *
 * Fields are only ever added, and a reader ignores those it doesn't know; `v` rises only when a
 * reader of before would do wrong by that.
 */
import { parseCampaignId, type CampaignId } from "../domain/ids.ts";

/** The newest that this release writes and reads. */
export const MESSAGE_VERSION = 1;

/** Whether a later release wrote it: it says something, to somebody else, and must not be dropped. */
export function isOfLaterRelease(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  const { v } = body as Record<string, unknown>;
  return typeof v === "number" && v > MESSAGE_VERSION;
}

/**
 * Reads what every message of this product has: its campaign, and under `field` a number.
 * @returns null for anything that this release has not written under that field
 */
export function readNumbered(
  body: unknown,
  field: "dispatch" | "inquiry",
): { readonly campaignId: CampaignId; readonly number: number } | null {
  if (typeof body !== "object" || body === null) return null;
  const { v, campaignId, [field]: number } = body as Record<string, unknown>;
  if (v !== MESSAGE_VERSION || typeof campaignId !== "string") return null;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) return null;
  const id = parseCampaignId(campaignId);
  return id === null ? null : { campaignId: id, number };
}
