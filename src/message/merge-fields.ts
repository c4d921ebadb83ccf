/**
 * Which fields of a recipient a campaign's content uses, so that it can be said before the start
 * who would be faulted. Found without rendering, so it errs towards asking: a field counts as
 * needed if any place prints it without a default and without asking for it first.
 */
import { analyzeSync } from "liquidjs";
import type { Content } from "../domain/draft.ts";
import type { Part } from "./compile.ts";
import { parseTemplate, type ParsedTemplate } from "./template.ts";
import { printedValues } from "./template-walk.ts";

export type MergeField = {
  /** As the templates write it: `firstName`, `address.city`. */
  readonly name: string;
  readonly parts: readonly Part[];
  /** Those of them that print it without a default, and without an `if` around it that asks for it. */
  readonly neededIn: readonly Part[];
};

/** Values that every mail has; they win over data of the same name. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(["email", "id", "unsubscribeUrl"]);

/** The recipient's fields in all parts, in alphabetical order. Parts that don't parse have none. */
export function mergeFields(content: Content): readonly MergeField[] {
  const found = new Map<string, { parts: Part[]; neededIn: Part[] }>();
  for (const part of ["subject", "html", "text"] as const) {
    const source = content[part];
    const template =
      source === null ? null : parseTemplate(part === "html" ? "html" : "plain", source);
    if (template === null || !template.ok) continue;
    for (const [name, hasDefault] of fieldsOf(template.value)) {
      if (OWN_FIELDS.has(rootOf(name))) continue;
      const field = found.get(name) ?? { parts: [], neededIn: [] };
      field.parts.push(part);
      if (!hasDefault) field.neededIn.push(part);
      found.set(name, field);
    }
  }
  const byName = [...found].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return byName.map(([name, field]) => ({ name, ...field }));
}

/** Fields by name, and whether each may be missing. Names that the template sets are left out. */
export function fieldsOf(template: ParsedTemplate): ReadonlyMap<string, boolean> {
  const globals = analyzeSync([...template.nodes], { partials: false }).globals;
  const fields = new Map<string, boolean>();
  for (const { field, hasDefault, isAskedAbout } of printedValues(template.nodes)) {
    if (globals[rootOf(field)] === undefined) continue;
    fields.set(field, (fields.get(field) ?? true) && (hasDefault || isAskedAbout));
  }
  const printed = new Set([...fields.keys()].map(rootOf));
  for (const root of Object.keys(globals)) {
    if (!printed.has(root)) fields.set(root, true);
  }
  return fields;
}

function rootOf(field: string): string {
  return /^[^.[]+/.exec(field)?.[0] ?? field;
}
