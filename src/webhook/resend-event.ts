/**
 * Reads an event of Resend ("Webhooks: Event Types") as loosely as it can: new types and new fields
 * come without notice, and an event that isn't understood must not be refused, or the provider
 * would send it for a day and then switch the endpoint off (SPEC C64).
 *
 * Ours is what carries the two tags that every mail of a campaign has.
 */
import { parseAddress } from "../domain/address.ts";
import { fateOf, suppressionBy, type FeedbackEvent } from "../domain/feedback.ts";
import { parseCampaignId, type Address, type CampaignId, type Instant } from "../domain/ids.ts";
import type { Seq } from "../domain/ids.ts";
import { MAX_PROVIDER_ID_CHARACTERS } from "../domain/limits.ts";
import type { SuppressionReason } from "../domain/suppression.ts";

export type ReadEvent = {
  readonly campaign: CampaignId;
  readonly feedback: FeedbackEvent;
  /** Why the address must not be mailed again; null: it may be. */
  readonly suppression: SuppressionReason | null;
};

const SEQ = /^[1-9]\d{0,15}$/;
/** A mail to nobody knows how many: past this they are none of ours, which have one each. */
const MAX_ADDRESSES = 50;

/** Null for an event that is not about a mail of a campaign, or tells nothing about its fate. */
export function readEvent(body: unknown): ReadEvent | null {
  const { type, created_at, data } = fieldsOf(body);
  const fate = typeof type === "string" ? fateOf(type) : null;
  const mail = fieldsOf(data);
  const tags = tagsOf(mail["tags"]);
  const campaign = parseCampaignId(tags.get("campaign") ?? "");
  const place = tags.get("recipient") ?? "";
  const providerId = mail["email_id"];
  if (fate === null || campaign === null || !SEQ.test(place) || !isProviderId(providerId)) {
    return null;
  }
  const bounce = textOf(fieldsOf(mail["bounce"])["type"]);
  const cause = textOf(fieldsOf(mail["suppressed"])["reason"]);
  return {
    campaign,
    feedback: {
      seq: Number(place) as Seq,
      providerId,
      fate,
      at: instantOf(created_at),
      acceptedAt: instantOf(mail["created_at"]),
      addresses: addressesOf(mail["to"]),
    },
    suppression: suppressionBy(fate, bounce, cause),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function isProviderId(value: unknown): value is string {
  return (
    typeof value === "string" && value.length >= 1 && value.length <= MAX_PROVIDER_ID_CHARACTERS
  );
}

/** As an object in events, as a list of names and values in an older page and in `GET /emails`. */
export function tagsOf(value: unknown): ReadonlyMap<string, string> {
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(value)
    ? value.map(fieldsOf).map((tag) => [tag["name"], tag["value"]])
    : Object.entries(fieldsOf(value));
  return new Map(
    pairs.filter(
      (pair): pair is [string, string] =>
        typeof pair[0] === "string" && typeof pair[1] === "string",
    ),
  );
}

/** RFC 3339, also with a space in place of the T as some of its pages show; null: no time. */
function instantOf(value: unknown): Instant | null {
  const milliseconds = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(milliseconds) && milliseconds > 0 ? Math.floor(milliseconds) : null;
}

/** Whom the mail went to. What is no address is left out: it can't be one of ours. */
function addressesOf(value: unknown): readonly Address[] {
  const written: readonly unknown[] = Array.isArray(value) ? value : [value];
  return written.slice(0, MAX_ADDRESSES).flatMap((each) => {
    const parsed = typeof each === "string" ? parseAddress(bare(each)) : null;
    return parsed?.ok === true ? [parsed.value.address] : [];
  });
}

/** `Ada <ada@example.org>` without its name. */
function bare(written: string): string {
  return /<([^<>]*)>\s*$/.exec(written)?.[1] ?? written;
}
