/**
 * One request to the API. A refusal comes as an `ApiError` with the sentence that the server wrote
 * for people; a server that can't be reached as one with the code `offline`.
 */

import { tagAsGiven } from "../../client/entity-tag.ts";
import type { FieldFault } from "../../client/problem.ts";
import type { Tagged } from "../../client/types.ts";
import { reached, unreached } from "./reach.ts";

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

export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.code === "offline";
}

/**
 * What stands for the notice of an action that got no answer, once the server is back. An answer
 * that was lost may be that of an action that was carried out.
 */
export function backAgain(): ApiError {
  const look = "Look whether your last step was carried out; if not, take it again.";
  const detail = `The server is back. ${look}`;
  return new ApiError("backAgain", detail);
}

/** Called when the session has ended, so that the page can ask to sign in again. */
let onSignedOut: () => void = () => undefined;
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export async function ask<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
  return (await askTagged<Answer>(method, path, body)).value;
}

/**
 * The answer with its tag, which is empty where it has none.
 * @param ifMatch the tag of what the change is made from; empty: of whatever stands
 */
export async function askTagged<Answer>(
  method: Method,
  path: string,
  body?: object,
  ifMatch = "",
): Promise<Tagged<Answer>> {
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(ifMatch === "" ? {} : { "if-match": ifMatch }),
  };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, { method, headers, ...content });
    text = await response.text();
  } catch {
    throw offline();
  }
  const value = answerOf(response.status, text) as Answer;
  return { value, etag: tagAsGiven(response.headers.get("etag") ?? "") };
}

function offline(): ApiError {
  unreached();
  return new ApiError("offline", OFFLINE);
}

/** The JSON of an answer; throws what it says where it is a refusal. */
export function answerOf(status: number, text: string): unknown {
  if (status === 0) throw offline();
  reached();
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

/** What went wrong, for people, whatever was thrown. The server's marks of code are quotes here. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/`([^`]*)`/g, "“$1”");
}
