/**
 * A plain-text template from an html template, for campaigns that bring no text of their own.
 *
 * The template is converted, not each mail: it costs once a campaign, and what a recipient's data
 * holds is never read as html. The Liquid in it is put aside behind characters that mean nothing
 * to html, and put back after. Where the html hides a tag from the text (between table rows, in an
 * attribute), the text can't be trusted, and there is none.
 *
 * The conversion recurses, and how deep a stack goes differs from run to run. So it is bounded by a
 * count, or one attempt of a batch would have a text and the next one none.
 */
import { convert, type HtmlToTextOptions } from "html-to-text";
import { MAX_TEXT_FROM_DEPTH } from "../domain/limits.ts";

const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
/** Of the private use area, which no text that was meant for others contains. */
const ASIDE = /\ue000(\d+)\ue001/g;
const TAKEN = /[\ue000\ue001]/;
/** In place of what is nested too deep. Whatever is put aside has a number between the two. */
const TOO_DEEP = "\ue000\ue001";

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxDepth: MAX_TEXT_FROM_DEPTH, ellipsis: TOO_DEEP },
  selectors: [
    { selector: "a", options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: "img", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
  ],
};

/** Null where no text can be made that says the same. */
export function textFromHtml(html: string): string | null {
  if (TAKEN.test(html)) return null;
  const aside: string[] = [];
  const bare = html.replace(LIQUID, (liquid) => `\ue000${aside.push(liquid) - 1}\ue001`);
  const text = convert(bare, OPTIONS);
  if (text.includes(TOO_DEEP)) return null;
  // Character references may spell Liquid that was no Liquid in the html.
  if (/\{[{%]/.test(text) || !keepsTags(text, aside)) return null;
  return text.replace(ASIDE, (_, index) => aside[Number(index)] ?? "");
}

/** An output may be lost with the attribute it stood in; a tag that is lost leaves another open. */
function keepsTags(text: string, aside: readonly string[]): boolean {
  const kept = Array.from(text.matchAll(ASIDE), ([, index]) => Number(index));
  const tags = [...aside.keys()].filter((index) => aside[index]?.startsWith("{%"));
  const keptTags = kept.filter((index) => aside[index]?.startsWith("{%"));
  return keptTags.length === tags.length && keptTags.every((index, at) => index === tags[at]);
}
