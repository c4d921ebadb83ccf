/** A WebSocket that a test speaks through. */
import type { Socket } from "../../../src/client/socket.ts";

export class FakeSocket implements Socket {
  readonly sent: string[] = [];
  isClosed = false;
  #onMessage: (event: { data: unknown }) => void = () => undefined;
  #onClose: (event: { code: number }) => void = () => undefined;

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isClosed = true;
  }

  addEventListener(type: "message" | "close", listener: (event: never) => void): void {
    if (type === "message") this.#onMessage = listener as (event: { data: unknown }) => void;
    else this.#onClose = listener as (event: { code: number }) => void;
  }

  says(message: object | string): void {
    this.#onMessage({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }

  ends(code: number): void {
    this.#onClose({ code });
  }
}
