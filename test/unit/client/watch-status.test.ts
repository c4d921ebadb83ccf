import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SendonceClient } from "../../../src/client/client.ts";
import type { Socket } from "../../../src/client/live-stream.ts";
import { SendonceProblem, SendonceUnreachable } from "../../../src/client/problem.ts";
import { watchStatus } from "../../../src/client/watch-status.ts";
import { FakeServer } from "../cli/fake-server.ts";
import { statusOf } from "../cli/status.ts";

const STATUS = "GET /api/campaigns/spring/delivery-status";
let server: FakeServer;
let client: SendonceClient;

/** A socket that a test speaks through. */
class FakeSocket implements Socket {
  readonly opened: { url: string; headers: Readonly<Record<string, string>> };
  closed = false;
  #message: (event: { data: unknown }) => void = () => undefined;
  #close: (event: { code: number }) => void = () => undefined;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.opened = { url, headers };
  }

  send(): void {}

  close(): void {
    this.closed = true;
  }

  addEventListener(type: "message" | "close", listener: (event: never) => void): void {
    if (type === "message") this.#message = listener as (event: { data: unknown }) => void;
    else this.#close = listener as (event: { code: number }) => void;
  }

  brings(type: "snapshot" | "status", version: number): void {
    this.#message({ data: JSON.stringify({ type, status: statusOf({ version }) }) });
  }

  breaks(): void {
    this.#close({ code: 1006 });
  }
}

beforeAll(async () => {
  server = new FakeServer();
  await server.listen();
  client = new SendonceClient({ url: `${server.url}/`, token: "secret" });
});
afterAll(() => server.close());

describe("watching a campaign", () => {
  it("asks first, then takes the stream, and gives each version once and rising", async () => {
    server.answers(STATUS, { body: statusOf({ version: 3 }) });
    const sockets: FakeSocket[] = [];
    const openSocket = (url: string, headers: Readonly<Record<string, string>>): FakeSocket => {
      const socket = new FakeSocket(url, headers);
      sockets.push(socket);
      return socket;
    };
    const statuses = watchStatus(client, "spring", { openSocket });
    const next = async (): Promise<number | undefined> => (await statuses.next()).value?.version;
    expect(await next()).toBe(3);
    const [socket] = sockets;
    expect(socket?.opened).toEqual({
      url: `${server.url.replace("http", "ws")}/api/campaigns/spring/live`,
      headers: { authorization: "Bearer secret" },
    });
    socket?.brings("snapshot", 3);
    socket?.brings("status", 5);
    expect(await next()).toBe(5);

    // The stream is lost, and the status is asked for at once.
    server.answers(STATUS, { body: statusOf({ version: 9 }) });
    socket?.breaks();
    expect(await next()).toBe(9);
    await statuses.return();
  });

  it("asks every second where the runtime has no WebSocket", async () => {
    const answers = [1, 1, 2].map((version) => ({ body: statusOf({ version }) }));
    server.answers(STATUS, ...answers);
    const versions: number[] = [];
    for await (const { version } of watchStatus(client, "spring", { openSocket: null })) {
      versions.push(version);
      if (version === 2) break;
    }
    expect(versions).toEqual([1, 2]);
  });

  it("bears a server that is away for a while, and no longer", async () => {
    const away = { status: 503, body: { code: "unavailable", detail: "It is back soon." } };
    server.answers(STATUS, { body: statusOf({ version: 1 }) }, away, {
      body: statusOf({ version: 2 }),
    });
    const patient = watchStatus(client, "spring", { openSocket: null });
    expect((await patient.next()).value?.version).toBe(1);
    expect((await patient.next()).value?.version).toBe(2);
    await patient.return();

    server.answers(STATUS, { body: statusOf({ version: 1 }) }, away);
    const hasty = watchStatus(client, "spring", { openSocket: null, patienceSeconds: 0 });
    await hasty.next();
    await expect(hasty.next()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is refused at the first answer, and unreachable where there is none", async () => {
    server.refuses(STATUS, 404, "campaignNotFound");
    await expect(watchStatus(client, "spring").next()).rejects.toThrow(SendonceProblem);
    const nobody = new SendonceClient({ url: "http://127.0.0.1:1", token: "secret" });
    await expect(watchStatus(nobody, "spring").next()).rejects.toThrow(SendonceUnreachable);
  });

  it("ends when it is told to", async () => {
    server.answers(STATUS, { body: statusOf({ version: 1 }) });
    const ending = new AbortController();
    const { signal } = ending;
    const statuses = watchStatus(client, "spring", { openSocket: null, signal });
    await statuses.next();
    const last = statuses.next();
    ending.abort();
    expect(await last).toEqual({ done: true, value: undefined });
    expect((await watchStatus(client, "spring", { signal }).next()).done).toBe(true);
  });
});
