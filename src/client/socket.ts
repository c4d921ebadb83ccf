/**
 * One WebSocket to a campaign's live stream, however the runtime opens it: by a constructor that
 * takes headers (Node 22), by one that takes none (a browser), or by a request that is upgraded
 * (Cloudflare, Workers, "Use WebSockets": a client in a Worker fetches with `Upgrade: websocket`).
 */

/** What is used of a WebSocket. */
export type Socket = {
  send(text: string): void;
  close(): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number }) => void): void;
};

/** @param url with the scheme `ws` or `wss` */
export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => Socket;

export function socketOfConstructor(found: unknown, takesHeaders: boolean): OpenSocket {
  const Constructor = found as new (url: string, options?: object) => Socket;
  return (url, headers) =>
    takesHeaders ? new Constructor(url, { headers }) : new Constructor(url);
}

export function socketOfUpgrade(ask: typeof fetch): OpenSocket {
  return (url, headers) => {
    const upgrade = { ...headers, upgrade: "websocket" };
    return new UpgradedSocket(ask(url.replace(/^ws/, "http"), { headers: upgrade }));
  };
}

type WorkerSocket = Socket & { accept(): void };

/** RFC 6455 §7.4.1: what a browser says of a connection that broke or never came about. */
const ABNORMAL = 1006;

class UpgradedSocket implements Socket {
  readonly #onMessage: ((event: { data: unknown }) => void)[] = [];
  readonly #onClose: ((event: { code: number }) => void)[] = [];
  #socket: WorkerSocket | null = null;
  #isClosed = false;

  constructor(answer: Promise<Response>) {
    answer.then(
      (response) => this.#opened(response),
      () => this.#closed(ABNORMAL),
    );
  }

  addEventListener(type: "message" | "close", listener: (event: never) => void): void {
    if (type === "message") this.#onMessage.push(listener as (event: { data: unknown }) => void);
    else this.#onClose.push(listener as (event: { code: number }) => void);
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close();
  }

  #opened(response: Response): void {
    const { webSocket = null } = response as { webSocket?: WorkerSocket | null };
    if (webSocket === null) {
      // A refusal; its body would hold the connection.
      void response.body?.cancel();
      return this.#closed(ABNORMAL);
    }
    webSocket.addEventListener("message", ({ data }) => {
      for (const listener of this.#onMessage) listener({ data });
    });
    webSocket.addEventListener("close", ({ code }) => this.#closed(code));
    webSocket.accept();
    this.#socket = webSocket;
    // It was closed before it was there.
    if (this.#isClosed) webSocket.close();
  }

  #closed(code: number): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const listener of this.#onClose) listener({ code });
  }
}
