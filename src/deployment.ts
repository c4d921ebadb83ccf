/**
 * The default deployment: which part gets which, from the bindings, the secrets and the vars. What
 * another deployment would do differently, it does by replacing an entry here.
 */
import type { Bindings } from "./bindings.ts";
import { ACCOUNT_NAME } from "./account/rpc.ts";
import { version } from "../package.json";
import { CALL_TIMEOUT_SECONDS } from "./domain/limits.ts";
import { watchAddress } from "./campaign/watch-address.ts";
import type { CampaignId, Seq } from "./domain/ids.ts";
import { positiveNumber, windowSecondsOf } from "./domain/vars.ts";
import { GuessLimit, ShutAddresses } from "./http/guess-limit.ts";
import { HealthMemory } from "./http/health-memory.ts";
import type { HttpDeps } from "./http/route.ts";
import { compileContent, type CompiledContent } from "./message/compile.ts";
import { renderBatch } from "./message/render-batch.ts";
import { addressNames } from "./operations/address-name.ts";
import { logWriter } from "./operations/log-writer.ts";
import { resendLookup } from "./provider/resend-lookup.ts";
import { resendProvider, type ResendProviderOptions } from "./provider/resend-provider.ts";
import { ContentCache } from "./queue/content-cache.ts";
import type { ConsumerDeps } from "./queue/deps.ts";
import { Pace } from "./queue/pace.ts";
import type { WatchdogDeps } from "./watchdog/watchdog.ts";

/** Shared by all invocations of an isolate: see ContentCache for why that is safe. */
const contents = new ContentCache<CompiledContent>();

/** One for an isolate as well, whatever it is asked. */
const shut = new ShutAddresses();

let pace: Pace | null = null;

/** One for an isolate, since it is the calls of one isolate that can leave together. */
function paceOf(env: Bindings): Pace {
  pace ??= new Pace(positiveNumber("RESEND_REQUESTS_PER_SECOND", env.RESEND_REQUESTS_PER_SECOND));
  return pace;
}

const objects = (env: Bindings) => ({
  campaign: (id: CampaignId) => env.CAMPAIGNS.getByName(id),
  account: () => env.ACCOUNT.getByName(ACCOUNT_NAME),
});

const health = new HealthMemory();

const now = (): number => Date.now();

const resendOf = (env: Bindings): ResendProviderOptions => ({
  apiKey: env.RESEND_API_KEY ?? "",
  baseUrl: env.RESEND_BASE_URL,
  version,
  now,
  nameOf: addressNames(env.SIGNING_KEY),
});

export function consumerDeps(env: Bindings): ConsumerDeps {
  const lookup = resendLookup(resendOf(env));
  return {
    ...objects(env),
    provider: resendProvider(resendOf(env)),
    ...(lookup === null ? {} : { lookup }),
    render: async (contentId, load, members) =>
      renderBatch(await contents.get(contentId, async () => compileContent(await load())), members),
    // The clock of a Worker stands still between I/O, and every wait of a consumer is I/O.
    monotonic: () => performance.now(),
    sleep: (milliseconds) => scheduler.wait(milliseconds),
    pace: paceOf(env),
    newClaim: () => crypto.randomUUID(),
    log: logWriter(addressNames(env.SIGNING_KEY)),
  };
}

export function watchdogDeps(env: Bindings): WatchdogDeps {
  return { ...objects(env), log: logWriter(addressNames(env.SIGNING_KEY)) };
}

export function httpDeps(env: Bindings): HttpDeps {
  return {
    ...objects(env),
    audience: env.AUDIENCE,
    requestsPerSecond: positiveNumber("RESEND_REQUESTS_PER_SECOND", env.RESEND_REQUESTS_PER_SECOND),
    sendTest: (idempotencyKey, emails) =>
      resendProvider(resendOf(env)).sendBatch({
        idempotencyKey,
        emails,
        seqs: emails.map((_, at) => (at + 1) as Seq),
        timeoutMilliseconds: CALL_TIMEOUT_SECONDS * 1000,
      }),
    // A new request: what the viewer has sent, the token above all, ends at this Worker.
    watch: (id, until) =>
      env.CAMPAIGNS.getByName(id).fetch(watchAddress(until), {
        headers: { upgrade: "websocket" },
      }),
    signingKey: env.SIGNING_KEY,
    tokens: { operator: env.OPERATOR_TOKEN, viewer: env.VIEWER_TOKEN },
    webhookSecret: env.RESEND_WEBHOOK_SECRET,
    publicUrl: env.PUBLIC_URL,
    defaultIdempotencyWindowSeconds: windowSecondsOf(env.IDEMPOTENCY_WINDOW_SECONDS),
    guesses: new GuessLimit({
      limiter: env.WRONG_TOKENS,
      shut,
      now,
      log: logWriter(addressNames(env.SIGNING_KEY)),
    }),
    now,
    newId: () => crypto.randomUUID(),
    log: logWriter(addressNames(env.SIGNING_KEY)),
    health: () => health.get(() => objects(env).account().health(), Date.now),
    queueBacklog: () => env.DISPATCH.metrics(),
  };
}
