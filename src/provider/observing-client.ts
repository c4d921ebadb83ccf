/**
 * Resend's own client, with one thing changed: what it reports of an answer is what was on the wire.
 *
 * The package takes an error's status out of the body, so that a 401 whose body has no `statusCode`
 * can't be told from silence; it calls a redirect an answer of whoever is behind it; and it reads
 * bodies of any length. Everything else stays the package's: paths, headers, keys, the bytes of the
 * body. Should it ever stop making its requests through `fetchRequest`, a test fails, and what it
 * then reports still reads as less certain, never as more.
 */
import { Resend, type ErrorResponse, type Response as Answer } from "resend";
import { MAX_ANSWER_CHARACTERS } from "../domain/limits.ts";

/** `error.statusCode` is HTTP's own status; null: there was no answer, or a 2xx nobody can read. */
export class ObservingClient extends Resend {
  override async fetchRequest<T>(path: string, options: RequestInit = {}): Promise<Answer<T>> {
    try {
      const response = await fetch(`${this.baseUrl}${path}`, { ...options, redirect: "manual" });
      const headers = Object.fromEntries(response.headers.entries());
      const text = await response.text();
      const body = text.length <= MAX_ANSWER_CHARACTERS ? parsed(text) : undefined;
      if (!response.ok) return { data: null, error: errorOf(response.status, body), headers };
      if (body !== undefined) return { data: body as T, error: null, headers };
      return { data: null, error: silence(`${response.status} that is not JSON`), headers };
    } catch (error) {
      return { data: null, error: silence(described(error)), headers: null };
    }
  }
}

/** undefined: it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The package's list of names is closed and not complete, so a name of the wire has to be asserted.
type Name = ErrorResponse["name"];

function errorOf(statusCode: number, body: unknown): ErrorResponse {
  const given = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const { name, message } = given;
  return {
    statusCode,
    name: (typeof name === "string" ? name : "") as Name,
    message: typeof message === "string" ? message : "",
  };
}

function silence(message: string): ErrorResponse {
  return { statusCode: null, name: "application_error", message };
}

/** A time-out is a DOMException; other failures keep their cause one level down (undici). */
function described(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed";
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
