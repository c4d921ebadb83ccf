/** Header fields and tags of a campaign, and which of them its author may set. */
import * as z from "zod";
import {
  MAX_HEADERS,
  MAX_HEADER_CHARACTERS,
  MAX_TAGS,
  MAX_TAG_CHARACTERS,
} from "../../domain/limits.ts";
import { OWN_TAGS } from "../../message/compile.ts";
import { line, texts } from "./field.ts";

/** RFC 9110 §5.6.2, token; narrower than RFC 5322 §3.6.8, and what providers take. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Set by the campaign's own fields, by Sendonce, or by the provider. */
const OWNED: ReadonlySet<string> = new Set([
  "from",
  "sender",
  "to",
  "cc",
  "bcc",
  "subject",
  "reply-to",
  "date",
  "message-id",
  "mime-version",
  "return-path",
  "received",
  "dkim-signature",
  "authentication-results",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "resend-idempotency-key",
]);
const OWNED_BEGINNINGS = ["content-", "resent-", "arc-"];

function isOwned(name: string): boolean {
  const lower = name.toLowerCase();
  return OWNED.has(lower) || OWNED_BEGINNINGS.some((beginning) => lower.startsWith(beginning));
}

const headerName = z
  .string()
  .regex(TOKEN, "is not a header name (RFC 9110 token)")
  .refine((name) => !isOwned(name), "is a header that Sendonce or the provider sets");

export const headers = texts(headerName, line(MAX_HEADER_CHARACTERS), MAX_HEADERS).superRefine(
  (fields, context) => {
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(fields)) {
      const wrong = (message: string) =>
        context.addIssue({ code: "custom", path: [name], message });
      const lower = name.toLowerCase();
      if (seen.has(lower)) wrong("stands there twice");
      seen.add(lower);
      if (`${name}: ${value}`.length > MAX_HEADER_CHARACTERS) {
        wrong(`has more than ${MAX_HEADER_CHARACTERS} characters with its name`);
      }
    }
  },
);

/** Resend, "Send Email": names and values of tags. */
const tagText = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_TAG_CHARACTERS}}$`);
const tagRule = `has to match [A-Za-z0-9_-]{1,${MAX_TAG_CHARACTERS}}`;

/** Ours say which recipient a webhook is about. */
const OURS: ReadonlySet<string> = new Set(OWN_TAGS);

const tagName = z
  .string()
  .regex(tagText, tagRule)
  .refine((name) => !OURS.has(name), "is a tag that Sendonce sets");

export const tags = texts(tagName, z.string().regex(tagText, tagRule), MAX_TAGS);
