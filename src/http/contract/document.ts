/**
 * The contract as an OpenAPI 3.1 document, made from the routes and from the schemas that check their
 * requests. It is made when it is first asked for, and once for an isolate.
 */
import * as z from "zod";
import { PROBLEMS, type ProblemCode } from "../problem.ts";
import type { Route } from "../route.ts";
import { ANSWER_SCHEMAS } from "./answers/all.ts";
import { jsonSchemas, type JsonSchema } from "./json-schema.ts";
import { AREAS, type Operation, type OperationKey } from "./operation.ts";
import { documentOperation, problemName, type OpenApiOperation } from "./document-operation.ts";
import { OPERATIONS } from "./operations/all.ts";
import { PROBLEM_TEXTS } from "./problems.ts";
import { recordedProblem } from "./recorded.ts";
import { REQUEST_SCHEMAS } from "./requests.ts";

/** The contract's own: rises when something that was promised is taken back. */
const VERSION = "1";

const INTRODUCTION = `Sendonce mails every recipient of a campaign once.

A program sends \`Authorization: Bearer <token>\`: the operator's token may do all, the viewer's may read. A browser signs in with a token and uses its session.

Bodies are JSON where nothing else is said, and a field that is not known is refused by name. Times are RFC 3339 with an offset. Lists page with \`limit\` and an opaque \`cursor\`. What is answered with a 2xx is on disk.

Every refusal is \`application/problem+json\` (RFC 9457) with a stable \`code\`. A path that is not listed here answers \`pathNotFound\` (404), and a method that its path doesn't know \`methodNotAllowed\` (405) with \`Allow\`; where there is GET, there is HEAD. Answers may get more fields: pass over those that you don't know.`;

export type OpenApiDocument = {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly description: string; [key: string]: unknown };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
  readonly [key: string]: unknown;
};

export function documentOf(routes: readonly Route[]): OpenApiDocument {
  return {
    openapi: "3.1.0",
    info: {
      title: "Sendonce",
      version: VERSION,
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.values(AREAS),
    paths: pathsOf(routes),
    components: { schemas: schemas(), securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY_SCHEMES: Readonly<Record<string, JsonSchema>> = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "OPERATOR_TOKEN or VIEWER_TOKEN, as they were set with the deployment.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-sendonce",
    description:
      "The cookie of a browser that has signed in at /session; over plain http on the own machine " +
      "it is called sendonce. Changes have to come from a page of the same origin.",
  },
};

function pathsOf(routes: readonly Route[]): OpenApiDocument["paths"] {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const known = (paths[path] ??= {});
    known[route.method.toLowerCase()] = documentOperation(route, operationOf(route));
  }
  return paths;
}

/** Every route of the table has one, as the compiler has seen (operations/all.ts). */
export function operationOf(route: Route): Operation {
  return OPERATIONS[`${route.method} ${route.path}` as OperationKey];
}

function schemas(): Record<string, JsonSchema> {
  // A text is only a string, which stands where it is used.
  const { Text: _text, ...answers } = ANSWER_SCHEMAS;
  return {
    ...jsonSchemas(REQUEST_SCHEMAS, "input"),
    ...jsonSchemas(answers, "output"),
    ...problemSchemas(),
  };
}

/** `Problem` is what all have in common; each code has its own beside it. */
function problemSchemas(): Record<string, JsonSchema> {
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  const own = Object.fromEntries(codes.map((code) => [problemName(code), problemOf(code)]));
  const converted = jsonSchemas({ Problem: anyProblem(codes), ...own }, "output");
  for (const code of codes) {
    const schema = converted[problemName(code)];
    if (schema !== undefined) schema["examples"] = [recordedProblem(code)];
  }
  return converted;
}

function anyProblem(codes: readonly ProblemCode[]): z.ZodType {
  return z
    .object({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      code: z.enum(codes),
      detail: z.string(),
    })
    .describe("What every refusal has; its code says which of the schemas below it fits.");
}

function problemOf(code: ProblemCode): z.ZodType {
  const { status, title } = PROBLEMS[code];
  const { when, members = {} } = PROBLEM_TEXTS[code];
  return z
    .object({
      type: z.literal(`urn:sendonce:problem:${code}`),
      title: z.literal(title),
      status: z.literal(status),
      code: z.literal(code),
      detail: z.string().describe("For the person who made the request."),
      ...members,
    })
    .describe(when);
}
