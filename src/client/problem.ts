/**
 * The two ways in which a call ends badly: the server has answered with a problem (RFC 9457), or
 * nobody knows what it would have answered. The difference matters to whoever decides what next.
 */
import type { ProblemCode } from "../http/problem.ts";

export type FieldFault = { readonly path: string; readonly detail: string };

/** The server's refusal. `code` is stable and closed; a newer server may know more of them. */
export class SendonceProblem extends Error {
  override readonly name = "SendonceProblem";
  readonly status: number;
  readonly code: ProblemCode | (string & {});
  readonly title: string;
  /** Fields of the request that were refused. */
  readonly errors: readonly FieldFault[];
  /** The whole problem object, with what belongs to this code alone. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What the server asked for; null where it did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    body: Readonly<Record<string, unknown>>,
    retryAfterSeconds: number | null,
  ) {
    super(textOr(body.detail, `the server answered ${status}`));
    this.status = status;
    this.code = textOr(body.code, "unknown");
    this.title = textOr(body.title, "");
    this.errors = faultsIn(body.errors);
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No answer came, or none of this API. Whether the call was carried out is unknown. */
export class SendonceUnreachable extends Error {
  override readonly name = "SendonceUnreachable";
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function faultsIn(errors: unknown): FieldFault[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((each: unknown) => {
    const { path, detail } = (each ?? {}) as Record<string, unknown>;
    return { path: textOr(path, ""), detail: textOr(detail, "is refused") };
  });
}

/** Reads a refusal. An answer that is no problem comes from something in between, say a proxy. */
export async function refusalFrom(response: Response): Promise<Error> {
  const text = await response.text().catch(() => "");
  const body = parsed(text);
  if (body === null) {
    const said = text.trim().slice(0, 200);
    const words = said === "" ? "nothing more" : `"${said}"`;
    // An answer that did not come by the network, as one of a service binding, has no address.
    const who = URL.canParse(response.url) ? new URL(response.url).origin : "the server";
    return new SendonceUnreachable(`${who} answered ${response.status} and said ${words}`);
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new SendonceProblem(response.status, body, Number.isFinite(seconds) ? seconds : null);
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text);
    const isProblem = typeof body === "object" && body !== null && "code" in body;
    return isProblem ? body : null;
  } catch {
    return null;
  }
}
