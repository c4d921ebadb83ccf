/** JSON Schema for people: each field with its type, its limits and its meaning. */
import type { JsonSchema } from "../json-schema.ts";
import { escaped, prose } from "./html.ts";

const LOCATION = "#/components/schemas/";

/** The name that a reference leads to; null for a schema that stands there itself. */
export function nameOf(schema: JsonSchema): string | null {
  const ref = schema["$ref"];
  return typeof ref === "string" ? ref.slice(LOCATION.length) : null;
}

export function link(name: string): string {
  return `<a href="#schema-${name}">${escaped(name)}</a>`;
}

/** The fields of an object, those inside of it by their paths; a note where it has none. */
export function fieldsOf(schema: JsonSchema): string {
  const note = text(schema["description"]);
  const rows = rowsOf(schema, "");
  return (
    (note === "" ? "" : `<p>${prose(note)}</p>`) +
    (rows === "" ? `<p class="hint">${typeOf(schema)}</p>` : `<dl class="fields">${rows}</dl>`)
  );
}

function rowsOf(schema: JsonSchema, inside: string): string {
  const properties = (schema["properties"] ?? {}) as Record<string, JsonSchema>;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.entries(properties)
    .map(([name, each]) => rowOf(inside + name, each, required.includes(name)))
    .join("");
}

function rowOf(path: string, schema: JsonSchema, required: boolean): string {
  const must = required ? "" : ` <span class="hint">optional</span>`;
  const items = (schema["items"] ?? {}) as JsonSchema;
  return (
    `<dt><code>${escaped(path)}</code> <span class="type">${typeOf(schema)}</span>${must}</dt>` +
    `<dd>${prose([text(schema["description"]), limitsOf(schema)].filter(Boolean).join(" "))}</dd>` +
    rowsOf(schema, `${path}.`) +
    rowsOf(items, `${path}[].`)
  );
}

/** In html: names of other schemas are links. */
export function typeOf(schema: JsonSchema): string {
  const name = nameOf(schema);
  if (name !== null) return link(name);
  if (schema["const"] !== undefined) return escaped(JSON.stringify(schema["const"]));
  const values = schema["enum"] as readonly unknown[] | undefined;
  if (values !== undefined) return escaped(values.map((each) => JSON.stringify(each)).join(" | "));
  const choices = (schema["anyOf"] ?? (schema["type"] === undefined ? schema["oneOf"] : null)) as
    | readonly JsonSchema[]
    | null
    | undefined;
  if (choices) return [...new Set(choices.map(typeOf))].join(" | ");
  const types = [schema["type"] ?? "any"].flat() as string[];
  const type = types.join(" | ");
  if (type !== "array") return escaped(type);
  return `list of ${typeOf((schema["items"] ?? {}) as JsonSchema)}`;
}

/** Two bounds and what they count; a number counts nothing but itself. */
const RANGES = [
  ["minimum", "maximum", ""],
  ["minLength", "maxLength", " characters"],
  ["minItems", "maxItems", " entries"],
  ["minProperties", "maxProperties", " entries"],
] as const;

export function limitsOf(schema: JsonSchema): string {
  const choices = schema["anyOf"] === undefined ? [schema] : (schema["anyOf"] as JsonSchema[]);
  return choices.flatMap((each) => [...rangesOf(each), ...othersOf(each)]).join(" ");
}

function rangesOf(schema: JsonSchema): string[] {
  return RANGES.flatMap(([lower, upper, unit]) => {
    const [least, most] = [schema[lower], schema[upper]];
    // The largest whole number that there is bounds nothing.
    if (most === undefined || most === Number.MAX_SAFE_INTEGER) {
      return least === undefined ? [] : [`At least ${shown(least)}${unit}.`];
    }
    return [
      least === undefined
        ? `At most ${shown(most)}${unit}.`
        : `${shown(least)} to ${shown(most)}${unit}.`,
    ];
  });
}

function othersOf({ pattern, default: usual }: JsonSchema): string[] {
  return [
    ...(pattern === undefined ? [] : [`Matches \`${text(pattern)}\`.`]),
    ...(usual === undefined ? [] : [`\`${text(usual)}\` where not said.`]),
  ];
}

function shown(bound: unknown): string {
  return (bound as number).toLocaleString("en");
}

function text(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
