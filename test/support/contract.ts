/**
 * Holds answers against the contract that the Worker serves of itself: the route, the status, the
 * problem's code, the content type, and the body by its schema. The validator is one of others, and
 * needs no eval, so that the same check runs in Node and in workerd.
 */
import { Validator, type Schema } from "@cfworker/json-schema";
import { documentOf, type OpenApiDocument } from "../../src/http/contract/document.ts";
import type { OpenApiOperation } from "../../src/http/contract/document-operation.ts";
import type { JsonSchema } from "../../src/http/contract/json-schema.ts";
import { ROUTES } from "../../src/http/router.ts";

export type Told = {
  readonly method: string;
  /** With its query, as it was asked for. */
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
};

type Place = { readonly name: string; readonly operation: OpenApiOperation };

let whole: OpenApiDocument | null = null;

function contract(): OpenApiDocument {
  whole ??= closed(documentOf(ROUTES)) as OpenApiDocument;
  return whole;
}

/** The contract lets answers get more fields; a test wants to know of each. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => closed(each));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, closed(each)]),
  );
  const isObject = typeof copy["properties"] === "object" && copy["type"] === "object";
  return isObject ? { additionalProperties: false, ...copy } : copy;
}

/** Where the path and the method lead; null where to nothing. */
function placeOf(method: string, path: string): Place | null {
  const { pathname } = new URL(path, "http://any");
  const asked = method === "HEAD" ? "get" : method.toLowerCase();
  const found = Object.entries(contract().paths)
    .filter(([pattern, methods]) => asked in methods && expression(pattern).test(pathname))
    .toSorted(([left], [right]) => left.split("{").length - right.split("{").length);
  const [pattern, methods] = found[0] ?? [];
  const operation = methods?.[asked];
  return operation === undefined ? null : { name: `${method} ${pattern}`, operation };
}

function expression(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

/** What of an answer is not as the contract says; empty where nothing. */
export function breaches(told: Told): string[] {
  const { method, path, status, body } = told;
  const type = told.type.split(";")[0] ?? "";
  const place = placeOf(method, path);
  if (place === null) {
    return status === 404 || status === 405 ? [] : [`${method} ${path} is not in the contract`];
  }
  const { name, operation } = place;
  const response = operation.responses[String(status)];
  if (response === undefined) return [`${name} has no ${status}: ${JSON.stringify(body)}`];
  if (type === "application/problem+json" && method !== "HEAD") {
    const { code } = body as { code: string };
    const known = operation["x-problems"].some((each) => each.code === code);
    if (!known) return [`${name} has no problem ${code}`];
  }
  if (body === "" || method === "HEAD") return [];
  const schema = response.content?.[type]?.schema;
  if (schema === undefined) return [`${name} ${status} has no ${type}`];
  return violations(schema, body).map((each) => `${name} ${status}: ${each}`);
}

const validators = new Map<string, Validator>();

/** @param schema with references into the contract */
export function violations(schema: JsonSchema, value: unknown): string[] {
  const key = JSON.stringify(schema);
  const root = { components: contract().components, ...schema } as Schema;
  const validator = validators.get(key) ?? new Validator(root, "2020-12", false);
  validators.set(key, validator);
  const { valid, errors } = validator.validate(value);
  return valid ? [] : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}
