/** Fields that several requests share. Each checks what its type in the domain promises. */
import * as z from "zod";
import { isWithinDepth } from "../../audience/recipient-row.ts";
import { isObject } from "../../domain/is-object.ts";
import { parseAddress } from "../../domain/address.ts";
import { CONTROL_CHARACTER } from "../../domain/control-characters.ts";
import { parseCampaignId, type CampaignId, type RecipientId } from "../../domain/ids.ts";
import {
  MAX_CAMPAIGN_ID_CHARACTERS,
  MAX_DATA_BYTES,
  MAX_DATA_DEPTH,
  MAX_NAMED_RECIPIENTS,
  MAX_REASON_CHARACTERS,
  MAX_RECIPIENT_ID_CHARACTERS,
  MAX_WRITTEN_ADDRESS_CHARACTERS,
} from "../../domain/limits.ts";
import { wholeText } from "../../domain/whole-text.ts";
import { MAX_MAILBOX_CHARACTERS, parseMailbox } from "../mailbox.ts";

/**
 * One line of text of 1 to `most` characters, all of them whole. A line break in a header field would
 * begin a new one; other control characters have no business in a line.
 */
export function line(most: number) {
  return z
    .string()
    .min(1, "is empty")
    .max(most)
    .refine(
      (text) => !CONTROL_CHARACTER.test(text),
      "has a line break or another control character",
    )
    .refine((text) => text.isWellFormed(), "has half of a character");
}

/** 1 to `most` entries. They are counted first: a million wrong ones would be a million faults. */
export function list<Entry extends z.ZodType>(entry: Entry, most: number) {
  return z.array(z.unknown()).min(1).max(most).pipe(z.array(entry));
}

/** At most `most` named texts, counted first for the same reason. */
export function texts<Name extends z.ZodString, Text extends z.ZodType<string>>(
  name: Name,
  text: Text,
  most: number,
) {
  const counted = z
    .record(z.string(), z.unknown())
    .refine((fields) => Object.keys(fields).length <= most, `has more than ${most} entries`)
    .pipe(z.record(name, text));
  // zod's record leaves an entry of this name out without a word.
  const named = z
    .unknown()
    .refine((fields) => !isObject(fields) || !Object.hasOwn(fields, "__proto__"), {
      error: "can't have an entry called __proto__",
      abort: true,
    });
  return named.pipe(counted).meta({ maxProperties: most });
}

export const campaignId = z
  .string()
  .refine(
    (text) => parseCampaignId(text) !== null,
    `has to match [A-Za-z0-9_-]{1,${MAX_CAMPAIGN_ID_CHARACTERS}}`,
  )
  .transform((text) => text as CampaignId)
  .meta({ pattern: `^[A-Za-z0-9_-]{1,${MAX_CAMPAIGN_ID_CHARACTERS}}$` });

export const recipientId = z
  .string()
  .min(1, "is empty")
  .max(MAX_RECIPIENT_ID_CHARACTERS)
  // SQLite ends text at a NUL here and there; such ids would run together.
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "has a NUL or half a character")
  .transform((text) => text as RecipientId);

/** Ids that a request names, each once however often it stands there. */
export const recipientIds = list(recipientId, MAX_NAMED_RECIPIENTS).transform((ids) => [
  ...new Set(ids),
]);

/** An address, given back in its normal form and as it was written. */
export const address = z
  .string()
  .transform((written, context) => {
    const parsed = parseAddress(written);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: `is not an address: ${parsed.refusal.detail}` });
    return z.NEVER;
  })
  // No `format: email`: we take addresses beyond ASCII, and spaces around them.
  .meta({ maxLength: MAX_WRITTEN_ADDRESS_CHARACTERS, description: "An email address." });

/** `a@d` or `Name <a@d>` (RFC 5322 §3.4, mailbox). */
export const mailbox = z
  .string()
  .transform((written, context) => {
    const parsed = parseMailbox(written);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.refusal });
    return z.NEVER;
  })
  .meta({ maxLength: MAX_MAILBOX_CHARACTERS, description: "`a@d` or `Name <a@d>`." });

/** Merge fields of one recipient. No record of zod's, which would lose one called `__proto__`. */
export const mergeFields = z
  .unknown()
  .refine(isObject, { error: "has to be an object", abort: true })
  // The depth first: writing JSON of a value nested without end would overflow the stack.
  .refine((data) => isWithinDepth(data, MAX_DATA_DEPTH), {
    error: `nests deeper than ${MAX_DATA_DEPTH} levels`,
    abort: true,
  })
  .refine(
    (data) => new TextEncoder().encode(JSON.stringify(data)).byteLength <= MAX_DATA_BYTES,
    `takes more than ${MAX_DATA_BYTES} bytes as JSON`,
  )
  .meta({
    type: "object",
    description: `At most ${MAX_DATA_BYTES} bytes as JSON, and ${MAX_DATA_DEPTH} levels deep.`,
  });

/**
 * What somebody else has said, 1 to `most` characters. It is never refused for what stands in it, since
 * a fact would be refused with it.
 */
export function said(most: number) {
  return z
    .string()
    .min(1, "is empty")
    .max(most)
    .transform((text) => wholeText(text, most));
}

export const reason = said(MAX_REASON_CHARACTERS).describe(
  "An address in it that is not the recipient's own is kept as a keyed hash.",
);
