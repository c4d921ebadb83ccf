/**
 * The statuses of a campaign as they change: over its live stream, and by asking where there is none.
 *
 * Each one that comes out has a higher version than the one before it. Whenever the stream is lost,
 * the status is asked for as well: a refusal of the API is typed, while a stream that can't be opened
 * gives no reason, and a campaign that has finished meanwhile is seen at once.
 */
import type { SendonceClient } from "./client.ts";
import { LiveStream, type Socket } from "./live-stream.ts";
import { SendonceProblem, SendonceUnreachable } from "./problem.ts";
import type { DeliveryStatus } from "./types.ts";

export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => Socket;

export type WatchOptions = {
  /** Ends the watching. */
  readonly signal?: AbortSignal;
  /** How long a server that answered once may be away before it counts as unreachable. */
  readonly patienceSeconds?: number;
  /** None: what this runtime brings. Null: no stream, and the status is asked for every second. */
  readonly openSocket?: OpenSocket | null;
};

const DEFAULT_PATIENCE_SECONDS = 120;
const ASK_EVERY_MILLISECONDS = 1_000;

/** Node's WebSocket takes headers, which a browser's can't; Node 20 has none. */
function socketOfRuntime(): OpenSocket | null {
  const { WebSocket: Ours } = globalThis as { WebSocket?: unknown };
  if (typeof Ours !== "function") return null;
  const Constructor = Ours as new (url: string, options: object) => Socket;
  return (url, headers) => new Constructor(url, { headers });
}

/** What comes in while it is not looked at; `ask` is a status to be asked for. */
class Inbox {
  readonly #items: (DeliveryStatus | "ask")[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;

  put(item: DeliveryStatus | "ask"): void {
    this.#items.push(item);
    this.#wake?.();
  }

  readonly close = (): void => {
    this.#isClosed = true;
    this.#wake?.();
  };

  /** Null when it is closed. */
  async take(): Promise<DeliveryStatus | "ask" | null> {
    while (this.#items.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#isClosed ? null : (this.#items.shift() ?? null);
  }
}

/** @throws SendonceProblem, or SendonceUnreachable when patience has run out */
export async function* watchStatus(
  client: SendonceClient,
  campaign: string,
  options: WatchOptions = {},
): AsyncGenerator<DeliveryStatus, void, void> {
  const { signal, openSocket = socketOfRuntime() } = options;
  const patience = (options.patienceSeconds ?? DEFAULT_PATIENCE_SECONDS) * 1000;
  const inbox = new Inbox();
  signal?.addEventListener("abort", inbox.close);
  let stopAsking: (() => void) | null = null;
  let seenAt: number | null = null;
  let version = -1;
  inbox.put("ask");
  try {
    for (;;) {
      const item = signal?.aborted === true ? null : await inbox.take();
      if (item === null) return;
      const away = seenAt !== null && performance.now() - seenAt < patience;
      const status = item === "ask" ? await statusOrNull(client, campaign, away) : item;
      // Only now: the first answer says that there is something to watch.
      stopAsking ??= keepAsking(client, campaign, openSocket, inbox);
      if (status === null) continue;
      seenAt = performance.now();
      if (status.version <= version) continue;
      ({ version } = status);
      yield status;
    }
  } finally {
    signal?.removeEventListener("abort", inbox.close);
    stopAsking?.();
  }
}

/** Null: the server is away for now. */
async function statusOrNull(
  client: SendonceClient,
  campaign: string,
  mayBeAway: boolean,
): Promise<DeliveryStatus | null> {
  try {
    return await client.deliveryStatus(campaign);
  } catch (error) {
    if (mayBeAway && isAway(error)) return null;
    throw error;
  }
}

/** A server that starts anew, or whose object does, is back in a moment. */
function isAway(error: unknown): boolean {
  if (error instanceof SendonceUnreachable) return true;
  return error instanceof SendonceProblem && error.status >= 500;
}

/** Fills the inbox from here on. @returns what stops it */
function keepAsking(
  client: SendonceClient,
  campaign: string,
  openSocket: OpenSocket | null,
  inbox: Inbox,
): () => void {
  if (openSocket === null) {
    const timer = setInterval(() => inbox.put("ask"), ASK_EVERY_MILLISECONDS);
    return () => clearInterval(timer);
  }
  const { url, headers } = client.liveAddress(campaign);
  const stream = new LiveStream({
    connect: () => openSocket(url, headers),
    now: () => Date.now(),
    chance: Math.random,
    later: (milliseconds, work) => {
      const timer = setTimeout(work, milliseconds);
      return () => clearTimeout(timer);
    },
    onState: ({ kind }) => {
      if (kind === "waiting" || kind === "ended") inbox.put("ask");
    },
    onStatus: (status) => inbox.put(status),
    onEvent: () => undefined,
  });
  return () => stream.stop();
}
