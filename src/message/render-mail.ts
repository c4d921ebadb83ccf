/**
 * One mail from the templates and one recipient's values, the same for a batch and for a preview.
 * A part that can't be rendered is a fault with its name; the others are rendered all the same.
 */
import { CONTROL_CHARACTERS } from "../domain/control-characters.ts";
import { MAX_SUBJECT_CHARACTERS } from "../domain/limits.ts";
import type { ContentFault, Part, PartTemplates } from "./compile.ts";
import type { ParsedTemplate } from "./template.ts";

export type Recipient = {
  readonly id: string;
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
};

export type RenderedMail = {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly faults: readonly (ContentFault & { readonly path: Part })[];
};

/** `unsubscribeUrl` is null where the campaign has no unsubscribe links. */
export function renderMail(
  parts: PartTemplates,
  recipient: Recipient,
  unsubscribeUrl: string | null,
): RenderedMail {
  const values = valuesOf(recipient, unsubscribeUrl);
  const faults: (ContentFault & { readonly path: Part })[] = [];
  const rendered = (path: Part, template: ParsedTemplate | null): string | null => {
    if (template === null) return null;
    const result = template.render(values);
    if (result.ok) return path === "subject" ? result.value : bodyOf(result.value);
    const { line, detail } = result.refusal;
    faults.push({ path, detail: line === null ? detail : `${detail} (line ${line})` });
    return null;
  };
  const written = rendered("subject", parts.subject);
  const subject = written === null ? null : oneLine(written);
  const wrong = subject === null ? null : subjectFault(subject);
  if (wrong !== null) faults.push({ path: "subject", detail: wrong });
  const html = rendered("html", parts.html);
  if (!parts.isTextDerived) return { subject, html, text: rendered("text", parts.text), faults };
  const derived = html === null ? null : rendered("text", parts.text);
  return { subject, html, text: derived === null ? null : tidied(derived), faults };
}

/** Own values win over data of the same name: a link must be ours, whatever a file says. */
function valuesOf(recipient: Recipient, unsubscribeUrl: string | null): Record<string, unknown> {
  const { id, email, data } = recipient;
  // Without a prototype, a column called __proto__ or constructor is a field like any other.
  const values = Object.assign(Object.create(null) as Record<string, unknown>, data, { id, email });
  if (unsubscribeUrl === null) delete values.unsubscribeUrl;
  else values.unsubscribeUrl = unsubscribeUrl;
  return values;
}

/**
 * A line break in a merged value would end the header and begin another of the sender's choice. It
 * becomes a space, which is what a folded header means (RFC 5322 §2.2.3): a stray break in a cell
 * is no reason to leave that person out.
 */
function oneLine(text: string): string {
  return text.toWellFormed().replace(CONTROL_CHARACTERS, " ").trim();
}

// eslint-disable-next-line no-control-regex -- removing control characters is the point
const UNMAILABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** RFC 5322 §2.2.3 allows none of these in a body; some would make a provider refuse the batch. */
function bodyOf(text: string): string {
  return text.toWellFormed().replace(UNMAILABLE, "");
}

/**
 * Tags of a template stand in lines of their own in a derived text, and leave them blank. Null
 * where nothing is left: an empty text would forbid the provider to make its own (Resend, text).
 */
function tidied(text: string): string | null {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const tidy = lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return tidy === "" ? null : tidy;
}

function subjectFault(subject: string): string | null {
  if (subject === "") return "is empty for this recipient";
  const isTooLong = subject.length > MAX_SUBJECT_CHARACTERS;
  return isTooLong ? `has more than ${MAX_SUBJECT_CHARACTERS} characters` : null;
}
