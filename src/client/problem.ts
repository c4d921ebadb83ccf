/**
 * The two ways in which a call ends badly: the server has answered with a problem (RFC 9457), or
 * nobody knows what it would have answered. The difference matters to whoever decides what next.
 *
 * Both are thrown, so that a call that nobody looks at can't fail unseen; `resultOf` gives them as
 * values of one closed union, which a `switch` over `kind`, `code` and `reason` can exhaust.
 */
import { retryAfterSeconds } from "../domain/retry-after.ts";
import { isProblemCode, type ProblemCode } from "./problem-codes.ts";

export type FieldFault = { readonly path: string; readonly detail: string };

/** The server's refusal. */
export class SendonceProblem extends Error {
  override readonly name = "SendonceProblem";
  readonly kind = "problem";
  readonly status: number;
  /** Stable and closed. `unknown`: a newer server's; `body.code` has what it says. */
  readonly code: ProblemCode | "unknown";
  readonly title: string;
  /** Fields of the request that were refused. */
  readonly errors: readonly FieldFault[];
  /** The whole problem object, with what belongs to this code alone. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What the server asked for; null where it did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter: number | null) {
    super(textOr(body.detail, `the server answered ${status}`));
    const code = textOr(body.code, "");
    this.status = status;
    this.code = isProblemCode(code) ? code : "unknown";
    this.title = textOr(body.title, "");
    this.errors = faultsIn(body.errors);
    this.body = body;
    this.retryAfterSeconds = retryAfter;
  }

  /** The sentence for whoever made the call. */
  get detail(): string {
    return this.message;
  }
}

/**
 * `noAnswer`: the network failed, before or after. `timedOut`: the client has stopped waiting.
 * `unreadable`: something answered that is not this API, such as a proxy.
 */
export type UnreachableReason = "noAnswer" | "timedOut" | "unreadable";

/** No answer came, or none of this API. Whether the call was carried out is unknown. */
export class SendonceUnreachable extends Error {
  override readonly name = "SendonceUnreachable";
  readonly kind = "unreachable";
  readonly reason: UnreachableReason;
  /** Of the unreadable answer; null where there was none. */
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    reason: UnreachableReason,
    detail: string,
    more: {
      readonly status?: number;
      readonly retryAfterSeconds?: number | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: more.cause });
    this.reason = reason;
    this.status = more.status ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }

  get detail(): string {
    return this.message;
  }
}

/** All that a call can fail with, told apart by `kind`. */
export type SendonceError = SendonceProblem | SendonceUnreachable;

export type CallResult<Answer> =
  | { readonly ok: true; readonly value: Answer }
  | { readonly ok: false; readonly error: SendonceError };

/**
 * The end of a call as a value: `await resultOf(client.start("spring"))`.
 * @throws what is no failure of the call: an abort of the caller's own, or a bug
 */
export async function resultOf<Answer>(call: Promise<Answer>): Promise<CallResult<Answer>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    if (isSendonceError(error)) return { ok: false, error };
    throw error;
  }
}

export function isSendonceError(error: unknown): error is SendonceError {
  return error instanceof SendonceProblem || error instanceof SendonceUnreachable;
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
export async function refusalFrom(response: Response): Promise<SendonceError> {
  const text = await response.text().catch(() => "");
  const body = problemIn(text);
  const { status } = response;
  const wait = retryAfterSeconds(Object.fromEntries(response.headers), Date.now());
  if (body !== null) return new SendonceProblem(status, body, wait);
  const said = text.trim().slice(0, 200);
  const words = said === "" ? "nothing more" : `"${said}"`;
  // An answer that did not come by the network, as one of a service binding, has no address.
  const who = URL.canParse(response.url) ? new URL(response.url).origin : "the server";
  const detail = `${who} answered ${status} and said ${words}`;
  return new SendonceUnreachable("unreadable", detail, { status, retryAfterSeconds: wait });
}

function problemIn(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text);
    const isProblem = typeof body === "object" && body !== null && "code" in body;
    return isProblem ? body : null;
  } catch {
    return null;
  }
}
