/**
 * A campaign as it changes: over its live stream, which comes back by itself, and by asking where
 * there is none.
 *
 * Each status has a higher version than the one before it, but for a snapshot of a campaign that was
 * restored from a backup meanwhile. Whenever the stream is lost, the status
 * is asked for as well: a refusal of the API is typed, while a stream that can't be opened gives no
 * reason, and a campaign that has finished meanwhile is seen at once. Statuses that nobody has taken
 * yet give way to the newest, so that a slow watcher is late by one and never by many.
 */
import {
  WATCH_ASK_MILLISECONDS,
  WATCH_EVENTS_AT_MOST,
  WATCH_PATIENCE_SECONDS,
} from "../domain/limits.ts";
import { LiveStream } from "./live-stream.ts";
import { isSendonceError, SendonceProblem } from "./problem.ts";
import type { Socket } from "./socket.ts";
import type { Surroundings } from "./surroundings.ts";
import type { DeliveryStatus, LiveMessage } from "./types.ts";

export type WatchOptions = {
  /** Ends the watching, without an error. */
  readonly signal?: AbortSignal;
  /** Ends it with the status that says so when the campaign is over. */
  readonly untilOver?: boolean;
  /** How long a server that answered once may be away before it counts as unreachable. */
  readonly patienceSeconds?: number;
};

/** What is watched, and with what. */
export type Watched = Pick<Surroundings, "now" | "chance" | "later"> & {
  ask(): Promise<DeliveryStatus>;
  /** Null: there is no stream here. */
  readonly connect: (() => Socket) | null;
};

/** Over for now: a replay may open a finished campaign again. */
export function isOver({ state, stats }: DeliveryStatus): boolean {
  return state === "finished" || (state === "cancelled" && stats.reserved === 0);
}

/** What comes in while nobody looks; `ask` is a status to be asked for. */
class Inbox {
  readonly #items: (LiveMessage | "ask")[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;

  put(item: LiveMessage | "ask"): void {
    const last = this.#items.at(-1);
    const isNewer = isStatus(last) && isStatus(item);
    if (item === "ask" && this.#items.includes("ask")) return;
    if (isNewer || this.#items.length === WATCH_EVENTS_AT_MOST) {
      this.#items.splice(isNewer ? -1 : 0, 1);
    }
    this.#items.push(item);
    this.#wake?.();
  }

  readonly close = (): void => {
    this.#isClosed = true;
    this.#wake?.();
  };

  /** Null when it is closed. */
  async take(): Promise<LiveMessage | "ask" | null> {
    while (this.#items.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#isClosed ? null : (this.#items.shift() ?? null);
  }
}

function isStatus(item: LiveMessage | "ask" | undefined): boolean {
  return typeof item === "object" && item.type !== "event";
}

/** @throws SendonceProblem, or SendonceUnreachable when patience has run out */
export async function* watch(
  watched: Watched,
  options: WatchOptions = {},
): AsyncGenerator<LiveMessage, void, void> {
  const { signal, untilOver = false } = options;
  const patience = (options.patienceSeconds ?? WATCH_PATIENCE_SECONDS) * 1000;
  const inbox = new Inbox();
  signal?.addEventListener("abort", inbox.close);
  let stop: (() => void) | null = null;
  let seenAt: number | null = null;
  let version = -1;
  inbox.put("ask");
  try {
    for (;;) {
      const item = signal?.aborted === true ? null : await inbox.take();
      if (item === null) return;
      const mayBeAway = seenAt !== null && watched.now() - seenAt < patience;
      const message = item === "ask" ? await asked(watched, version, mayBeAway, signal) : item;
      // Only now: the first answer says that there is something to watch.
      stop ??= keepFilling(inbox, watched);
      if (message === null) continue;
      seenAt = watched.now();
      if (message.type !== "event") {
        const isRestored = item === "ask" && message.status.version < version;
        if (message.status.version <= version && !isRestored) continue;
        ({ version } = message.status);
      }
      yield message;
      if (untilOver && message.type !== "event" && isOver(message.status)) return;
    }
  } finally {
    signal?.removeEventListener("abort", inbox.close);
    stop?.();
  }
}

/**
 * Who asks after it has seen a version and is answered an earlier one looks at another past.
 * @returns null: the server is away for now, or nobody watches any more
 */
async function asked(
  watched: Watched,
  version: number,
  mayBeAway: boolean,
  signal: AbortSignal | undefined,
): Promise<LiveMessage | null> {
  try {
    const status = await watched.ask();
    const isAnew = version < 0 || status.version < version;
    return { type: isAnew ? "snapshot" : "status", status };
  } catch (error) {
    if (signal?.aborted === true || (mayBeAway && isAway(error))) return null;
    throw error;
  }
}

/** A server that starts anew, or whose object does, is back in a moment. */
function isAway(error: unknown): boolean {
  if (error instanceof SendonceProblem) return error.status >= 500 || error.status === 429;
  return isSendonceError(error);
}

/** Fills the inbox from here on. @returns what stops it */
function keepFilling(inbox: Inbox, { connect, now, chance, later }: Watched): () => void {
  if (connect === null) return keepAsking(inbox, later);
  const stream = new LiveStream({
    connect,
    now,
    chance,
    later,
    onState: ({ kind }) => {
      if (kind === "waiting" || kind === "ended") inbox.put("ask");
    },
    onStatus: (status, type) => inbox.put({ type, status }),
    onEvent: (event) => inbox.put({ type: "event", event }),
  });
  return () => stream.stop();
}

function keepAsking(inbox: Inbox, later: Surroundings["later"]): () => void {
  let callOff = later(WATCH_ASK_MILLISECONDS, ask);
  function ask(): void {
    inbox.put("ask");
    callOff = later(WATCH_ASK_MILLISECONDS, ask);
  }
  return () => callOff();
}
