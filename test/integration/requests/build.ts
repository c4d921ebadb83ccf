/** From a plan to the request that it stands for, in a world that has what its words mean. */
import { EXAMPLES } from "./examples.ts";
import { ODD_BODIES, TOO_LARGE, writtenOut } from "./odd.ts";
import { NAMES, type Plan, type Trick } from "./plan.ts";

export type Built = {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer> | null;
};

/** What the words between braces mean. */
export type Words = Readonly<Record<string, string>>;

export const ORIGIN = "http://sendonce.test";

/** Headers of the one who asks. */
const CREDENTIALS: Readonly<Record<Plan["who"], readonly (readonly [string, string])[]>> = {
  operator: [["authorization", "Bearer {operator}"]],
  viewer: [["authorization", "Bearer {viewer}"]],
  nobody: [],
  stranger: [["authorization", "Bearer no-token-of-ours"]],
  guesser: [
    ["authorization", "Bearer no-token-of-ours"],
    ["cf-connecting-ip", "198.51.100.7"],
  ],
  session: [
    ["cookie", "sendonce=x; __Host-sendonce={session}"],
    ["origin", ORIGIN],
  ],
  foreignSession: [
    ["cookie", "__Host-sendonce={session}"],
    ["origin", "https://evil.test"],
  ],
  forgedSession: [
    ["cookie", "__Host-sendonce=operator.{session}"],
    ["origin", ORIGIN],
  ],
};

export function build(plan: Plan, words: Words): Built {
  const [written = "GET", pattern = "/"] = plan.route.split(" ");
  const methods = plan.tricks.flatMap((each) => (each.kind === "method" ? [each.method] : []));
  const method = methods.at(-1) ?? written;
  const example = EXAMPLES[plan.route]?.[plan.example] ?? null;
  const body = method === "GET" || method === "HEAD" ? null : bodyOf(plan, example?.text ?? null);
  const headers = [
    ...(example === null || body === null ? [] : [["content-type", example.type] as const]),
    ...(pattern === "/preview-frame" && body !== null
      ? [["content-length", String(body.length)] as const]
      : []),
    ...CREDENTIALS[plan.who],
    ...plan.tricks.flatMap((each) =>
      each.kind === "header" ? [[each.name, each.value] as const] : [],
    ),
  ];
  return {
    method,
    url: filled(ORIGIN + pathOf(pattern, plan) + queryOf(plan), words),
    headers: headers.map(([name, value]) => [name, filled(value, { ...words, own: ORIGIN })]),
    body,
  };
}

function filled(text: string, words: Words): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);
}

function pathOf(pattern: string, { parts, tricks }: Plan): string {
  let at = 0;
  let path = pattern.replaceAll(/:\w+/g, () => parts[at++] ?? "x");
  for (const each of tricks) if (each.kind === "path") path = tricked(path, each);
  return path;
}

function tricked(path: string, { trick, share }: Extract<Trick, { kind: "path" }>): string {
  if (trick === "case") return path.toUpperCase();
  if (trick === "double") return path.replaceAll("%", "%25");
  const at = Math.max(1, Math.round((path.length * share) / 100));
  return path.slice(0, at) + trick + path.slice(at);
}

function queryOf({ tricks }: Plan): string {
  const pairs = tricks.flatMap((each) =>
    each.kind === "query" ? [`${encodeURIComponent(each.name.toWellFormed())}=${each.value}`] : [],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function bodyOf({ tricks }: Plan, example: string | null): Uint8Array<ArrayBuffer> | null {
  const text = example === null ? null : mutated(example, tricks);
  let bytes: Uint8Array | null = null;
  for (const each of tricks) {
    if (each.kind === "body") bytes = ODD_BODIES[each.name] ?? TOO_LARGE;
  }
  bytes ??= text === null ? null : new TextEncoder().encode(text);
  if (bytes === null) return null;
  const copy = new Uint8Array(bytes);
  for (const each of tricks) {
    const at = Math.floor((copy.length * ("share" in each ? each.share : 0)) / 101);
    if (each.kind === "cut") return copy.slice(0, at);
    if (each.kind === "byte" && copy.length > 0) copy[at] = each.byte;
  }
  return copy;
}

/**
 * Changes values, adds fields and takes some away; what is no JSON stays as it is. Odd values are put
 * in as text in the end: a program's own JSON could not write most of them.
 */
function mutated(text: string, tricks: readonly Trick[]): string {
  const parsed = parsedOrNull(text);
  if (parsed === null) return text;
  for (const [nth, trick] of tricks.entries()) mutate(parsed, trick, markOf(nth));
  let written = JSON.stringify(parsed);
  for (const [nth, trick] of tricks.entries()) {
    const mark = JSON.stringify(markOf(nth));
    if ("json" in trick) written = written.replace(mark, () => writtenOut(trick.json));
  }
  return written;
}

function markOf(nth: number): string {
  return `\u0001odd ${nth}\u0001`;
}

function mutate(parsed: Holder, trick: Trick, mark: string): void {
  if (trick.kind === "field") define(parsed, trick.name, mark);
  if (trick.kind !== "value" && trick.kind !== "without") return;
  const placed = places(parsed);
  const place = placed[trick.at % Math.max(1, placed.length)];
  if (place === undefined) return;
  if (trick.kind === "value") place.holder[place.key] = mark;
  else delete place.holder[place.key];
}

type Holder = Record<string, unknown>;

function parsedOrNull(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Holder) : null;
  } catch {
    return null;
  }
}

/** Every place of a value inside of another, the outer ones first. */
function places(value: unknown): { holder: Holder; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Holder;
  const own = Object.keys(holder).map((key) => ({ holder, key }));
  return [...own, ...Object.values(holder).flatMap((inner) => places(inner))];
}

/** As a field of its own, also where it is called `__proto__`. */
function define(holder: Holder, name: string, value: unknown): void {
  Object.defineProperty(holder, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** Routes that read a body and have no right one here. */
export function withoutExample(): string[] {
  return NAMES.filter((name) => !name.startsWith("GET ") && EXAMPLES[name] === undefined);
}
