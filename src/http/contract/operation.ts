/**
 * How a route is described. A description names schemas and holds plain data, so that it costs
 * nothing until somebody asks for the contract, and what it names is checked by the compiler: a
 * route without a description, a parameter without one, or one that no route has, fails `tsc`.
 */
import type { Route } from "../route.ts";
import type { ProblemCode } from "../problem.ts";
import type { ROUTES } from "../router.ts";
import type { AnswerName } from "./answers/all.ts";
import type { RequestName } from "./requests.ts";

/** Chapters of the contract, in the order in which they are read. */
export const AREAS = {
  campaigns: { name: "Campaigns", description: "Create, change, look at and erase them." },
  recipients: { name: "Recipients", description: "Who is to be mailed, and what became of them." },
  checks: { name: "Before the start", description: "What would be sent, and what would go wrong." },
  run: { name: "The run", description: "From the start to the finish, and repairs." },
  looking: { name: "What has happened", description: "Numbers, history, and the live stream." },
  reservations: {
    name: "Reservations for other queues",
    description: "For consumers of any queue, who mail by themselves.",
  },
  suppressions: { name: "Suppressions", description: "Addresses that no campaign may mail." },
  people: { name: "People", description: "What is held about one person, and its erasure." },
  outside: {
    name: "For recipients and the provider",
    description: "Webhooks, and the links in mails.",
  },
  service: { name: "The service", description: "Whether it lives, and this contract." },
  dashboard: { name: "The dashboard", description: "What the pages at / use." },
} as const;
export type Area = keyof typeof AREAS;

/** A piece of JSON Schema, for what is a text on the wire: a parameter or a header. */
export type TextSchema = Readonly<Record<string, unknown>>;

export type Parameter = {
  readonly text: string;
  readonly schema: TextSchema;
  readonly required?: boolean;
};

/** `read` says how the body is taken in, and with that what it may be refused for. */
export type RequestBody = {
  readonly read: "json" | "optionalJson" | "stream" | "form" | "signed";
  readonly content: Readonly<Record<string, RequestName>>;
};

export type Answer = {
  readonly text: string;
  readonly content?: { readonly type: string; readonly schema: AnswerName };
  /** Headers that matter here, beside those that every answer carries. */
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * One request, and the status that it is answered with where the state is the one that `summary`
 * tells of. What is answered is not written here but recorded from the running Worker.
 */
export type Example = {
  readonly summary: string;
  readonly status: number;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body's media type where there are several. */
  readonly type?: string;
  readonly body?: unknown;
};

export type Operation<Query extends string = string> = {
  /** A name for programs that make clients from the contract; it never changes. */
  readonly id: string;
  readonly area: Area;
  readonly summary: string;
  readonly text?: string;
  readonly query: Readonly<Record<Query, Parameter>>;
  readonly headers?: Readonly<Record<string, Parameter>>;
  readonly body?: RequestBody;
  readonly answers: Readonly<Record<number, Answer>>;
  /** False where nobody is asked, so that no answer can be lost and no object be busy. */
  readonly asks?: false;
  /** What it refuses beyond what follows from its access, parameters and body; and why. */
  readonly refuses: Readonly<Partial<Record<ProblemCode, string>>>;
  readonly examples: Readonly<Record<string, Example>>;
};

type Described = (typeof ROUTES)[number];
type KeyOf<Each extends Route> = `${Each["method"]} ${Each["path"]}`;
type QueryOf<Each extends Route> = Each["query"] extends readonly (infer Name)[]
  ? Extract<Name, string>
  : never;

/** Every route by its method and path. */
export type Operations = {
  readonly [Each in Described as KeyOf<Each>]: Operation<QueryOf<Each>>;
};
export type OperationKey = keyof Operations;

/** The part of them that one file describes; checked by name, and kept to what it really has. */
export type SomeOperations = Partial<Operations>;

/** The named parts of a path. */
type ParametersIn<Path extends string> = Path extends `${infer Before}/${infer After}`
  ? ParametersIn<Before> | ParametersIn<After>
  : Path extends `:${infer Name}`
    ? Name
    : never;
export type PathParameter = ParametersIn<Described["path"]>;

export function json(schema: AnswerName, text: string, headers?: Answer["headers"]): Answer {
  const content = { type: "application/json", schema };
  return headers === undefined ? { text, content } : { text, content, headers };
}

export const jsonBody = (schema: RequestName): RequestBody => ({
  read: "json",
  content: { "application/json": schema },
});

export const optionalJsonBody = (schema: RequestName): RequestBody => ({
  read: "optionalJson",
  content: { "application/json": schema },
});
