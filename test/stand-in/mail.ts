/**
 * One email object of a request body, as Resend reads it, and what Resend would refuse about it.
 *
 * Only reading and judging: nothing here knows whether the request is strict or permissive.
 */
import { missingField, validationError, type ProviderError } from "./errors.ts";
import { isObject, type StandInSettings } from "./settings.ts";

type Tag = { readonly name: string; readonly value: string };

/** The parts of an accepted mail that are kept. `to` is never empty. */
export type Mail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly tags: readonly Tag[];
  readonly headers: Readonly<Record<string, string>>;
  readonly html?: string;
  readonly text?: string;
  readonly replyTo?: readonly string[];
};

const MAX_RECIPIENTS = 50;
const MAX_TAGS = 75;
const MAX_LOCAL_CHARACTERS = 64; // RFC 5321 §4.5.3.1.1
const MAX_ADDRESS_CHARACTERS = 254; // RFC 5321 §4.5.3.1.3: a path of 256 with its angle brackets.
const TAG = /^[A-Za-z0-9_-]{1,256}$/u;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/u;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/u;
const LINE_BREAK = /[\r\n]/u;
const TEST_DOMAINS = ["example.com", "test.com", "resend.com"];

/** `Name <a@b>` and `a@b` both give `a@b`, as it was written. */
export function bareAddress(written: string): string {
  const open = written.lastIndexOf("<");
  const bracketed = open !== -1 && written.endsWith(">");
  return (bracketed ? written.slice(open + 1, -1) : written).trim();
}

/** Two spellings are one mailbox for the counts when these are equal. */
export function normalAddress(written: string): string {
  return bareAddress(written).toLowerCase();
}

function isAddress(written: string): boolean {
  const address = bareAddress(written);
  const at = address.lastIndexOf("@");
  const local = address.slice(0, Math.max(at, 0));
  const labels = address.slice(at + 1).split(".");
  const fits = local.length <= MAX_LOCAL_CHARACTERS && address.length <= MAX_ADDRESS_CHARACTERS;
  const named = labels.length >= 2 && labels.every((label) => LABEL.test(label));
  return fits && named && LOCAL_PART.test(local) && !LINE_BREAK.test(written);
}

/** A string or a list of strings, as a list; null for anything else. */
function asList(value: unknown): readonly string[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.every((item) => typeof item === "string") ? list : null;
}

/** The addresses of a body that may be anything: for faults that wait for one. */
export function addressesOf(emails: readonly unknown[]): ReadonlySet<string> {
  const lists = emails.map((email) => (isObject(email) ? (asList(email["to"]) ?? []) : []));
  return new Set(lists.flat().map(normalAddress));
}

const badAddress = (field: string): ProviderError =>
  validationError(
    `Invalid \`${field}\` field. The email address needs to follow the ` +
      "`email@example.com` or `Name <email@example.com>` format.",
  );

function senderFault(email: Record<string, unknown>): ProviderError | null {
  const from = email["from"];
  if (from === undefined || from === "") return missingField("Missing `from` field.");
  if (typeof from !== "string" || !isAddress(from)) return badAddress("from");
  const replyTo = email["reply_to"];
  const fits = replyTo === undefined || (asList(replyTo)?.every(isAddress) ?? false);
  return fits ? null : badAddress("reply_to");
}

function isOfTestDomain(address: string): boolean {
  return TEST_DOMAINS.some((domain) => address.endsWith(`@${domain}`));
}

function recipientFault(to: unknown, settings: StandInSettings): ProviderError | null {
  const list = to === "" ? null : asList(to);
  if (list === null || list.length === 0) return missingField("The `to` field is missing.");
  if (list.length > MAX_RECIPIENTS) {
    return validationError("The `to` field must not have more than 50 recipients.");
  }
  if (!list.every(isAddress)) return badAddress("to");
  const addresses = list.map(normalAddress);
  if (settings.refuseTestDomains && addresses.some(isOfTestDomain)) {
    return validationError(
      "Invalid `to` field. Please use our testing email address instead of domains like " +
        "`example.com`.",
    );
  }
  const refused = addresses.some((address) => settings.refuseAddresses.has(address));
  return refused ? badAddress("to") : null;
}

function contentFault(email: Record<string, unknown>): ProviderError | null {
  const { subject, html, text } = email;
  if (typeof subject !== "string") return missingField("Missing `subject` field.");
  if (LINE_BREAK.test(subject)) {
    return validationError("The `\\n` is not allowed in the `subject` field.");
  }
  if (typeof html !== "string" && typeof text !== "string") {
    return missingField("Missing `html` or `text` field.");
  }
  if (email["attachments"] !== undefined) {
    return {
      ...validationError("Attachments are not supported here."),
      name: "invalid_attachment",
    };
  }
  return null;
}

function isTag(tag: unknown): tag is Tag {
  if (!isObject(tag)) return false;
  const { name, value } = tag;
  return typeof name === "string" && typeof value === "string" && TAG.test(name) && TAG.test(value);
}

function labelFault(email: Record<string, unknown>): ProviderError | null {
  const { tags = [], headers = {} } = email;
  if (!Array.isArray(tags) || tags.length > MAX_TAGS) {
    return validationError("The `tags` field must be a list of at most 75 tags.");
  }
  if (!tags.every(isTag)) {
    return validationError(
      "Tags should only contain ASCII letters, numbers, underscores, or dashes.",
    );
  }
  const entries = isObject(headers) ? Object.entries(headers) : null;
  const fits = entries?.every(
    ([name, value]) =>
      typeof value === "string" && !LINE_BREAK.test(value) && /^[!-9;-~]+$/u.test(name),
  );
  return fits === true ? null : validationError("Invalid `headers` field.");
}

/** @returns what Resend would refuse first about this email; null: it would take it */
export function faultOf(email: unknown, settings: StandInSettings): ProviderError | null {
  if (!isObject(email)) return validationError("Each email must be an object.");
  return (
    senderFault(email) ??
    recipientFault(email["to"], settings) ??
    contentFault(email) ??
    labelFault(email)
  );
}

/** What is kept of an email in which `faultOf` found nothing. */
export function keptMail(email: unknown, settings: StandInSettings): Mail {
  const given = email as Record<string, unknown>;
  const mail: Mail = {
    from: given["from"] as string,
    to: asList(given["to"]) ?? [],
    subject: given["subject"] as string,
    tags: (given["tags"] ?? []) as readonly Tag[],
    headers: (given["headers"] ?? {}) as Record<string, string>,
  };
  if (!settings.keepContent) return mail;
  return {
    ...mail,
    ...(typeof given["html"] === "string" && { html: given["html"] }),
    ...(typeof given["text"] === "string" && { text: given["text"] }),
    ...(given["reply_to"] !== undefined && { replyTo: asList(given["reply_to"]) ?? [] }),
  };
}
