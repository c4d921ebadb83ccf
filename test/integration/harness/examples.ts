/** The examples of the contract as it is served, as requests that can be made. */
import { env, exports } from "cloudflare:workers";
import type { OpenApiOperation } from "../../../src/http/contract/document-operation.ts";
import type { OpenApiDocument } from "../../../src/http/contract/document.ts";

export type Replayed = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
};

/** One example of one operation, by the parts that share its name. */
export type ContractExample = {
  readonly method: string;
  /** Still with `{id}`. */
  readonly pattern: string;
  readonly operation: OpenApiOperation;
  readonly name: string;
};

export async function servedDocument(): Promise<OpenApiDocument> {
  const response = await exports.default.fetch("http://sendonce.test/openapi.json");
  return response.json();
}

/** By operation and name, as in `createCampaign.managed`. */
export function examplesOf(document: OpenApiDocument): Map<string, ContractExample> {
  const found = new Map<string, ContractExample>();
  for (const [pattern, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const name of Object.keys(operation["x-examples"])) {
        const example = { method: method.toUpperCase(), pattern, operation, name };
        found.set(`${operation.operationId}.${name}`, example);
      }
    }
  }
  return found;
}

/** What only the one who asks can know: links and signatures. */
export type Known = {
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: (body: string) => Readonly<Record<string, string>>;
};

export function replay(example: ContractExample, known: Known = {}): Promise<Replayed> {
  const { method, operation, name } = example;
  const values = (place: string): [string, string][] =>
    (operation.parameters ?? []).flatMap((parameter) => {
      const value = parameter.examples?.[name]?.value;
      return parameter.in !== place || value === undefined ? [] : [[parameter.name, textOf(value)]];
    });
  const params = { ...Object.fromEntries(values("path")), ...known.params };
  const path = example.pattern.replaceAll(/\{(\w+)\}/g, (_, each: string) => {
    const value = params[each] ?? "";
    return value.startsWith("%") ? value : encodeURIComponent(value);
  });
  const query = new URLSearchParams(values("query")).toString();
  const content = contentOf(example);
  const headers = {
    ...(operation.security.length === 0 ? {} : { authorization: `Bearer ${env.OPERATOR_TOKEN}` }),
    ...Object.fromEntries(values("header")),
    ...(content === null ? {} : { "content-type": content.type }),
    ...known.headers?.(content?.text ?? ""),
  };
  return send(method, query === "" ? path : `${path}?${query}`, headers, content?.text ?? null);
}

function contentOf({ operation, name }: ContractExample): { type: string; text: string } | null {
  for (const [type, { examples }] of Object.entries(operation.requestBody?.content ?? {})) {
    const value = examples?.[name]?.value;
    if (value === undefined) continue;
    const isForm = type === "application/x-www-form-urlencoded";
    const form = isForm ? new URLSearchParams(value as Record<string, string>).toString() : null;
    return { type, text: form ?? textOf(value) };
  }
  return null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export async function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: BodyInit | null = null,
): Promise<Replayed> {
  const request = new Request(`http://sendonce.test${path}`, { method, headers, body });
  return read(method, path, await exports.default.fetch(request));
}

export async function read(method: string, path: string, response: Response): Promise<Replayed> {
  response.webSocket?.accept();
  response.webSocket?.close();
  const text = await response.text();
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const body: unknown = type.includes("json") && text !== "" ? JSON.parse(text) : text;
  return { method, path, status: response.status, type, body };
}
