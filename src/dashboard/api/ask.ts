/**
 * One request to the API. A refusal comes as an `ApiError` with the sentence that the server wrote
 * for people; a server that can't be reached as one with the code `offline`.
 */

import type { FieldFault } from "../../client/problem.ts";

export class ApiError extends Error {
  readonly code: string;
  readonly faults: readonly FieldFault[];
  /** The whole problem, for those who need its further members. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(code: string, detail: string, problem: Readonly<Record<string, unknown>> = {}) {
    super(detail);
    this.name = "ApiError";
    this.code = code;
    this.problem = problem;
    this.faults = (problem.errors as readonly FieldFault[] | undefined) ?? [];
  }
}

const OFFLINE = "The server can't be reached. Nothing is lost; try again when it is back.";

/** Called when the session has ended, so that the page can ask to sign in again. */
let onSignedOut: () => void = () => undefined;
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

export async function ask<Answer>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
): Promise<Answer> {
  const content =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  let response: Response;
  try {
    response = await fetch(path, { method, ...content });
  } catch {
    throw new ApiError("offline", OFFLINE);
  }
  return answerOf(response.status, await response.text()) as Answer;
}

/** The JSON of an answer; throws what it says where it is a refusal. */
export function answerOf(status: number, text: string): unknown {
  if (status === 0) throw new ApiError("offline", OFFLINE);
  if (status >= 200 && status < 300) return text === "" ? null : JSON.parse(text);
  const error = errorOf(status, text);
  if (error.code === "sessionEnded" || error.code === "noToken") onSignedOut();
  throw error;
}

function errorOf(status: number, text: string): ApiError {
  try {
    const problem = JSON.parse(text) as Record<string, unknown>;
    if (typeof problem.code === "string") {
      return new ApiError(problem.code, String(problem.detail ?? problem.title), problem);
    }
  } catch {
    // No problem of ours: something between here and the server has answered.
  }
  return new ApiError("unknown", `The server answered ${status} and said nothing more.`);
}

/** What went wrong, for people, whatever was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
