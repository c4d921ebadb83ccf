/** Which problems a route can answer: those that follow from what it is, and those of its own. */
import { PROBLEMS, type ProblemCode } from "../problem.ts";
import type { Route } from "../route.ts";
import type { Operation } from "./operation.ts";
import { PROBLEM_TEXTS } from "./problems.ts";

export type Refusal = { readonly code: ProblemCode; readonly why: string };

/** In the order of their statuses, each with its reason. */
export function refusalsOf(route: Route, operation: Operation): Refusal[] {
  const implied = [
    ...byRequest(route, operation),
    ...byAccess(route),
    ...(operation.asks === false
      ? []
      : (["internal", "overloaded", "storageFull", "unavailable"] as const)),
  ];
  const own = operation.refuses;
  const codes = new Set<ProblemCode>([...implied, ...(Object.keys(own) as ProblemCode[])]);
  return [...codes]
    .map((code) => ({ code, why: own[code] ?? PROBLEM_TEXTS[code].when }))
    .toSorted((left, right) => PROBLEMS[left.code].status - PROBLEMS[right.code].status);
}

function byRequest(route: Route, { body }: Operation): ProblemCode[] {
  const codes: ProblemCode[] = [];
  if (route.path.includes(":")) codes.push("malformedPath");
  if (route.query !== "any") codes.push("invalidQuery");
  if (route.path.startsWith("/api/campaigns/:id")) codes.push("campaignNotFound");
  if (body?.read === "json" || body?.read === "optionalJson") {
    codes.push("bodyInterrupted", "malformedText", "malformedJson", "invalidFields");
    codes.push("tooLarge", "unsupportedMediaType");
  }
  return codes;
}

function byAccess({ access }: Route): ProblemCode[] {
  if (access === "public") return [];
  const codes: ProblemCode[] = ["noToken", "unknownToken", "sessionEnded", "notConfigured"];
  codes.push("tooManyGuesses");
  if (access === "operate") codes.push("viewerOnly");
  // Also of a GET: with an upgrade it asks for a socket, which is more than a look.
  codes.push("wrongOrigin");
  return codes;
}
