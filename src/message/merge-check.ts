/**
 * Whom the content of a campaign can't be rendered for, and why, in bounded time and memory for a
 * list of any length.
 */
import type { Content } from "../domain/draft.ts";
import { PREFLIGHT_RENDERS, PREFLIGHT_ROUNDS, PREFLIGHT_SHAPES } from "../domain/limits.ts";
import { compileParts, type Part, type PartTemplates } from "./compile.ts";
import { PREVIEW_LINK } from "./preview.ts";
import { renderMail, type Recipient, type RenderedMail } from "./render-mail.ts";
import { looksOf, shapeOf, type Looks } from "./shapes.ts";
import { missingFieldOf } from "./template.ts";

/** `field` is null where it is not a missing value. */
export type MergeFault = {
  readonly field: string | null;
  readonly part: Part;
  readonly detail: string;
};

export class MergeCheck {
  readonly #parts: PartTemplates;
  readonly #link: string | null;
  readonly #looks: Looks;
  readonly #known = new Map<string, readonly MergeFault[]>();
  #renders = 0;
  /** Of the mails that were rendered, in UTF-8: the largest one, and the largest html. */
  largestBytes = 0;
  largestHtmlBytes = 0;

  constructor(content: Content) {
    this.#parts = compileParts(content);
    this.#link = content.unsubscribe ? PREVIEW_LINK : null;
    this.#looks = looksOf(this.#parts);
  }

  /** Whether all recipients have the same faults, so that one of them stands for all. */
  get isSameForAll(): boolean {
    return this.#looks.printed.length === 0 && this.#looks.valued.length === 0;
  }

  /** Null where this recipient is left unchecked, because too many have been rendered by now. */
  faultsOf(recipient: Recipient): readonly MergeFault[] | null {
    const shape = shapeOf(this.#looks, recipient.data);
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    if (this.#renders >= PREFLIGHT_RENDERS) return null;
    const faults = this.#render(recipient);
    if (this.#known.size >= PREFLIGHT_SHAPES) this.#known.clear();
    this.#known.set(shape, faults);
    return faults;
  }

  /** A mail stops at its first missing field, so it is rendered again with that one filled in. */
  #render(recipient: Recipient): readonly MergeFault[] {
    const first = this.#renderOnce(recipient);
    const found = first.faults.map(mergeFault);
    let filled = withFields(recipient, found);
    for (let round = 0; round < PREFLIGHT_ROUNDS && filled !== null; round += 1) {
      const more = this.#renderOnce(filled).faults.map(mergeFault);
      const fresh = more.filter(({ field }) => field !== null && !isNamed(field, found));
      found.push(...fresh);
      filled = withFields(filled, fresh);
    }
    return found;
  }

  #renderOnce(recipient: Recipient): RenderedMail {
    this.#renders += 1;
    const mail = renderMail(this.#parts, recipient, this.#link);
    const { subject, html, text } = mail;
    const htmlBytes = bytesOf(html);
    this.largestHtmlBytes = Math.max(this.largestHtmlBytes, htmlBytes);
    const bytes = htmlBytes + bytesOf(text) + bytesOf(subject);
    this.largestBytes = Math.max(this.largestBytes, bytes);
    return mail;
  }
}

function bytesOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

function mergeFault({ path, detail }: RenderedMail["faults"][number]): MergeFault {
  return { field: missingFieldOf(detail), part: path, detail };
}

function isNamed(field: string, faults: readonly MergeFault[]): boolean {
  return faults.some((fault) => fault.field === field);
}

/** Null where no field is missing that could be filled in. */
function withFields(recipient: Recipient, faults: readonly MergeFault[]): Recipient | null {
  const fields = faults.flatMap(({ field }) => (field === null ? [] : [field]));
  if (fields.length === 0) return null;
  const data = fields.reduce(
    (values, field) => withField(values, field.split(".")),
    recipient.data,
  );
  return { ...recipient, data };
}

const STAND_IN = "x";

function withField(data: Recipient["data"], path: readonly string[]): Recipient["data"] {
  const [name = "", ...rest] = path;
  if (rest.length === 0) return { ...data, [name]: STAND_IN };
  const inner = Object.hasOwn(data, name) ? data[name] : undefined;
  const object = typeof inner === "object" && inner !== null ? { ...inner } : {};
  return { ...data, [name]: withField(object, rest) };
}
