/**
 * The one error that a `send` may throw to say for certain that the provider has accepted nothing.
 * Every other error leaves that open, and what is open is never sent under a new key (SPEC G3).
 */
import { retryAfterSeconds } from "../domain/retry-after.ts";

export class NotAccepted extends Error {
  override readonly name = "NotAccepted";
  /** When to try again, where the provider said it. */
  readonly retryAfterSeconds: number | null;

  /** @param reason what the provider said; it is kept with the attempt */
  constructor(
    reason: string,
    options: { readonly retryAfterSeconds?: number | null; readonly cause?: unknown } = {},
  ) {
    super(reason, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** By name, since a bundle may hold the class twice. */
export function isNotAccepted(error: unknown): error is NotAccepted {
  return error instanceof Error && error.name === "NotAccepted";
}

/** Statuses with which a provider turns a request away before it takes anything (RFC 9110 §15.5). */
const TURNED_AWAY = new Set([401, 403, 429]);

/**
 * For a `send` that asks by `fetch`: gives a 2xx back, and throws for everything else what is known
 * about it. A 400 or 422 says that the content or an address is at fault, which this can't judge: look
 * at it first, and give `failed` for whoever it is about.
 *
 * @throws NotAccepted at 401, 403 and 429, with what `Retry-After` asks for
 * @throws Error at any other status: it may have been accepted
 */
export async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  const said = (await response.text().catch(() => "")).slice(0, 200);
  const reason = `the provider answered ${response.status}: ${said}`;
  if (!TURNED_AWAY.has(response.status)) throw new Error(reason);
  const headers = Object.fromEntries(response.headers);
  throw new NotAccepted(reason, { retryAfterSeconds: retryAfterSeconds(headers, Date.now()) });
}
