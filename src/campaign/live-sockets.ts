/**
 * The hibernating sockets of a campaign object: gives the platform's sockets to `Live`.
 *
 * Accepted through the object's state, a socket outlives the object's sleep, and `ping` is answered
 * by the platform without waking it (Durable Objects, "WebSocket Hibernation API").
 */
import type { Instant } from "../domain/ids.ts";
import type { DeliveryStatus } from "../domain/status.ts";
import { Live, type LivePorts, type Seen, type Viewer } from "./live.ts";

/** RFC 6455 §7.4.1: the message goes against the endpoint's policy. */
const POLICY_VIOLATION = 1008;
const NO_CODE = 1005;
const BROKEN_OFF = 1006;

class SocketViewer implements Viewer {
  readonly #state: DurableObjectState;
  readonly #socket: WebSocket;

  constructor(state: DurableObjectState, socket: WebSocket) {
    this.#state = state;
    this.#socket = socket;
  }

  remembered(): Seen {
    return this.#socket.deserializeAttachment() as Seen;
  }

  remember(seen: Seen): void {
    this.#socket.serializeAttachment(seen);
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  pingedAt(): number | null {
    return this.#state.getWebSocketAutoResponseTimestamp(this.#socket)?.getTime() ?? null;
  }
}

function later(milliseconds: number, work: () => void): void {
  setTimeout(work, milliseconds);
}

export class LiveSockets {
  readonly #state: DurableObjectState;
  readonly #viewers = new WeakMap<WebSocket, SocketViewer>();
  readonly #live: Live;

  constructor(state: DurableObjectState, ports: Omit<LivePorts, "later">) {
    this.#state = state;
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    // Some may be closing; they have nothing to hear any more.
    const sockets = state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
    const viewers = sockets.map((socket) => this.#viewerOf(socket));
    this.#live = new Live({ ...ports, later }, viewers);
  }

  get count(): number {
    return this.#live.count;
  }

  changed(): void {
    this.#live.changed();
  }

  /** Answers an upgrade: 101 with the socket, 404 without a campaign, 503 where it is full. */
  upgrade(status: DeliveryStatus | null, until: Instant | null): Response {
    if (status === null) return new Response(null, { status: 404 });
    if (!this.#live.hasRoom()) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server);
    this.#live.join(this.#viewerOf(server), status, until);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A viewer has nothing to say but `ping`, and that never gets here. */
  heard(socket: WebSocket): void {
    this.lost(socket);
    socket.close(POLICY_VIOLATION, "send nothing but ping");
  }

  /**
   * Answers a goodbye with the same, for which a client waits, ten seconds in Node: the platform does
   * not do it for a hibernating socket, whatever the compatibility date says.
   */
  closed(socket: WebSocket, code: number, reason: string): void {
    this.lost(socket);
    try {
      // 1005 and 1006 stand for no code, and may not be sent (RFC 6455 §7.4.1).
      if (code === NO_CODE || code === BROKEN_OFF) socket.close();
      else socket.close(code, reason);
    } catch {
      // Its connection is gone already.
    }
  }

  lost(socket: WebSocket): void {
    this.#live.leave(this.#viewerOf(socket));
  }

  #viewerOf(socket: WebSocket): SocketViewer {
    const known = this.#viewers.get(socket);
    if (known !== undefined) return known;
    const viewer = new SocketViewer(this.#state, socket);
    this.#viewers.set(socket, viewer);
    return viewer;
  }
}
