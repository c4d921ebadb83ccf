/**
 * One call on its way: path, token, body, time limit, the tries that are allowed, and the answer.
 *
 * Whatever goes wrong leaves here as `SendonceProblem` or `SendonceUnreachable`, but for two things
 * that are the caller's own: the reason of an abort, and what its recipients threw while they were
 * read.
 */
import { tagAsGiven } from "./entity-tag.ts";
import { CLIENT_CALL_SECONDS, CLIENT_LONG_CALL_SECONDS, CLIENT_TRIES } from "../domain/limits.ts";
import { CALLS, isRepeatable, pathOf, type CallName, type ParametersOf } from "./calls.ts";
import { refusalFrom, SendonceUnreachable } from "./problem.ts";
import { waitBeforeRepeat } from "./retry.ts";
import { tellingStream } from "./telling-stream.ts";
import { expectToken } from "./token.ts";
import { surroundingsHere, type Surroundings } from "./surroundings.ts";
import type { UploadBody } from "./upload-body.ts";

export type ClientOptions = {
  /** Origin of the deployment, with or without a slash at the end. */
  readonly url: string;
  /**
   * OPERATOR_TOKEN, or VIEWER_TOKEN for what only reads. None: a page of the deployment's own
   * origin, where the browser's session cookie says who asks.
   */
  readonly token?: string;
  /** None: the global one. A service binding's fits, bound to its binding. */
  readonly fetch?: typeof fetch;
  /** How often one call is made at most, where it may be repeated; 1: once. None: 4. */
  readonly tries?: number;
  /** Ends every call that has no signal of its own, and throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Replaces what was found out about the runtime. */
  readonly surroundings?: Partial<Surroundings>;
};

export type CallOptions = {
  /** Ends the call, and throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long one try may take. None: 60 s, and more where the server looks at everybody. */
  readonly timeoutSeconds?: number;
};

export type Query = Readonly<Record<string, string | number | null | undefined>>;

export type Sending = {
  readonly query?: Query;
  readonly json?: unknown;
  readonly upload?: UploadBody;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What a call is in all of its tries. */
type Prepared = {
  readonly name: CallName;
  readonly url: URL;
  readonly sending: Sending;
  readonly isRepeatable: boolean;
  readonly isFile: boolean;
  readonly options: CallOptions;
};

export class Transport {
  readonly surroundings: Surroundings;
  readonly #origin: string;
  readonly #token: string | null;
  readonly #tries: number;
  readonly #ofAll: Pick<CallOptions, "signal">;

  /** @throws TypeError at a `url` that is none, and at a `token` that no header takes */
  constructor(options: ClientOptions) {
    const { url, token, fetch: ask, tries = CLIENT_TRIES, signal, surroundings } = options;
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new TypeError(`url: ${url} is no address of a server; it begins with https://`);
    }
    if (token !== undefined) expectToken(token);
    this.#origin = url.replace(/\/+$/, "");
    this.#token = token ?? null;
    this.#tries = tries;
    this.#ofAll = signal === undefined ? {} : { signal };
    const own = ask === undefined ? {} : { fetch: ask };
    const given = { ...own, ...surroundings };
    this.surroundings = surroundingsHere(this.#origin, this.#token !== null, given);
  }

  /** Where the live stream of a campaign is, and what to ask for it with. */
  liveAddress(id: string): { url: string; headers: Readonly<Record<string, string>> } {
    const url = `${this.#origin.replace(/^http/, "ws")}${pathOf("watch", { id })}`;
    return { url, headers: this.#authorization() };
  }

  /** The JSON of an answer. */
  json<Answer, Name extends CallName>(
    name: Name,
    parameters: ParametersOf<Name>,
    sending: Sending = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const call = this.#prepared(name, parameters, sending, options);
    return this.#inTries(call, async (response) => (await jsonOf(response)) as Answer);
  }

  /** The JSON of an answer, and its tag. */
  tagged<Name extends CallName>(
    name: Name,
    parameters: ParametersOf<Name>,
    sending: Sending = {},
    options: CallOptions = {},
  ): Promise<{ readonly value: object; readonly etag: string }> {
    const call = this.#prepared(name, parameters, sending, options);
    return this.#inTries(call, async (response) => {
      const value = await jsonOf(response);
      const etag = response.headers.get("etag");
      if (etag !== null) return { value, etag: tagAsGiven(etag) };
      throw new SendonceUnreachable("unreadable", "the answer has no tag: the server is older");
    });
  }

  /** For calls that answer nothing. */
  async nothing<Name extends CallName>(
    name: Name,
    parameters: ParametersOf<Name>,
    options: CallOptions = {},
  ): Promise<void> {
    const call = this.#prepared(name, parameters, {}, options);
    await this.#inTries(call, async (response) => response.body?.cancel());
  }

  /** A file as it comes in. Its beginning is waited for and repeated; what breaks later is not. */
  file<Name extends CallName>(
    name: Name,
    parameters: ParametersOf<Name>,
    sending: Sending = {},
    options: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const call = { ...this.#prepared(name, parameters, sending, options), isFile: true };
    return this.#inTries(call, async ({ body }) => {
      if (body === null) throw new SendonceUnreachable("unreadable", "the file has no content");
      return tellingStream(body, (cause) => {
        const { signal } = call.options;
        if (signal?.aborted === true) return signal.reason;
        return new SendonceUnreachable("noAnswer", "the file broke off before its end", { cause });
      });
    });
  }

  #prepared<Name extends CallName>(
    name: Name,
    parameters: ParametersOf<Name>,
    sending: Sending,
    options: CallOptions,
  ): Prepared {
    const url = new URL(this.#origin + pathOf(name, parameters));
    for (const [key, value] of Object.entries(sending.query ?? {})) {
      if (value !== null && value !== undefined) url.searchParams.set(key, String(value));
    }
    const { json, upload } = sending;
    const canReadAgain = upload === undefined || upload.canReadAgain;
    // Whatever it names is another one after the first try.
    const isConditional = sending.headers?.["if-match"] !== undefined;
    return {
      name,
      url,
      sending,
      options: { ...this.#ofAll, ...options },
      isRepeatable: canReadAgain && !isConditional && isRepeatable(name, json),
      isFile: false,
    };
  }

  async #inTries<Answer>(
    call: Prepared,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { chance } = this.surroundings;
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.#try(call, read);
      } catch (error) {
        const isLast = !call.isRepeatable || failures + 1 >= this.#tries;
        const wait = isLast ? null : waitBeforeRepeat(error, failures, chance());
        if (wait === null) throw error;
        await this.#wait(wait, call.options.signal);
      }
    }
  }

  async #try<Answer>(
    call: Prepared,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { signal } = call.options;
    signal?.throwIfAborted();
    const ending = new AbortController();
    let isLate = false;
    const seconds = secondsFor(call);
    const callOff = this.#limit(seconds, () => {
      isLate = true;
      ending.abort();
    });
    const abort = (): void => ending.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const response = await this.#fetched(call, ending.signal);
      if (!response.ok) throw await refusalFrom(response);
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isLate) throw error;
      const detail = `${call.url.origin} has not answered within ${seconds ?? 0} s`;
      throw new SendonceUnreachable("timedOut", detail, { cause: error });
    } finally {
      callOff();
      // A file's content comes after this has returned, and may still be aborted.
      if (!call.isFile) signal?.removeEventListener("abort", abort);
    }
  }

  #limit(seconds: number | null, end: () => void): () => void {
    return seconds === null ? () => undefined : this.surroundings.later(seconds * 1000, end);
  }

  async #fetched({ name, url, sending }: Prepared, signal: AbortSignal): Promise<Response> {
    const { json, upload } = sending;
    const body = upload === undefined ? jsonText(json) : await upload.open();
    const headers: Record<string, string> = { ...this.#authorization(), ...sending.headers };
    if (body !== null) headers["content-type"] = upload?.type ?? "application/json";
    const init = {
      method: CALLS[name].method,
      headers,
      signal,
      ...(body === null ? {} : { body }),
      // Asked for where the body is a stream; it says that the answer comes after the body.
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    };
    try {
      return await this.surroundings.fetch(url.href, init);
    } catch (cause) {
      upload?.throwOwnFault();
      const detail = `no answer from ${url.origin}: ${reasonOf(cause)}`;
      throw new SendonceUnreachable("noAnswer", detail, { cause });
    }
  }

  #authorization(): Record<string, string> {
    return this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
  }

  /** @throws the signal's reason */
  async #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      const end = (): void => {
        callOff();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const callOff = this.surroundings.later(milliseconds, end);
      signal?.addEventListener("abort", end);
    });
    signal?.throwIfAborted();
  }
}

/** Null: as long as it takes. */
function secondsFor({ name, options: { timeoutSeconds } }: Prepared): number | null {
  if (timeoutSeconds !== undefined) return timeoutSeconds;
  const { takes } = CALLS[name];
  if (takes === "any") return null;
  return takes === "long" ? CLIENT_LONG_CALL_SECONDS : CLIENT_CALL_SECONDS;
}

function jsonText(json: unknown): string | null {
  return json === undefined ? null : JSON.stringify(json);
}

/** Everything that the API answers in JSON is an object. */
async function jsonOf(response: Response): Promise<object> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    throw new SendonceUnreachable("noAnswer", "the answer broke off", { cause });
  }
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // A page of something in between, such as a sign-in of the network.
  }
  const { status } = response;
  const detail = `the answer is not of this API: "${text.trim().slice(0, 200)}"`;
  throw new SendonceUnreachable("unreadable", detail, { status });
}

/** Node says "fetch failed" and keeps the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  if (typeof code === "string") return code;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}
