/** The document itself: valid by validators of others, whole, and with limits that are the product's. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import * as limits from "../../../src/domain/limits.ts";
import type { JsonSchema } from "../../../src/http/contract/json-schema.ts";
import { documentOf } from "../../../src/http/contract/document.ts";
import { PROBLEMS } from "../../../src/http/problem.ts";
import { ROUTES } from "../../../src/http/router.ts";
import { violations } from "../../support/contract.ts";
import { api } from "../http/api.ts";

const document = documentOf(ROUTES);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("R-contract: /openapi.json", () => {
  it("is what a Worker serves to everybody, made once, with a tag to ask by", async () => {
    const { ask, calls } = api();
    const response = await ask("GET", "/openapi.json", { token: null });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
    const etag = response.headers.get("etag") ?? "";
    const again = await ask("GET", "/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const other = await ask("GET", "/openapi.json", { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
    expect(calls).toEqual([]);
  });

  it("is valid by the schema of OpenAPI 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect({ valid, errors, version: validator.version }).toEqual({
      valid: true,
      errors: undefined,
      version: "3.1",
    });
  });

  it("has no fault that a linter of OpenAPI knows", async () => {
    const config = await createConfig({
      extends: ["recommended-strict"],
      rules: {
        "no-invalid-parameter-examples": "error",
        "no-invalid-schema-examples": "error",
        // What neither asks objects nor wants a token has nothing to refuse.
        "operation-4xx-response": "off",
      },
    });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    const faults = found.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ""}`);
    expect(faults.filter((each) => !isMeant(each))).toEqual([]);
  });

  it("has examples that fit their schemas, but for those that show a refusal", () => {
    const faulty = examples().filter(({ schema, value }) => violations(schema, value).length > 0);
    expect(faulty.filter(({ status }) => status < 400)).toEqual([]);
    expect(faulty.map(({ key }) => key)).toContain("createCampaign.faults");
  });

  it("describes each route, and no other", () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
    const described = operations.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    );
    expect(described.toSorted()).toEqual(routes.toSorted());
  });

  it("has every problem code, each with an example that its schema takes", () => {
    const { schemas } = document.components;
    for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
      const name = `${code.charAt(0).toUpperCase()}${code.slice(1)}Problem`;
      const [example] = (schemas[name]?.["examples"] ?? []) as unknown[];
      expect(example).toMatchObject({ code, status, title });
      expect(violations({ $ref: `#/components/schemas/${name}` }, example)).toEqual([]);
    }
    const [, ...codes] = Object.keys(schemas).filter((name) => name.endsWith("Problem"));
    expect(codes.length).toBe(Object.keys(PROBLEMS).length);
  });

  it("says who may: a token for what is not public, the operator's for what changes", () => {
    for (const { path, method, operation } of operations) {
      const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
      const route = ROUTES.find(
        (each) => each.path === pattern && each.method.toLowerCase() === method,
      );
      const role = route?.access === "operate" ? "operator" : "viewer";
      const wanted = route?.access === "public" ? [] : [{ bearer: [role] }, { session: [role] }];
      expect({ path, security: operation.security }).toEqual({ path, security: wanted });
    }
  });

  it("names the limits of the product", () => {
    const { schemas } = document.components;
    const field = (schema: string, ...path: readonly string[]) =>
      path.reduce<unknown>(
        (at, name) => (at as Record<string, Record<string, unknown>>)["properties"]?.[name],
        schemas[schema],
      );
    expect(field("CampaignDraft", "name")).toMatchObject({ maxLength: limits.MAX_NAME_CHARACTERS });
    expect(field("CampaignDraft", "subject")).toMatchObject({
      maxLength: limits.MAX_SUBJECT_CHARACTERS,
    });
    expect(field("CampaignDraft", "headers")).toMatchObject({
      maxProperties: limits.MAX_HEADERS,
      additionalProperties: { maxLength: limits.MAX_HEADER_CHARACTERS },
    });
    expect(field("CampaignDraft", "settings", "batchSize")).toMatchObject({
      minimum: 1,
      maximum: limits.MAX_BATCH_SIZE,
    });
    expect(field("Replay", "ids")).toMatchObject({
      maxItems: limits.MAX_NAMED_RECIPIENTS,
      items: { maxLength: limits.MAX_RECIPIENT_ID_CHARACTERS },
    });
    expect(field("SuppressionRequest", "addresses")).toMatchObject({
      maxItems: limits.MAX_SUPPRESSION_ADDRESSES,
    });
    expect(field("TestRequest", "to")).toMatchObject({ maxItems: limits.MAX_TEST_ADDRESSES });
    expect(field("ReservationRequest", "recipients")).toMatchObject({
      maxItems: limits.MAX_BATCH_SIZE,
    });
  });

  it("leaves no text, list or map of a request without a bound", () => {
    const names = ["CampaignDraft", "CampaignChange", "Segment", "PreviewRequest", "TestRequest"];
    names.push("Start", "Replay", "Resolution", "ReservationRequest", "Report");
    names.push("SuppressionRequest", "SignIn");
    const loose = names.flatMap((name) => unbounded(document.components.schemas[name], name));
    // Merge fields are bounded as a whole, which JSON Schema has no word for.
    expect(loose.filter((path) => !path.endsWith(".data"))).toEqual([]);
  });
});

/** What the linter finds and what is so on purpose. */
function isMeant(fault: string): boolean {
  const unused = "LiveMessage|Problem|PathNotFoundProblem|MethodNotAllowedProblem";
  return [
    // What is told by WebSocket, or where no path is, has no other place in OpenAPI.
    new RegExp(`^no-unused-components #/components/schemas/(${unused})$`),
    // 101 is what a WebSocket answers.
    /^operation-2xx-response #\/paths\/~1api~1campaigns~1\{id\}~1live\/get\/responses$/,
    // The properties stand beside the `not`.
    /^no-required-schema-properties-undefined .*\/not\/required\/\d$/,
    // Those of refusals are looked at in a test of their own.
    /^no-invalid-(media-type|parameter)-examples .*\/(faults|brokenJson|breaksOff|bothWays)\/value/,
    /^no-invalid-parameter-examples .*\/(outOfRange|brokenPath|longKey)\/value$/,
  ].some((each) => each.test(fault));
}

type Example = { key: string; status: number; schema: JsonSchema; value: unknown };

/** Each example of a request or an answer, with the schema that it stands beside. */
function examples(): Example[] {
  return operations.flatMap(({ operation }) => {
    const { operationId, requestBody, responses } = operation;
    const contents = [requestBody, ...Object.values(responses)].flatMap((each) =>
      Object.values(each?.content ?? {}),
    );
    return [...contents, ...(operation.parameters ?? [])].flatMap((each) =>
      Object.entries(each.examples ?? {}).map(([name, { value }]) => ({
        key: `${operationId}.${name}`,
        status: operation["x-examples"][name]?.status ?? 0,
        schema: each.schema,
        value,
      })),
    );
  });
}

/** Where a value could be of any size. */
function unbounded(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const {
    type,
    properties = {},
    items,
    anyOf = [],
    oneOf = [],
    ...rest
  } = schema as Record<string, Record<string, unknown>>;
  const kind = type as unknown;
  const fixed = "enum" in rest || "const" in rest || "pattern" in rest;
  const isLoose =
    (kind === "string" && !fixed && !("maxLength" in rest)) ||
    (kind === "array" && !("maxItems" in rest)) ||
    (kind === "object" &&
      rest["additionalProperties"] !== (false as never) &&
      !("maxProperties" in rest));
  return [
    ...(isLoose ? [path] : []),
    ...Object.entries(properties).flatMap(([name, each]) => unbounded(each, `${path}.${name}`)),
    ...unbounded(items, `${path}[]`),
    ...[...Object.values(anyOf), ...Object.values(oneOf)].flatMap((each) => unbounded(each, path)),
  ];
}
