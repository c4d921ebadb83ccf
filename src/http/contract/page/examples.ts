/** The examples of an operation as commands for a terminal, each with what is answered. */
import type { OpenApiOperation } from "../document-operation.ts";
import { code, escaped, foldable } from "./html.ts";

/** The place of one operation, and one example of it as its parts stand in the document. */
type Shown = {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
  readonly name: string;
};

export function examplesOf(method: string, path: string, operation: OpenApiOperation): string {
  const shown = Object.entries(operation["x-examples"]).map(([name, { summary }]) => {
    const example = { method, path, operation, name };
    return foldable(escaped(summary), code(curl(example)) + answerOf(example));
  });
  return shown.length === 0 ? "" : `<h4>Examples</h4>${shown.join("")}`;
}

function curl(example: Shown): string {
  const { method, operation } = example;
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} "$ORIGIN${urlOf(example)}"`,
    ...(operation.security.length === 0 ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...headersOf(example).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...bodyOf(example),
  ];
  return lines.join(" \\\n  ");
}

function valuesIn({ operation, name }: Shown, place: string): [string, string][] {
  return (operation.parameters ?? []).flatMap((parameter) => {
    const value = parameter.examples?.[name]?.value;
    return parameter.in !== place || value === undefined ? [] : [[parameter.name, textOf(value)]];
  });
}

function urlOf(example: Shown): string {
  const inPath = new Map(valuesIn(example, "path"));
  const path = example.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = inPath.get(name) ?? "";
    // One that is broken on purpose is shown as it is.
    return value.startsWith("%") ? value : encodeURIComponent(value);
  });
  const query = new URLSearchParams(valuesIn(example, "query")).toString();
  return query === "" ? path : `${path}?${query}`;
}

function headersOf(example: Shown): [string, string][] {
  return valuesIn(example, "header");
}

function bodyOf({ operation, name }: Shown): string[] {
  for (const [type, { examples }] of Object.entries(operation.requestBody?.content ?? {})) {
    const value = examples?.[name]?.value;
    if (value === undefined) continue;
    if (type === FORM) return formOf(value);
    return [`-H 'Content-Type: ${type}'`, `--data-binary ${quoted(textOf(value))}`];
  }
  return [];
}

const FORM = "application/x-www-form-urlencoded";

function formOf(value: unknown): string[] {
  return Object.entries(value as Record<string, string>).map(
    ([field, text]) => `--data-urlencode ${quoted(`${field}=${text}`)}`,
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function answerOf({ operation, name }: Shown): string {
  for (const [status, { content }] of Object.entries(operation.responses)) {
    for (const [type, { examples }] of Object.entries(content ?? {})) {
      const value = examples?.[name]?.value;
      if (value === undefined) continue;
      return `<p>${status} <span class="hint">${escaped(type)}</span></p>${code(textOf(value))}`;
    }
  }
  return `<p>${operation["x-examples"][name]?.status ?? ""}</p>`;
}
