/**
 * A viewer of a campaign's live stream (DESIGN §5) that stays: it pings, notices a dead connection,
 * comes back with jitter, and takes the snapshot of each new connection for what it has missed, so
 * that no gap is left and no number goes back.
 *
 * It knows no platform: a browser gives it its WebSocket, a program another, a test a fake one.
 */
import { isObject } from "../domain/is-object.ts";
import {
  WATCH_PING_MILLISECONDS,
  WATCH_PONG_MILLISECONDS,
  WATCH_SNAPSHOT_MILLISECONDS,
} from "../domain/limits.ts";
import { retryDelay } from "./retry.ts";
import type { Socket } from "./socket.ts";
import type { CampaignEvent, DeliveryStatus, LiveMessage } from "./types.ts";

/** The server's word that the campaign is gone (RFC 6455 §7.4.1: a normal closure). */
const CLOSED_NORMALLY = 1000;

export type LiveState =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** `retryAt`: when the next try is made, in milliseconds since 1970. */
  | { readonly kind: "waiting"; readonly retryAt: number }
  /** The campaign is gone; there is no further try. */
  | { readonly kind: "ended" };

export type LivePorts = {
  connect(): Socket;
  now(): number;
  /** A number in [0, 1). */
  chance(): number;
  /** Gives a function that calls the work off. */
  later(milliseconds: number, work: () => void): () => void;
  onState(state: LiveState): void;
  /** Called with rising versions; a snapshot may begin anew after an outage. */
  onStatus(status: DeliveryStatus, kind: "snapshot" | "status"): void;
  onEvent(event: CampaignEvent): void;
};

export class LiveStream {
  readonly #ports: LivePorts;
  #socket: Socket | null = null;
  #failures = 0;
  #version = 0;
  #isLive = false;
  #callOff: () => void = () => undefined;

  constructor(ports: LivePorts) {
    this.#ports = ports;
    this.#connect();
  }

  /** Tries at once where it waits, such as when the network is back. */
  retryNow(): void {
    if (this.#socket === null) this.#connect();
  }

  /** Gives the connection up without waiting for a pong, such as when the network is gone. */
  dropNow(): void {
    if (this.#socket !== null) this.#giveUp();
  }

  stop(): void {
    this.#callOff();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #wait(milliseconds: number, work: () => void): void {
    this.#callOff();
    this.#callOff = this.#ports.later(milliseconds, work);
  }

  #connect(): void {
    this.#isLive = false;
    this.#ports.onState({ kind: "connecting" });
    const socket = this.#ports.connect();
    this.#socket = socket;
    // What an earlier socket still says is of no interest.
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket === socket) this.#hear(String(data));
    });
    socket.addEventListener("close", ({ code }) => {
      if (this.#socket === socket) this.#lost(code);
    });
    this.#wait(WATCH_SNAPSHOT_MILLISECONDS, () => this.#giveUp());
  }

  #hear(text: string): void {
    const message = text === "pong" ? text : messageIn(text);
    // Something in between, whose listener is ours all the same: it may not fail.
    if (message === null) return;
    // Any message shows that the other side is there.
    this.#wait(WATCH_PING_MILLISECONDS, () => this.#ping());
    if (message === "pong" || message === "later") return;
    if (message.type === "event") return this.#ports.onEvent(message.event);
    const isNewer = message.type === "snapshot" || message.status.version > this.#version;
    if (!isNewer) return;
    this.#version = message.status.version;
    this.#failures = 0;
    if (!this.#isLive) this.#ports.onState({ kind: "live" });
    this.#isLive = true;
    this.#ports.onStatus(message.status, message.type);
  }

  #ping(): void {
    this.#socket?.send("ping");
    this.#wait(WATCH_PONG_MILLISECONDS, () => this.#giveUp());
  }

  /** A dead connection may take minutes to say that it is closed, so that nobody waits for it. */
  #giveUp(): void {
    const socket = this.#socket;
    this.#lost(0);
    socket?.close();
  }

  #lost(code: number): void {
    this.#socket = null;
    this.#callOff();
    if (code === CLOSED_NORMALLY) return this.#ports.onState({ kind: "ended" });
    const delay = retryDelay(this.#failures, this.#ports.chance());
    this.#failures += 1;
    this.#ports.onState({ kind: "waiting", retryAt: this.#ports.now() + delay });
    this.#wait(delay, () => this.#connect());
  }
}

/** Null: it is not of this API. `later`: of a later release, which says more than this one knows. */
function messageIn(text: string): LiveMessage | "later" | null {
  const message = objectIn(text);
  if (message === null) return null;
  const { type, status, event } = message;
  if (type === "event") return isObject(event) ? (message as LiveMessage) : null;
  if (type !== "snapshot" && type !== "status") return typeof type === "string" ? "later" : null;
  const isWhole = isObject(status) && typeof status.version === "number";
  return isWhole ? (message as LiveMessage) : null;
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
