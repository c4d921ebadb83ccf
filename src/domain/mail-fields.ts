/**
 * Reads the fields of a mail as Resend shows it in its events, its list and its look-ups. They come
 * from outside and in more than one form, so each is read loosely and is null where it makes no
 * sense: what a caller can do without must not keep it from the rest.
 */
import { parseAddress, withoutName } from "./address.ts";
import { parseCampaignId, type Address, type CampaignId, type Instant, type Seq } from "./ids.ts";
import { MAX_MAIL_ADDRESSES, MAX_PROVIDER_ID_CHARACTERS } from "./limits.ts";

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function providerIdOf(value: unknown): string | null {
  const text = textOf(value) ?? "";
  return text.length >= 1 && text.length <= MAX_PROVIDER_ID_CHARACTERS ? text : null;
}

/** A seq is written without leading zeros, as it stands in the tag (message/render-batch.ts). */
const SEQ = /^[1-9]\d{0,14}$/;

/** Whose mail it is, by the two tags that every mail of a campaign has; null: none of ours. */
export function ownerOf(tags: unknown): { campaign: CampaignId; seq: Seq } | null {
  const values = tagsOf(tags);
  const campaign = parseCampaignId(values.get("campaign") ?? "");
  const place = values.get("recipient") ?? "";
  return campaign !== null && SEQ.test(place) ? { campaign, seq: Number(place) as Seq } : null;
}

/** As an object in events, as a list of names and values in an older page and in look-ups. */
function tagsOf(value: unknown): ReadonlyMap<string, string> {
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
export function instantOf(value: unknown): Instant | null {
  const milliseconds = Date.parse(textOf(value) ?? "");
  return Number.isFinite(milliseconds) && milliseconds > 0 ? Math.floor(milliseconds) : null;
}

/** Whom the mail is to, in normal form. What is no address is left out: it can't be one of ours. */
export function addressesOf(value: unknown): readonly Address[] {
  const written: readonly unknown[] = Array.isArray(value) ? value : [value];
  return written.slice(0, MAX_MAIL_ADDRESSES).flatMap((each) => {
    const parsed = typeof each === "string" ? parseAddress(withoutName(each)) : null;
    return parsed?.ok === true ? [parsed.value.address] : [];
  });
}
