/**
 * Checks the templates of a campaign when they are written, and prepares them when it is sent.
 *
 * Where `templateFaults` finds none, `compileContent` can compile: a campaign never starts with
 * content that would fail for everybody. Header values are taken as they are and never merged; they,
 * the sender and the tags are checked where they come in (http/schemas/).
 */
import { MAX_TEMPLATE_DEPTH } from "../domain/limits.ts";
import { accept } from "../domain/result.ts";
import type { Content, FrozenContent } from "../domain/draft.ts";
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

/** For create and patch: what is wrong with the templates, all at once, each with its part. */
export function templateFaults(content: Content): readonly ContentFault[] {
  const { templates, faults } = parseParts(content);
  const blank = content.subject.trim() === "" ? [{ path: "subject", detail: "is empty" }] : [];
  const unfit = (["subject", "html", "text"] as const).flatMap((part) => {
    const detail = content[part] === null ? null : templateFault(templates[part], content);
    return detail === null ? [] : [{ path: part, detail }];
  });
  return [...faults, ...blank, ...unfit];
}

/** Throws at content with template faults, which no campaign has. */
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
