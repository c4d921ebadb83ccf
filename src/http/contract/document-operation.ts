/** One operation of the document: parameters, body, answers and examples. */
import { PROBLEM_TYPE, PROBLEMS, type ProblemCode } from "../problem.ts";
import type { Access, Route } from "../route.ts";
import type { AnswerName } from "./answers/all.ts";
import { schemaRef, type JsonSchema } from "./json-schema.ts";
import {
  AREAS,
  type Answer,
  type Example,
  type Operation,
  type PathParameter,
} from "./operation.ts";
import { PATH_PARAMETERS } from "./parameters.ts";
import { PROBLEM_TEXTS } from "./problems.ts";
import { recordedAnswer } from "./recorded.ts";
import { refusalsOf, type Refusal } from "./refusals.ts";

export type NamedExamples = Readonly<
  Record<string, { readonly summary: string; readonly value: unknown }>
>;
export type MediaContent = { readonly schema: JsonSchema; readonly examples?: NamedExamples };
export type OpenApiParameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly examples?: NamedExamples;
};
export type OpenApiResponse = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly content?: Readonly<Record<string, MediaContent>>;
};
export type OpenApiOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaContent>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  /** Each problem that the operation can answer, and when. */
  readonly "x-problems": readonly Refusal[];
  /** Each example with the status of its answer; its parts stand under the same name elsewhere. */
  readonly "x-examples": Readonly<
    Record<string, { readonly summary: string; readonly status: number }>
  >;
};

export function problemName(code: ProblemCode): string {
  return `${code.charAt(0).toUpperCase()}${code.slice(1)}Problem`;
}

export function documentOperation(route: Route, operation: Operation): OpenApiOperation {
  const refusals = refusalsOf(route, operation);
  const parameters = parametersOf(route, operation);
  const { body, examples } = operation;
  // RFC 9110 §9.3.5 gives the content of a DELETE no meaning, so that none is offered.
  const requestBody =
    body === undefined || route.method === "DELETE"
      ? {}
      : {
          requestBody: {
            required: body.read !== "optionalJson",
            content: mapped(body.content, (schema, type) => ({
              schema: schemaRef(schema),
              ...named(examples, (each) => bodyOf(each, type, Object.keys(body.content))),
            })),
          },
        };
  return {
    operationId: operation.id,
    tags: [AREAS[operation.area].name],
    summary: operation.summary,
    description: [operation.text, WHO[route.access]].filter((each) => each !== undefined).join(" "),
    security: SECURITY[route.access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody,
    responses: responsesOf(operation, refusals),
    "x-problems": refusals,
    "x-examples": mapped(examples, ({ summary, status }) => ({ summary, status })),
  };
}

const WHO: Readonly<Record<Access, string>> = {
  public: "For everybody.",
  view: "For both tokens.",
  operate: "For the operator's token.",
};

/** What an array holds beside a scheme that is no OAuth are roles (OpenAPI 3.1, Security Requirement). */
const SECURITY: Readonly<Record<Access, OpenApiOperation["security"]>> = {
  public: [],
  view: [{ bearer: ["viewer"] }, { session: ["viewer"] }],
  operate: [{ bearer: ["operator"] }, { session: ["operator"] }],
};

function mapped<Value, Mapped>(
  from: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(from).map(([name, each]) => [name, map(each, name)]));
}

/** The examples for which `valueOf` gives something, under the names that all parts of one share. */
function named(
  examples: Operation["examples"],
  valueOf: (example: Example, name: string) => unknown,
): { examples?: NamedExamples } {
  const shown = Object.entries(examples).flatMap(([name, each]) => {
    const value = valueOf(each, name);
    return value === undefined ? [] : [[name, { summary: each.summary, value }] as const];
  });
  return shown.length === 0 ? {} : { examples: Object.fromEntries(shown) };
}

function bodyOf({ body, type }: Example, wanted: string, known: readonly string[]): unknown {
  return (type ?? known[0]) === wanted ? body : undefined;
}

function parametersOf({ path }: Route, operation: Operation): OpenApiParameter[] {
  const { examples, query, headers = {} } = operation;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as PathParameter);
  return [
    ...names.map((name) => {
      const { text, schema, example } = PATH_PARAMETERS[name];
      const shown = named(examples, (each) => each.params?.[name] ?? example);
      const common = { name, in: "path" as const, required: true, description: text };
      return { ...common, schema: { ...schema }, ...shown };
    }),
    ...Object.entries(query).map(([name, { text, schema }]) => ({
      name,
      in: "query" as const,
      required: false,
      description: text,
      schema: { ...schema },
      ...named(examples, (each) => typed(each.query?.[name], schema["type"])),
    })),
    ...Object.entries(headers).map(([name, { text, schema, required = false }]) => ({
      name,
      in: "header" as const,
      required,
      description: text,
      schema: { ...schema },
      ...named(examples, (each) => each.headers?.[name]),
    })),
  ];
}

function typed(text: string | undefined, type: unknown): string | number | undefined {
  return text !== undefined && type === "integer" ? Number(text) : text;
}

function responsesOf(
  operation: Operation,
  refusals: readonly Refusal[],
): Record<string, OpenApiResponse> {
  const responses: Record<string, OpenApiResponse> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    responses[status] = answerOf(operation, Number(status), answer);
  }
  for (const [status, group] of byStatus(refusals)) {
    const refused = refusalOf(operation, status, group);
    // A page and a problem may share a status: which of them it is, its type says.
    const page = responses[status];
    responses[status] = page === undefined ? refused : { ...refused, ...both(page, refused) };
  }
  return responses;
}

function both(page: OpenApiResponse, refused: OpenApiResponse) {
  return {
    description: `${page.description} ${refused.description}`,
    content: { ...page.content, ...refused.content },
    headers: { ...page.headers, ...refused.headers },
  };
}

function byStatus(refusals: readonly Refusal[]): ReadonlyMap<number, readonly Refusal[]> {
  const groups = new Map<number, Refusal[]>();
  for (const refusal of refusals) {
    const { status } = PROBLEMS[refusal.code];
    groups.set(status, [...(groups.get(status) ?? []), refusal]);
  }
  return groups;
}

function answerOf(operation: Operation, status: number, answer: Answer): OpenApiResponse {
  const { text, content, headers } = answer;
  return {
    description: text,
    ...headersOf(headers ?? {}),
    ...(content === undefined
      ? {}
      : {
          content: {
            [content.type]: {
              schema: shownSchema(content.schema),
              ...answersIn(operation, status),
            },
          },
        }),
  };
}

function shownSchema(name: AnswerName): JsonSchema {
  return name === "Text" ? { type: "string" } : schemaRef(name);
}

function answersIn(operation: Operation, status: number): { examples?: NamedExamples } {
  return named(operation.examples, (each, name) =>
    each.status === status ? recordedAnswer(operation.id, name) : undefined,
  );
}

function refusalOf(
  operation: Operation,
  status: number,
  group: readonly Refusal[],
): OpenApiResponse {
  const refs = group.map(({ code }) => schemaRef(problemName(code)));
  const [only] = refs;
  const mapping = Object.fromEntries(
    group.map(({ code }) => [code, schemaRef(problemName(code))["$ref"]]),
  );
  const schema =
    refs.length === 1 && only !== undefined
      ? only
      : { oneOf: refs, discriminator: { propertyName: "code", mapping } };
  return {
    description: group.map(({ code, why }) => `\`${code}\`: ${why}`).join(" "),
    ...headersOf(Object.assign({}, ...group.map(({ code }) => PROBLEM_TEXTS[code].headers ?? {}))),
    content: { [PROBLEM_TYPE]: { schema, ...answersIn(operation, status) } },
  };
}

function headersOf(headers: Readonly<Record<string, string>>) {
  if (Object.keys(headers).length === 0) return {};
  return {
    headers: mapped(headers, (description) => ({ description, schema: { type: "string" } })),
  };
}
