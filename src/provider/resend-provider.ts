/**
 * Resend behind the EmailProvider port, over its own package, which makes the bytes of a request.
 *
 * Invariants: one call is one request and never a second one of its own accord; the key is an
 * argument of that call and of nothing else (SPEC C12); and no answer, however broken, is thrown or
 * taken for more than it says.
 */
import type { CreateBatchOptions } from "resend";
import type { NameOf } from "../domain/fault-text.ts";
import { MAX_BATCH_SIZE } from "../domain/limits.ts";
import type { AttemptOutcome } from "../domain/outcome.ts";
import { assert } from "../domain/result.ts";
import { ObservingClient } from "./observing-client.ts";
import { outcomeOf, type ObservedAnswer } from "./outcome-table.ts";
import type { Email, EmailProvider, SendRequest } from "./port.ts";

export type ResendProviderOptions = {
  /** `RESEND_API_KEY`; unusable: every send is deferred and says so, as with a `baseUrl` that is none. */
  readonly apiKey: string;
  /** Origin without a slash at the end. */
  readonly baseUrl: string;
  /** Of this product, for the user agent that Resend requires ("Introduction": User-Agent). */
  readonly version: string;
  readonly now: () => number;
  /** What addresses are called that the provider quotes; missing: all the same. */
  readonly nameOf?: NameOf;
};

/** @returns a provider that keeps nothing between two calls */
export function resendProvider(options: ResendProviderOptions): EmailProvider {
  const client = clientOf(options);
  return {
    sendBatch: async (request) => {
      const { emails, seqs } = request;
      assert(emails.length >= 1 && emails.length <= MAX_BATCH_SIZE, "a request of 1 to 100 mails");
      assert(emails.length === seqs.length, "a seq for each mail of a request");
      if (client === null) return UNUSABLE;
      const answer = await observe(client, request);
      const members = seqs.map((seq, index) => ({ seq, email: emails[index]?.to ?? "" }));
      return outcomeOf(answer, members, options.now(), options.nameOf);
    },
  };
}

/** Nothing can have been sent, so that nobody is in doubt for a slip in the configuration. */
const UNUSABLE: AttemptOutcome = {
  kind: "deferred",
  reason:
    "RESEND_API_KEY is missing or is nothing that a header can carry, " +
    "or RESEND_BASE_URL is not https://host",
  retryAfterSeconds: null,
  pause: "providerAuth",
};

/** null: no client can be made with this key and this origin. */
export function clientOf({
  apiKey,
  baseUrl,
  version,
}: ResendProviderOptions): ObservingClient | null {
  // Without a key the package looks for one in the environment, which is not ours to use.
  if (apiKey === "" || !/^https?:\/\/[^/]/.test(baseUrl) || !URL.canParse(baseUrl)) return null;
  try {
    return new ObservingClient(apiKey, { baseUrl, userAgent: `sendonce/${version}` });
  } catch {
    return null;
  }
}

async function observe(client: ObservingClient, request: SendRequest): Promise<ObservedAnswer> {
  const { emails, idempotencyKey, timeoutMilliseconds } = request;
  try {
    const { data, error, headers } = await client.batch.send(emails.map(packaged), {
      idempotencyKey,
      batchValidation: "permissive",
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    if (error !== null) {
      const { statusCode, name, message } = error;
      // Without a status the name is the package's own, and says nothing about the provider.
      const named = statusCode === null || name.length === 0 ? null : name;
      return { ...NOTHING, status: statusCode, name: named, message, headers: headers ?? {} };
    }
    // `data` is the whole body, and the package has not looked into it.
    const body: { data?: unknown; errors?: unknown } = data ?? {};
    return {
      ...NOTHING,
      status: 200,
      headers: headers ?? {},
      data: body.data,
      errors: body.errors,
    };
  } catch (thrown) {
    // The package throws where a header can't carry the key: nothing was sent. It is reported as
    // unknown all the same, since a throw is no evidence of when it happened.
    return { ...NOTHING, message: thrown instanceof Error ? thrown.message : "the client threw" };
  }
}

const NOTHING: ObservedAnswer = {
  status: null,
  name: null,
  message: "",
  headers: {},
  data: undefined,
  errors: undefined,
};

/** A mail as the package takes it. It puts the fields into an order of its own, always the same. */
function packaged(email: Email): CreateBatchOptions[number] {
  const { tags, headers, text, html, ...rest } = email;
  const labels = {
    ...(headers !== undefined && { headers: { ...headers } }),
    ...(tags !== undefined && { tags: tags.map(({ name, value }) => ({ name, value })) }),
  };
  const content = { ...(html !== undefined && { html }), ...(text !== undefined && { text }) };
  // The package's type wants one of html, text and react; the message part sees to that.
  return { ...rest, ...labels, ...content } as CreateBatchOptions[number];
}
