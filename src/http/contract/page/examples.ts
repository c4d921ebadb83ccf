/** The examples of an operation as commands for a terminal, each with what is answered. */
import type { NamedExamples, OpenApiOperation } from "../document-operation.ts";
import { code, escaped, foldable } from "./html.ts";

/** The place of one operation, and one example of it as its parts stand in the document. */
type Shown = {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
  readonly name: string;
};

export function examplesOf(method: string, path: string, operation: OpenApiOperation): string {
  const names = namesOf(operation);
  const shown = [...names].map(([name, summary]) => {
    const example = { method, path, operation, name };
    return foldable(escaped(summary), code(curl(example)) + answerOf(example));
  });
  return shown.length === 0 ? "" : `<h4>Examples</h4>${shown.join("")}`;
}

/** Every example has its answer, but for those that answer nothing. */
function namesOf({ parameters, requestBody, responses }: OpenApiOperation): Map<string, string> {
  const parts: (NamedExamples | undefined)[] = [
    ...Object.values(responses).flatMap(({ content }) =>
      Object.values(content ?? {}).map(({ examples }) => examples),
    ),
    ...Object.values(requestBody?.content ?? {}).map(({ examples }) => examples),
    ...(parameters ?? []).map(({ examples }) => examples),
  ];
  const names = new Map<string, string>();
  for (const examples of parts) {
    for (const [name, { summary }] of Object.entries(examples ?? {})) names.set(name, summary);
  }
  return names;
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
    return parameter.in !== place || value === undefined ? [] : [[parameter.name, String(value)]];
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
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return [`-H 'Content-Type: ${type}'`, `--data-binary ${quoted(text)}`];
  }
  return [];
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
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      return `<p>${status} <span class="hint">${escaped(type)}</span></p>${code(text)}`;
    }
  }
  return `<p class="hint">An answer without content.</p>`;
}
