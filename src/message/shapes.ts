/**
 * What of a recipient decides whether their mail can be rendered: their shape. Recipients of one
 * shape share their faults, so that a list of a million is checked by rendering a few mails.
 *
 * A field that is only printed counts by whether it has a value. One that anything else looks at
 * (a condition, a loop, a path into it) counts by its whole value, and so does one that this
 * analysis isn't sure about. What a filter makes of a particular value is not seen.
 */
import { analyzeSync, EchoTag, Output, TypeGuards, Value, type Template } from "liquidjs";
import type { PartTemplates } from "./compile.ts";
import { OWN_FIELDS } from "./merge-fields.ts";
import { templatesIn } from "./template-walk.ts";

type Data = Readonly<Record<string, unknown>>;

/** Fields by how they count. */
export type Looks = { readonly printed: readonly string[]; readonly valued: readonly string[] };

export function looksOf({ subject, html, text }: PartTemplates): Looks {
  const looks = [subject, html, text].flatMap((part) =>
    part === null ? [] : [inPart(part.nodes)],
  );
  const valued = new Set(looks.flatMap((each) => each.valued));
  const printed = new Set(
    looks.flatMap((each) => each.printed).filter((name) => !valued.has(name)),
  );
  return { printed: [...printed], valued: [...valued] };
}

function inPart(nodes: readonly Template[]): Looks {
  const { globals, locals } = analyzeSync([...nodes], { partials: false });
  const plain = plainlyPrinted(nodes);
  const names = Object.keys(globals).filter((name) => !OWN_FIELDS.has(name));
  const isPrinted = (name: string): boolean =>
    locals[name] === undefined && globals[name]?.length === plain.get(name);
  return {
    printed: names.filter(isPrinted),
    valued: names.filter((name) => !isPrinted(name)),
  };
}

/** How often each name is printed, or given to a filter of what is printed, without a path. */
function plainlyPrinted(nodes: readonly Template[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of templatesIn(nodes)) {
    if (!(node instanceof Output || node instanceof EchoTag)) continue;
    for (const argument of node.arguments?.() ?? []) {
      if (!(argument instanceof Value)) continue;
      const filtered = argument.filters.flatMap(({ args }) => args.flat());
      for (const token of [...argument.initial.postfix, ...filtered]) {
        if (!TypeGuards.isPropertyAccessToken(token)) continue;
        const name = token.getText();
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Equal for recipients whose mails have the same faults. */
export function shapeOf({ printed, valued }: Looks, data: Data): string {
  const own = (name: string): unknown => (Object.hasOwn(data, name) ? data[name] : undefined);
  return JSON.stringify([
    printed.map((name) => presence(own(name))),
    valued.map((name) => own(name) ?? null),
  ]);
}

/** `false` is missing for `default` and a value elsewhere; lists and objects may not be printable. */
function presence(value: unknown): unknown {
  if (value === undefined || value === null || value === "") return 0;
  return typeof value === "object" || value === false ? value : 1;
}
