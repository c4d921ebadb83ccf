/**
 * Liquid, configured so that a template is a pure function of one recipient's values.
 *
 * A batch that is repeated must have the same bytes (SPEC G1), so there is no clock and no chance:
 * `now`, `today` and `sample` are refused, dates are UTC and American, and all limits count work,
 * not time. Values are inserted as values: what a recipient's data holds is never parsed as a
 * template, and html output is escaped unless the template says `raw`. A field that is printed
 * without a `default` must have a value, since "Dear ," is worse than no mail.
 */
import {
  Filter,
  Liquid,
  TypeGuards,
  toValue,
  type FilterImplOptions,
  type Template,
} from "liquidjs";
import {
  MAX_CONTENT_CHARACTERS,
  MAX_RENDERED_CHARACTERS,
  MAX_RENDER_STEPS,
} from "../domain/limits.ts";
import { accept, refuse, type Result } from "../domain/result.ts";
import { checkClock, printedValues } from "./template-walk.ts";

export type TemplateKind = "html" | "plain";

/** `line` is null where the fault is no single place. */
export type TemplateFault = { readonly line: number | null; readonly detail: string };

export type ParsedTemplate = {
  readonly nodes: readonly Template[];
  /** Gives the text, or why this recipient can't be given one. */
  readonly render: (values: Readonly<Record<string, unknown>>) => Result<string, TemplateFault>;
};

/** Tags that would load another template: there is none. */
const REFUSED_TAGS = ["include", "render", "layout", "block"];
/**
 * `sample` is chance. The `_exp` filters parse their argument as a template expression, which may
 * be data. The hashes answer later, and a template is rendered at once.
 */
const REFUSED_FILTERS =
  /^(?:sample|sha256|hmac_sha256|(?:where|reject|group_by|has|find|find_index)_exp)$/;
const DATE_FILTER = /^date/;
/** `%c`, `%x` and `%X` are worded by the runtime, and other runtimes word them otherwise. */
const LOCAL_DATE_FORMAT = /%[-_0^#:]*\d*[cxX]/;

/** Parses a template; refuses what Liquid can't read and what would make its bytes vary. */
export function parseTemplate(
  kind: TemplateKind,
  source: string,
): Result<ParsedTemplate, TemplateFault> {
  const engine = ENGINES[kind];
  try {
    const nodes = engine.parse(source);
    const clock = checkClock(nodes);
    if (clock !== null) return refuse(clock);
    requirePrinted(engine, nodes);
    return accept({ nodes, render: (values) => render(engine, nodes, values) });
  } catch (error) {
    return refuse(faultOf(error));
  }
}

function render(
  engine: Liquid,
  nodes: Template[],
  values: Readonly<Record<string, unknown>>,
): Result<string, TemplateFault> {
  try {
    return accept(String(engine.renderSync(nodes, values)));
  } catch (error) {
    return refuse(faultOf(error));
  }
}

function newEngine(kind: TemplateKind): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false, // Missing fields are found by requirePrinted, which also sees null.
    outputEscape: kind === "html" ? (value) => escapeHtml(textOf(value)) : textOf,
    parseLimit: MAX_CONTENT_CHARACTERS,
    memoryLimit: MAX_RENDER_STEPS,
    locale: "en-US",
    timezoneOffset: 0,
    preserveTimezones: true,
    templates: {},
  });
  for (const name of REFUSED_TAGS) delete engine.tags[name];
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (REFUSED_FILTERS.test(name)) delete engine.filters[name];
    else engine.registerFilter(name, guarded(name, filter));
  }
  for (const [name, handler] of Object.entries(kind === "html" ? HTML_FILTERS : TEXT_FILTERS)) {
    engine.registerFilter(name, { raw: true, handler });
  }
  countWork(engine);
  return engine;
}

/** Counts each node that is rendered and bounds what they write; liquidjs itself only times. */
function countWork(engine: Liquid): void {
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = function* counted(templates, context, emitter) {
    context.memoryLimit.use(templates.length + 1);
    return yield* renderTemplates(templates, context, emitter ?? new BoundedEmitter());
  };
}

class BoundedEmitter {
  buffer = "";

  write(value: unknown): void {
    this.buffer += textOf(value);
    if (this.buffer.length > MAX_RENDERED_CHARACTERS) {
      throw new Error(`the result has more than ${MAX_RENDERED_CHARACTERS} characters`);
    }
  }
}

type Handler = (this: FilterCall, value: unknown, ...given: unknown[]) => unknown;
type FilterCall = { readonly token: { readonly args: readonly unknown[] } };

/** A filter that faults where a field among its arguments is missing, or a date is the clock. */
function guarded(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = (typeof filter === "function" ? filter : filter.handler) as Handler;
  const guardedHandler: Handler = function call(value, ...given) {
    if (DATE_FILTER.test(name)) checkDate(value, given[0]);
    // The argument of `default` is only needed where its value is not.
    if (name !== "default") requireFields(this.token.args, given);
    const result = handler.call(this, value, ...given);
    if (name === "default" && isMissing(result)) requireFields(this.token.args, given);
    return result;
  };
  const raw = typeof filter === "function" ? false : filter.raw;
  return {
    raw,
    handler: guardedHandler as Extract<FilterImplOptions, { raw: boolean }>["handler"],
  };
}

function checkDate(value: unknown, format: unknown): void {
  if (value === "now" || value === "today") {
    throw new Error(`the date "${value}" would differ between two attempts`);
  }
  if (typeof format === "string" && LOCAL_DATE_FORMAT.test(format)) {
    throw new Error("%c, %x and %X differ between runtimes; write the format out");
  }
}

function requireFields(args: readonly unknown[], given: readonly unknown[]): void {
  for (const [at, arg] of args.entries()) {
    if (!TypeGuards.isPropertyAccessToken(arg) || !isMissing(given[at])) continue;
    throw new MissingField(arg.getText());
  }
}

/** Puts a check before the filters of each field that is printed without a default. */
function requirePrinted(engine: Liquid, nodes: readonly Template[]): void {
  for (const { value, field, hasDefault } of printedValues(nodes)) {
    if (hasDefault) continue;
    const token = { name: "required", args: [] } as unknown as ConstructorParameters<
      typeof Filter
    >[0];
    const required = (found: unknown): unknown => {
      if (isMissing(found)) throw new MissingField(field);
      return found;
    };
    value.filters.unshift(new Filter(token, required, engine));
  }
}

/** 0 and false are values; so is a space, as it is for the filter `default`. */
function isMissing(value: unknown): boolean {
  const plain: unknown = toValue(value);
  return plain === undefined || plain === null || plain === "";
}

class MissingField extends Error {
  constructor(field: string) {
    super(`merge field "${field}" has no value and no default`);
  }
}

const MISSING_FIELD = /^merge field "(.*)" has no value and no default/s;

/** Which field a fault names as missing; null for every other fault. */
export function missingFieldOf(detail: string): string | null {
  return MISSING_FIELD.exec(detail)?.[1] ?? null;
}

function textOf(value: unknown): string {
  const plain: unknown = toValue(value);
  if (typeof plain === "string") return plain;
  if (plain === undefined || plain === null) return "";
  if (Array.isArray(plain)) return plain.map(textOf).join("");
  if (typeof plain === "number" || typeof plain === "boolean") return String(plain);
  throw new Error("an object can't be printed; name one of its fields, or use json");
}

const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

const UNESCAPED = Object.fromEntries(
  Object.entries(ESCAPED).map(([character, entity]) => [entity, character]),
);

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? character);
}

/** Leaves alone what is escaped already, so that escaping twice is escaping once. */
function escapeOnce(value: unknown): string {
  const text = textOf(value);
  return escapeHtml(
    text.replace(/&(?:amp|lt|gt|#34|#39);/g, (entity) => UNESCAPED[entity] ?? entity),
  );
}

type TextFilters = Readonly<Record<string, (value: unknown) => string>>;

/** Their results are html, and are not escaped once more when they are printed. */
const HTML_FILTERS: TextFilters = {
  escape: (value) => escapeHtml(textOf(value)),
  xml_escape: (value) => escapeHtml(textOf(value)),
  escape_once: escapeOnce,
  newline_to_br: (value) => escapeOnce(value).replace(/\r\n|\n|\r/g, "<br />\n"),
};
/** Plain text has nothing to escape and its line ends are line ends. */
const TEXT_FILTERS: TextFilters = {
  escape: textOf,
  xml_escape: textOf,
  escape_once: textOf,
  newline_to_br: textOf,
};

type LiquidFault = Error & {
  readonly originalError?: Error;
  readonly token?: { getPosition(): readonly number[] };
};

function faultOf(error: unknown): TemplateFault {
  const fault: LiquidFault = error instanceof Error ? error : new Error(String(error));
  const [line = null] = fault.token?.getPosition() ?? [];
  const message = messageOf(fault.originalError ?? fault);
  // Without the place and the excerpt, which liquidjs appends and which are told apart here.
  const [detail = message] = message.split(/, (?:file:.*, )?line:\d+/);
  const why = detail === "undefined filter: sample" ? "; chance would differ between attempts" : "";
  return { line, detail: `${detail}${why}` };
}

/** The parser recurses, and the engine's word for that names nothing of a template. */
function messageOf({ name, message }: Error): string {
  return name === "RangeError" && message.includes("call stack") ? "nests too deep" : message;
}

const ENGINES: Readonly<Record<TemplateKind, Liquid>> = {
  html: newEngine("html"),
  plain: newEngine("plain"),
};
