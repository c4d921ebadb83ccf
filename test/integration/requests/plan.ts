/**
 * What is generated: a right request of one route, the one who sends it, and up to three tricks done
 * to it. A plan is plain values, so that a failure prints it and fast-check can make it smaller.
 */
import * as fc from "fast-check";
import { ROUTES } from "../../../src/http/router.ts";
import { EXAMPLES } from "./examples.ts";
import { HEADERS, PARTS, PATH_TRICKS, QUERY_NAMES, QUERY_VALUES } from "./odd-text.ts";
import { ODD_BODIES, oddJson, oddName } from "./odd.ts";

export type Trick =
  | { readonly kind: "value"; readonly at: number; readonly json: string }
  | { readonly kind: "field"; readonly name: string; readonly json: string }
  | { readonly kind: "without"; readonly at: number }
  | { readonly kind: "body"; readonly name: string }
  | { readonly kind: "cut"; readonly share: number }
  | { readonly kind: "byte"; readonly share: number; readonly byte: number }
  | { readonly kind: "header"; readonly name: string; readonly value: string }
  | { readonly kind: "path"; readonly trick: string; readonly share: number }
  | { readonly kind: "query"; readonly name: string; readonly value: string }
  | { readonly kind: "method"; readonly method: string };

export type Who =
  | "operator"
  | "viewer"
  | "nobody"
  | "stranger"
  | "guesser"
  | "session"
  | "foreignSession"
  | "forgedSession";

export type Plan = {
  readonly route: string;
  /** Which of the route's right bodies. */
  readonly example: number;
  /** What the named parts of the path are, by their place. */
  readonly parts: readonly string[];
  readonly who: Who;
  readonly signed: boolean;
  readonly tricks: readonly Trick[];
};

export const NAMES: readonly string[] = ROUTES.map(({ method, path }) => `${method} ${path}`);

const share = fc.integer({ min: 0, max: 100 });
const header = fc
  .constantFrom(...HEADERS)
  .chain(([name, values]) =>
    fc.constantFrom(...values).map((value) => ({ kind: "header" as const, name, value })),
  );

const trick: fc.Arbitrary<Trick> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant("value"), at: fc.nat({ max: 30 }), json: oddJson }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("field"), name: oddName, json: oddJson }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("without"), at: fc.nat({ max: 30 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("body"),
      name: fc.oneof(
        { weight: 60, arbitrary: fc.constantFrom(...Object.keys(ODD_BODIES)) },
        { weight: 1, arbitrary: fc.constant("tooLarge") },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut"), share }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("byte"),
      share,
      byte: fc.integer({ min: 0, max: 255 }),
    }),
  },
  { weight: 4, arbitrary: header },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("path"),
      trick: fc.constantFrom(...PATH_TRICKS),
      share,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("query"),
      name: fc.oneof(fc.constantFrom(...QUERY_NAMES), oddName),
      value: fc.oneof(fc.constantFrom(...QUERY_VALUES), fc.string()),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("method"),
      method: fc.constantFrom(
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "PROPFIND",
        "PURGE",
      ),
    }),
  },
);

const who = fc.oneof(
  { weight: 14, arbitrary: fc.constant("operator" as const) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Who[]>(
      "viewer",
      "nobody",
      "stranger",
      "guesser",
      "session",
      "foreignSession",
      "forgedSession",
    ),
  },
);

/** Mostly one that is there. */
const campaign = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PARTS.slice(0, 5)) },
  { weight: 1, arbitrary: fc.constantFrom(...PARTS) },
);

export const plan: fc.Arbitrary<Plan> = fc.constantFrom(...NAMES).chain((route) =>
  fc.record({
    route: fc.constant(route),
    example: fc.nat({ max: Math.max(0, (EXAMPLES[route]?.length ?? 1) - 1) }),
    parts: fc.tuple(
      route.includes("/campaigns/:id") ? campaign : fc.constantFrom(...PARTS),
      fc.constantFrom(...PARTS),
    ),
    who,
    signed: fc.boolean(),
    tricks: fc.array(trick, { minLength: 0, maxLength: 3, size: "max" }),
  }),
);
