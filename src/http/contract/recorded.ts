/**
 * What the running Worker answered to the examples. The file is written by the test that replays them
 * (test/integration/contract-examples.test.ts), which fails where an answer is another one by now.
 */
import type { ProblemCode } from "../problem.ts";
import recorded from "./recorded.json" with { type: "json" };

type Recorded = {
  /** By operation and example, as in `createCampaign.managed`. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly problems: Readonly<Record<string, unknown>>;
};
const { answers, problems } = recorded as Recorded;

/** Undefined for an answer without content. */
export function recordedAnswer(operationId: string, example: string): unknown {
  return answers[`${operationId}.${example}`];
}

export function recordedProblem(code: ProblemCode): unknown {
  return problems[code];
}
