/**
 * Checks the content of a campaign when it is written, and prepares it when it is sent.
 *
 * What `checkContent` has accepted, `compileContent` can compile: a campaign never starts with
 * content that would fail for everybody. Header values are taken as they are and never merged.
 */
import { parseAddress } from "../domain/address.ts";
import {
  MAX_CONTENT_CHARACTERS,
  MAX_HEADER_CHARACTERS,
  MAX_HEADERS,
  MAX_SUBJECT_CHARACTERS,
  MAX_TAG_CHARACTERS,
  MAX_TAGS,
  MAX_TEMPLATE_DEPTH,
} from "../domain/limits.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import type { Content, FrozenContent } from "../campaign/rpc.ts";
import { parseTemplate, type ParsedTemplate } from "./template.ts";
import { fieldsOf } from "./merge-fields.ts";
import { depthOf } from "./template-walk.ts";
import { textFromHtml } from "./text-from-html.ts";
import { importLinkSecret } from "./unsubscribe-link.ts";

/** `path` names the field of the campaign, like `html` or `headers.X-Campaign`. */
export type ContentFault = { readonly path: string; readonly detail: string };

export type Part = "subject" | "html" | "text";
export type PartTemplates = {
  readonly subject: ParsedTemplate;
  readonly html: ParsedTemplate | null;
  readonly text: ParsedTemplate | null;
  /** The text was made from the html: it faults where the html does, and may be left out. */
  readonly isTextDerived: boolean;
};

export type CompiledContent = {
  readonly content: FrozenContent;
  readonly parts: PartTemplates;
  /** Signs unsubscribe links; null where the campaign has none. Imported once for all batches. */
  readonly linkKey: Promise<CryptoKey> | null;
};

/** Tags of ours, by which webhooks and reconciliation find the recipient. */
export const OWN_TAGS = ["campaign", "recipient"] as const;

/** RFC 5322 §3.6.8, ftext: printable ASCII without the colon. */
const HEADER_NAME = /^[!-9;-~]+$/;
/** Resend, "Send Email": ASCII letters, numbers, underscores and dashes. */
const TAG = /^[A-Za-z0-9_-]+$/;
// eslint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** Headers that the mail's own fields, the provider or the unsubscribe link speak for. */
const RESERVED_HEADERS = new Set(
  (
    "from sender to cc bcc reply-to subject date message-id return-path received " +
    "mime-version content-type content-transfer-encoding dkim-signature " +
    "list-unsubscribe list-unsubscribe-post resend-idempotency-key"
  ).split(" "),
);

/** For create and patch: all faults at once, each with the field it is in. */
export function checkContent(content: Content): Result<void, readonly ContentFault[]> {
  const faults = [
    ...senderFaults(content),
    ...partFaults(content),
    ...headerFaults(content),
    ...tagFaults(content),
  ];
  return faults.length === 0 ? accept(undefined) : refuse(faults);
}

/** Throws at content that checkContent refuses: nothing else gets into a campaign. */
export function compileContent(content: FrozenContent): CompiledContent {
  const linkKey = content.unsubscribe ? importLinkSecret(content.linkSecret) : null;
  // Whoever renders awaits it; until then a failure is nobody's, and must not end the process.
  linkKey?.catch(() => undefined);
  return { content, parts: compileParts(content), linkKey };
}

export function compileParts(content: Content): PartTemplates {
  const parts = parseParts(content);
  const [fault] = parts.faults;
  if (fault !== undefined) throw new Error(`${fault.path}: ${fault.detail}`);
  return parts.templates;
}

type ParsedParts = {
  readonly templates: PartTemplates;
  readonly faults: readonly ContentFault[];
};

export function parseParts(content: Content): ParsedParts {
  const faults: ContentFault[] = [];
  const parsed = (part: Part, source: string): ParsedTemplate => {
    const template = parseTemplate(part === "html" ? "html" : "plain", source);
    if (template.ok) return template.value;
    const { line, detail } = template.refusal;
    faults.push({ path: part, detail: line === null ? detail : `line ${line}: ${detail}` });
    return EMPTY;
  };
  const subject = parsed("subject", content.subject);
  const html = content.html === null ? null : parsed("html", content.html);
  const text = content.text === null ? derivedText(content.html) : parsed("text", content.text);
  return { templates: { subject, html, text, isTextDerived: content.text === null }, faults };
}

const EMPTY: ParsedTemplate = { nodes: [], render: () => accept("") };

/** Where the html gives no text, the mail has none, and the provider makes its own. */
function derivedText(html: string | null): ParsedTemplate | null {
  const source = html === null ? null : textFromHtml(html);
  const template = source === null ? null : parseTemplate("plain", source);
  return template !== null && template.ok ? template.value : null;
}

function partFaults(content: Content): readonly ContentFault[] {
  const { templates, faults } = parseParts(content);
  const more: ContentFault[] = [];
  if (content.html === null && content.text === null) {
    more.push({ path: "html", detail: "give html, text or both" });
  }
  if (content.subject.trim() === "") more.push({ path: "subject", detail: "is empty" });
  for (const part of ["subject", "html", "text"] as const) {
    const most = part === "subject" ? MAX_SUBJECT_CHARACTERS : MAX_CONTENT_CHARACTERS;
    const source = content[part];
    if (source !== null && source.length > most) {
      more.push({ path: part, detail: `has more than ${most} characters` });
    }
    const detail = source === null ? null : templateFault(templates[part], content);
    if (detail !== null) more.push({ path: part, detail });
  }
  return [...faults, ...more];
}

/** What Liquid itself would take. */
function templateFault(template: ParsedTemplate | null, content: Content): string | null {
  if (template === null) return null;
  // Liquid recurses, and the stack of a consumer may be shorter than the one that has read this.
  if (depthOf(template.nodes) > MAX_TEMPLATE_DEPTH) {
    return `has tags nested more than ${MAX_TEMPLATE_DEPTH} deep`;
  }
  const asksForLink = fieldsOf(template).has("unsubscribeUrl");
  if (content.unsubscribe || !asksForLink) return null;
  return "unsubscribeUrl has no value unless the campaign's unsubscribe is true";
}

function senderFaults(content: Content): readonly ContentFault[] {
  const fields = { from: content.from, replyTo: content.replyTo } as const;
  return Object.entries(fields).flatMap(([path, written]) => {
    const detail = written === null ? null : mailboxFault(written);
    return detail === null ? [] : [{ path, detail }];
  });
}

/** `a@d` or `Name <a@d>` (Resend, "Send Email": from). */
function mailboxFault(written: string): string | null {
  if (CONTROL.test(written)) return "holds a control character or a line break";
  const [, name = "", inner] = /^([^<>]*)<([^<>]*)>$/.exec(written.trim()) ?? [];
  const isQuoted = /^"[^"\\]*"$/.test(name.trim());
  if (!isQuoted && /[",;:@]/.test(name)) {
    return 'the name holds one of " , ; : @; put it in double quotes';
  }
  const address = (inner ?? written).trim();
  const parsed = parseAddress(address);
  if (!parsed.ok) return parsed.refusal.detail;
  // It goes to the provider as it is written here, so it has to be written as it must go.
  return parsed.value.email === address ? null : `write the address as ${parsed.value.email}`;
}

function headerFaults(content: Content): readonly ContentFault[] {
  const names = Object.keys(content.headers);
  const faults: ContentFault[] = [];
  if (names.length > MAX_HEADERS) {
    faults.push({ path: "headers", detail: `are more than ${MAX_HEADERS}` });
  }
  for (const [at, name] of names.entries()) {
    const detail = headerFault(name, content.headers[name] ?? "", names.slice(0, at));
    if (detail !== null) faults.push({ path: `headers.${name}`, detail });
  }
  return faults;
}

function headerFault(name: string, value: string, before: readonly string[]): string | null {
  const folded = name.toLowerCase();
  if (!HEADER_NAME.test(name)) return "is no header name (RFC 5322 §3.6.8)";
  if (RESERVED_HEADERS.has(folded)) return "is written by Sendonce or the provider";
  if (before.some((each) => each.toLowerCase() === folded)) return "is there twice";
  if (CONTROL.test(value)) return "holds a control character or a line break";
  if (name.length + value.length + 2 > MAX_HEADER_CHARACTERS) {
    return `has more than ${MAX_HEADER_CHARACTERS} characters with its name`;
  }
  return null;
}

function tagFaults(content: Content): readonly ContentFault[] {
  const entries = Object.entries(content.tags);
  const faults = entries.flatMap(([name, value]) => {
    const detail = tagFault(name, value);
    return detail === null ? [] : [{ path: `tags.${name}`, detail }];
  });
  const tooMany = { path: "tags", detail: `are more than ${MAX_TAGS}` };
  return entries.length > MAX_TAGS ? [tooMany, ...faults] : faults;
}

function tagFault(name: string, value: string): string | null {
  if (OWN_TAGS.some((own) => own === name)) return "is a tag that Sendonce sets itself";
  if (!TAG.test(name) || !TAG.test(value)) {
    return "name and value take ASCII letters, digits, _ and - only, at least one";
  }
  const isTooLong = name.length > MAX_TAG_CHARACTERS || value.length > MAX_TAG_CHARACTERS;
  return isTooLong ? `has more than ${MAX_TAG_CHARACTERS} characters` : null;
}
