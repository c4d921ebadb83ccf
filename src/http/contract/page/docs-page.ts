/**
 * The contract as one page, made from the same document, so that it can't tell another story. It is
 * plain html: it opens, folds and finds its way by links and `details`, without a script.
 */
import { counted } from "../../../domain/counted.ts";
import { PROBLEM_TYPE } from "../../problem.ts";
import type { OpenApiOperation, OpenApiParameter } from "../document-operation.ts";
import type { OpenApiDocument } from "../document.ts";
import type { JsonSchema } from "../json-schema.ts";
import { examplesOf } from "./examples.ts";
import { fieldsOf, limitsOf, link, nameOf, typeOf } from "./fields.ts";
import { escaped, foldable, paragraphs, prose } from "./html.ts";

type Placed = {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
};

export function docsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const placed = placedIn(document);
  const areas = tags.map(({ name, description }) => ({
    name,
    description,
    operations: placed.filter(({ operation }) => operation.tags.includes(name)),
  }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(info.title)}: the API</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/built/docs.css">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="head"><h1>${escaped(info.title)}: the API</h1>
<p><a href="/openapi.json">openapi.json</a></p></header>
<div class="columns">
<nav aria-label="Contents"><details class="menu" open><summary>Contents</summary>
${areas.map(({ name, operations }) => menuOf(name, operations)).join("\n")}
<p><a href="#problems">Problems</a></p><p><a href="#schemas">Schemas</a></p>
</details></nav>
<main id="content" tabindex="-1">
<section aria-label="Introduction">${paragraphs(info.description)}</section>
${areas.map((area) => areaOf(area, components.schemas)).join("\n")}
${problemsOf(components.schemas)}
${schemasOf(components.schemas)}
</main>
</div>
</body>
</html>
`;
}

function placedIn({ paths }: OpenApiDocument): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function menuOf(area: string, operations: readonly Placed[]): string {
  const entries = operations.map(
    ({ operation: { operationId, summary } }) =>
      `<li><a href="#${operationId}">${escaped(summary)}</a></li>`,
  );
  return `<p>${escaped(area)}</p><ul>${entries.join("")}</ul>`;
}

type Schemas = OpenApiDocument["components"]["schemas"];

type Area = {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Placed[];
};

function areaOf({ name, description, operations }: Area, schemas: Schemas): string {
  const shown = operations.map((each) => operationOf(each, schemas)).join("\n");
  return `<section aria-label="${escaped(name)}"><h2>${escaped(name)}</h2>
<p>${escaped(description)}</p>${shown}</section>`;
}

function operationOf({ method, path, operation }: Placed, schemas: Schemas): string {
  const { operationId, summary, description, parameters = [] } = operation;
  return `<article id="${operationId}" aria-labelledby="${operationId}-name">
<h3 id="${operationId}-name">${escaped(summary)}</h3>
<p class="route"><span class="method">${method}</span> <code>${broken(path)}</code></p>
<p>${prose(description)}</p>
${parametersOf(parameters)}
${bodyOf(operation, schemas)}
${answersOf(operation)}
${refusalsOf(operation)}
${examplesOf(method, path, operation)}
</article>`;
}

/** A long path may go on in the next line, behind a slash. */
function broken(path: string): string {
  return escaped(path).replaceAll("/", "/<wbr>");
}

function parametersOf(parameters: readonly OpenApiParameter[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const must = required ? "" : ", optional";
    const said = [description, limitsOf(schema)].filter((each) => each !== "").join(" ");
    return `<dt><code>${escaped(name)}</code> <span class="type">${typeOf(schema)}</span> <span class="hint">${place}${must}</span></dt><dd>${prose(said)}</dd>`;
  });
  return `<h4>Parameters</h4><dl class="fields">${rows.join("")}</dl>`;
}

function bodyOf({ requestBody }: OpenApiOperation, schemas: Schemas): string {
  if (requestBody === undefined) return "";
  const must = requestBody.required ? "" : ` <span class="hint">optional</span>`;
  const bodies = Object.entries(requestBody.content).map(([type, { schema }]) => {
    const body = schemas[nameOf(schema) ?? ""] ?? schema;
    const choices = body["anyOf"] as readonly JsonSchema[] | undefined;
    const shown = choices === undefined ? fieldsOf(body) : choices.map(fieldsOf).join("<p>or</p>");
    return `<p class="hint">${escaped(type)}</p>${shown}`;
  });
  return `<h4>Body${must}</h4>${bodies.join("")}`;
}

function answersOf({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses).flatMap(([status, { description, content, headers }]) => {
    if (isRefusalOnly(status, content)) return [];
    const types = Object.entries(content ?? {})
      .filter(([type]) => type !== PROBLEM_TYPE)
      .map(([type, { schema }]) => {
        const name = nameOf(schema);
        return name === null ? escaped(type) : link(name);
      });
    const names = Object.entries(headers ?? {}).map(([name]) => escaped(name));
    const beside = names.length === 0 ? "" : ` <span class="hint">with ${names.join(", ")}</span>`;
    return [`<dt>${status} ${types.join(" ")}${beside}</dt><dd>${prose(description)}</dd>`];
  });
  return `<h4>Answers</h4><dl class="fields">${rows.join("")}</dl>`;
}

function isRefusalOnly(status: string, content: object | undefined): boolean {
  const types = Object.keys(content ?? {});
  return Number(status) >= 400 && types.every((type) => type === PROBLEM_TYPE);
}

function refusalsOf(operation: OpenApiOperation): string {
  const refusals = operation["x-problems"];
  if (refusals.length === 0) return "";
  const rows = refusals.map(
    ({ code, why }) =>
      `<dt><a href="#problem-${code}"><code>${code}</code></a></dt><dd>${prose(why)}</dd>`,
  );
  const summary = `${counted(refusals.length, "way")} to be refused`;
  return `<h4>Problems</h4>${foldable(summary, `<dl class="fields">${rows.join("")}</dl>`)}`;
}

const isProblem = (name: string): boolean => name.endsWith("Problem") && name !== "Problem";

function problemsOf(schemas: Schemas): string {
  const rows = Object.entries(schemas)
    .filter(([name]) => isProblem(name))
    .map(([, schema]) => problemOf(schema));
  return `<section id="problems" aria-label="Problems"><h2>Problems</h2>${rows.join("\n")}</section>`;
}

function problemOf(schema: JsonSchema): string {
  const properties = schema["properties"] as Record<string, JsonSchema>;
  const { code, status, title, type: _type, detail: _detail, ...own } = properties;
  const name = String(code?.["const"]);
  const extra =
    Object.keys(own).length === 0 ? "" : fieldsOf({ ...schema, properties: own, description: "" });
  return `<article id="problem-${name}" aria-labelledby="problem-${name}-name">
<h3 id="problem-${name}-name"><code>${escaped(name)}</code> <span class="hint">${String(status?.["const"])}</span></h3>
<p>${escaped(String(title?.["const"]))}. ${prose(String(schema["description"]))}</p>${extra}
</article>`;
}

function schemasOf(schemas: Schemas): string {
  const shown = Object.entries(schemas)
    .filter(([name]) => !isProblem(name))
    .map(
      ([name, schema]) => `<article id="schema-${name}" aria-labelledby="schema-${name}-name">
<h3 id="schema-${name}-name">${escaped(name)}</h3>${fieldsOf(schema)}</article>`,
    );
  return `<section id="schemas" aria-label="Schemas"><h2>Schemas</h2>${shown.join("\n")}</section>`;
}
