/**
 * What a client has of the place it runs in. Each part can be replaced: by a test, by the `fetch` of
 * a service binding, or where a runtime is not what it is taken for.
 *
 * A browser differs from all others twice. Its WebSocket takes no headers, so that it can carry no
 * token and goes by the session cookie of its own origin. And it can't stream a request where the
 * connection is older than HTTP/2, so that an upload is gathered first unless that is sure.
 */
import type { OpenSocket } from "./socket.ts";
import { socketOfConstructor, socketOfUpgrade } from "./socket.ts";

export type Surroundings = {
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number in [0, 1). */
  readonly chance: () => number;
  /** Does the work later, and gives a function that calls it off. */
  readonly later: (milliseconds: number, work: () => void) => () => void;
  /** Names an ask for a reservation, so that it can be repeated. */
  readonly newId: () => string;
  /** Null: there is no stream here, and a status is asked for every second. */
  readonly openSocket: OpenSocket | null;
  /** Whether a request's body can be a stream; it is gathered in a Blob otherwise. */
  readonly canStreamRequests: boolean;
};

export type Runtime = "browser" | "workers" | "other";

type Scope = {
  readonly navigator?: { readonly userAgent?: unknown };
  readonly WebSocket?: unknown;
};

/** Each browser still says that it is Mozilla; Workers, Node, Deno and Bun give their own names. */
export function runtimeOf({ navigator }: Scope): Runtime {
  const said = navigator?.userAgent;
  const agent = typeof said === "string" ? said : "";
  if (agent === "Cloudflare-Workers") return "workers";
  return agent.startsWith("Mozilla/") ? "browser" : "other";
}

/**
 * @param url origin of the deployment
 * @param hasToken false: a browser's session cookie says who asks
 */
export function surroundingsHere(
  url: string,
  hasToken: boolean,
  given: Partial<Surroundings>,
  scope: Scope = globalThis,
): Surroundings {
  const runtime = runtimeOf(scope);
  const ask: typeof fetch = given.fetch ?? ((input, init) => fetch(input, init));
  return {
    fetch: ask,
    now: given.now ?? (() => Date.now()),
    chance: given.chance ?? Math.random,
    later: given.later ?? laterByTimer,
    newId: given.newId ?? (() => crypto.randomUUID()),
    openSocket:
      given.openSocket === undefined ? socketFor(runtime, hasToken, ask, scope) : given.openSocket,
    canStreamRequests: given.canStreamRequests ?? canStream(runtime, url),
  };
}

function socketFor(
  runtime: Runtime,
  hasToken: boolean,
  ask: typeof fetch,
  { WebSocket: found }: Scope,
): OpenSocket | null {
  if (runtime === "workers") return socketOfUpgrade(ask);
  // Node 20 has none.
  if (typeof found !== "function") return null;
  if (runtime === "browser" && hasToken) return null;
  return socketOfConstructor(found, runtime === "other");
}

/**
 * Whether a browser knows request streams is seen in what it reads of an init (Fetch standard,
 * "half" duplex). It sends them over HTTP/2 and later only, which means over TLS.
 */
function canStream(runtime: Runtime, url: string): boolean {
  if (runtime !== "browser") return true;
  let isAsked = false;
  const init = {
    method: "POST",
    body: new ReadableStream(),
    get duplex(): string {
      isAsked = true;
      return "half";
    },
  };
  const isText = new Request(url, init).headers.has("content-type");
  return url.startsWith("https:") && isAsked && !isText;
}

function laterByTimer(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
}
