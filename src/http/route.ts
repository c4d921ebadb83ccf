/** What the HTTP edge needs from outside, and what a route is. Everything it does goes by these. */
import type { AccountRpc } from "../account/rpc.ts";
import type { CampaignRpc } from "../campaign/rpc.ts";
import type { SegmentDatabase } from "../audience/segment.ts";
import type { Health } from "../domain/health.ts";
import type { Log } from "../domain/log-event.ts";
import type { AttemptOutcome } from "../domain/outcome.ts";
import type { TestMail } from "../message/test-mail.ts";
import type { CampaignId, Instant } from "../domain/ids.ts";
import type { Identity } from "./auth.ts";
import type { GuessLimit } from "./guess-limit.ts";

export type HttpDeps = {
  /** A new stub at each call: one that has failed keeps failing (Durable Objects, errors). */
  campaign(id: CampaignId): CampaignRpc;
  account(): AccountRpc;
  /** The operator's own contacts. */
  readonly audience: SegmentDatabase;
  /**
   * Upgrades to the campaign's live stream: 101, 404 without a campaign, 503 where it is full.
   * @param until nothing is told after that; null: there is no end
   */
  watch(id: CampaignId, until: Instant | null): Promise<Response>;
  readonly tokens: { readonly operator: string | undefined; readonly viewer: string | undefined };
  /** How many wrong tokens an address may try. */
  readonly guesses: GuessLimit;
  /** Signs the provider's webhooks; without it none is taken. */
  readonly webhookSecret: string | undefined;
  /** Signs the sessions of the dashboard. */
  readonly signingKey: string | undefined;
  /** Origin that recipients see, for unsubscribe links. */
  readonly publicUrl: string;
  /** What `settings.idempotencyWindowSeconds` is when nothing is said. */
  readonly defaultIdempotencyWindowSeconds: number;
  /** What the provider allows all campaigns together. */
  readonly requestsPerSecond: number;
  /** Makes one request of the provider, outside of every ledger. Never throws. */
  sendTest(idempotencyKey: string, mails: readonly TestMail[]): Promise<AttemptOutcome>;
  /** Never throws; may be a few seconds old. */
  health(): Promise<Health>;
  /** The platform's own count of what is on the dispatch queue. */
  queueBacklog(): Promise<Pick<QueueMetrics, "backlogCount" | "oldestMessageTimestamp">>;
  /** Milliseconds since 1970. For relative checks only; deadlines are the objects' own. */
  now(): number;
  /** For campaigns without an id. Fits `[A-Za-z0-9_-]{1,64}`. */
  newId(): string;
  readonly log: Log;
};

/** `view` is for both tokens, `operate` for the operator's alone. */
export type Access = "public" | "view" | "operate";

/** One request on its way through a route. */
export type Call = {
  readonly request: Request;
  /** The named parts of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Holds only parameters that the route knows, each once. */
  readonly query: URLSearchParams;
  readonly deps: HttpDeps;
  /** Who asks; null on a public route. */
  readonly identity: Identity | null;
  /** All that there are, for the route that describes them. */
  readonly routes: readonly Route[];
};

export type Route = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** An itty-router pattern: `:name` is one segment. */
  readonly path: string;
  readonly access: Access;
  /** Query parameters that it knows; others are refused by name. */
  readonly query: readonly string[] | "any";
  readonly handle: (call: Call) => Response | Promise<Response>;
};

/** Method, path and names are kept as types, so that the contract has to describe each of them. */
type RouteOf = <
  const Method extends Route["method"],
  const Path extends Route["path"],
  const Query extends Route["query"] = readonly [],
>(
  method: Method,
  path: Path,
  handle: Route["handle"],
  query?: Query,
) => Route & { readonly method: Method; readonly path: Path; readonly query: Query };

/** For everybody, such as a page that a recipient opens. */
export const open: RouteOf = routeFor("public");
/** For both tokens: it changes nothing. */
export const view: RouteOf = routeFor("view");
/** For the operator's token alone. */
export const operate: RouteOf = routeFor("operate");

function routeFor(access: Access): RouteOf {
  return (method, path, handle, query) => ({
    method,
    path,
    access,
    query: query ?? ([] as unknown as NonNullable<typeof query>),
    handle,
  });
}
