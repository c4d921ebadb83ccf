/** What one recipient would get, before anything is frozen; and what would keep them from it. */
import type { Content } from "../domain/draft.ts";
import { parseParts, type ContentFault } from "./compile.ts";
import { renderMail, type Recipient, type RenderedMail } from "./render-mail.ts";

/** Links are signed at start; until then the link leads to a name that can't exist (RFC 2606). */
export const PREVIEW_LINK = "https://unsubscribe.invalid/preview";

export type Preview = Omit<RenderedMail, "faults"> & { readonly faults: readonly ContentFault[] };

/** Null stands for a part that the content lacks or that can't be rendered, with its fault. */
export function previewMail(content: Content, recipient: Recipient): Preview {
  const { templates, faults } = parseParts(content);
  const mail = renderMail(templates, recipient, content.unsubscribe ? PREVIEW_LINK : null);
  const broken = new Set(faults.map(({ path }) => path));
  const own = mail.faults.filter(({ path }) => !broken.has(path));
  return {
    subject: broken.has("subject") ? null : mail.subject,
    html: broken.has("html") ? null : mail.html,
    text: broken.has("text") ? null : mail.text,
    faults: [...faults, ...own],
  };
}
