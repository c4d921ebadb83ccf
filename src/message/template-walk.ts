/**
 * What a parsed template prints and asks for, found without rendering it.
 *
 * A field counts as printed where its value gets into the mail: `{{ … }}`, `echo`. One that is only
 * asked about (`if`, `for`) may be missing, and inside an `if` that asks about it, too.
 */
import { AssignTag, EchoTag, Output, Tag, TypeGuards, Value, toValueSync } from "liquidjs";
import type { Template } from "liquidjs";
import type { TemplateFault } from "./template.ts";

/** A field that a template prints. */
export type PrintedValue = {
  readonly value: Value;
  /** As the template writes it, `user.name`. */
  readonly field: string;
  readonly hasDefault: boolean;
  /** Stands inside an `if`, `unless` or `case` that asks about the same field. */
  readonly isAskedAbout: boolean;
};

const CONDITIONS = new Set(["if", "unless", "case"]);
const CLOCK = new Set(["now", "today"]);

/** Every node of a template, whatever stands around it. */
export function* templatesIn(nodes: readonly Template[]): Generator<Template> {
  for (const { node } of walk(nodes, new Set())) yield node;
}

/** How many tags stand in one another at the most. */
export function depthOf(nodes: readonly Template[]): number {
  let depth = 0;
  // Level by level, so that no recursion of ours is as deep as the template.
  for (let level = nodes; level.length > 0; level = level.flatMap(childrenOf)) {
    if (level.some((node) => node instanceof Tag)) depth += 1;
  }
  return depth;
}

function childrenOf(node: Template): readonly Template[] {
  return node.children === undefined ? [] : toValueSync(node.children(false, true));
}

export function* printedValues(nodes: readonly Template[]): Generator<PrintedValue> {
  for (const { node, asked } of walk(nodes, new Set())) {
    if (!(node instanceof Output || node instanceof EchoTag)) continue;
    for (const value of valuesOf(node)) {
      const field = fieldOf(value);
      if (field === null) continue;
      const hasDefault = value.filters.some(({ name }) => name === "default");
      yield { value, field, hasDefault, isAskedAbout: asked.has(field) };
    }
  }
}

/** Refuses the names and literals that stand for the time of rendering. */
export function checkClock(nodes: readonly Template[]): TemplateFault | null {
  for (const { node } of walk(nodes, new Set())) {
    for (const value of valuesOf(node)) {
      const name = clockName(value, node instanceof AssignTag);
      if (name === null) continue;
      const [line = null] = node.token.getPosition();
      return { line, detail: `"${name}" would differ between two attempts; write the date itself` };
    }
  }
  return null;
}

/** As a field, or as a text that becomes a date here or, assigned, perhaps later. */
function clockName(value: Value, isAssigned: boolean): string | null {
  const [first] = value.initial.postfix;
  if (TypeGuards.isPropertyAccessToken(first)) {
    const field = first.getText();
    return CLOCK.has(field) ? field : null;
  }
  if (!TypeGuards.isQuotedToken(first) || !CLOCK.has(first.content)) return null;
  const isDate = isAssigned || value.filters.some(({ name }) => name.startsWith("date"));
  return isDate ? first.content : null;
}

type Visit = { readonly node: Template; readonly asked: ReadonlySet<string> };

/** Every node, with the fields that the conditions around it ask about. */
function* walk(nodes: readonly Template[], asked: ReadonlySet<string>): Generator<Visit> {
  for (const node of nodes) {
    yield { node, asked };
    const isCondition = node instanceof Tag && CONDITIONS.has(node.name);
    const inner = isCondition ? new Set([...asked, ...fieldsAsked(node)]) : asked;
    yield* walk(childrenOf(node), inner);
  }
}

function fieldsAsked(node: Template): readonly string[] {
  return valuesOf(node).flatMap((value) =>
    value.initial.postfix
      .filter((token) => TypeGuards.isPropertyAccessToken(token))
      .map((token) => token.getText()),
  );
}

function valuesOf(node: Template): readonly Value[] {
  return [...(node.arguments?.() ?? [])].filter((argument) => argument instanceof Value);
}

/** Null for a literal, and for an expression of several values. */
function fieldOf(value: Value): string | null {
  const [first, ...more] = value.initial.postfix;
  return more.length === 0 && TypeGuards.isPropertyAccessToken(first) ? first.getText() : null;
}
