import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SendonceClient } from "../../../src/client/client.ts";
import { SendonceProblem, SendonceUnreachable } from "../../../src/client/problem.ts";
import type { OpenSocket } from "../../../src/client/socket.ts";
import type { LiveMessage } from "../../../src/client/types.ts";
import { FakeServer } from "../cli/fake-server.ts";
import { statusOf } from "../cli/status.ts";
import { FakeSocket } from "./fake-socket.ts";

const STATUS = "GET /api/campaigns/spring/delivery-status";
let server: FakeServer;

beforeAll(async () => {
  server = new FakeServer();
  await server.listen();
});
afterAll(() => server.close());

const later = (milliseconds: number, work: () => void): (() => void) => {
  // Asking and coming back without the wait; limits of time stay where they are.
  const timer = setTimeout(work, milliseconds <= 2_000 ? 0 : milliseconds);
  return () => clearTimeout(timer);
};

function clientOf(openSocket: OpenSocket | null): SendonceClient {
  const surroundings = { openSocket, later, chance: () => 0 };
  return new SendonceClient({ url: `${server.url}/`, token: "secret", tries: 1, surroundings });
}

/** A client whose sockets a test speaks through. */
function withSockets() {
  const sockets: FakeSocket[] = [];
  const opened: (readonly [url: string, headers: Readonly<Record<string, string>>])[] = [];
  const client = clientOf((url, headers) => {
    const socket = new FakeSocket();
    sockets.push(socket);
    opened.push([url, headers]);
    return socket;
  });
  const socket = async (place: number): Promise<FakeSocket> => {
    for (;;) {
      const found = sockets[place];
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { client, opened, socket };
}

const status = (type: "snapshot" | "status", version: number) => ({
  type,
  status: statusOf({ version }),
});

async function versions(messages: AsyncIterable<LiveMessage>): Promise<(number | string)[]> {
  const seen: (number | string)[] = [];
  for await (const each of messages) {
    seen.push(each.type === "event" ? each.event.type : each.status.version);
  }
  return seen;
}

describe("watching a campaign", () => {
  it("asks first, then takes the stream, and gives each version once and rising", async () => {
    server.answers(STATUS, { body: statusOf({ version: 3 }) });
    const { client, opened, socket } = withSockets();
    const messages = client.watch("spring");
    const next = async (): Promise<LiveMessage | void> => (await messages.next()).value;
    expect(await next()).toEqual(status("snapshot", 3));
    const first = await socket(0);
    expect(opened).toEqual([
      [
        `${server.url.replace("http", "ws")}/api/campaigns/spring/live`,
        { authorization: "Bearer secret" },
      ],
    ]);
    first.says(status("snapshot", 3));
    first.says(status("status", 5));
    first.says({ type: "event", event: { number: 1, type: "paused", at: "", detail: {} } });
    expect(await next()).toEqual(status("status", 5));
    expect(await next()).toMatchObject({ type: "event", event: { type: "paused" } });

    // The stream is lost: the status is asked for at once, and a new stream begins with its own.
    server.answers(STATUS, { body: statusOf({ version: 9 }) });
    first.ends(1006);
    expect(await next()).toEqual(status("status", 9));
    const second = await socket(1);
    second.says(status("snapshot", 9));
    second.says(status("status", 8));
    second.says(status("status", 11));
    expect(await next()).toEqual(status("status", 11));
    await messages.return();
    expect(second.isClosed).toBe(true);
  });

  it("R-restore: goes on from the snapshot of a campaign that was restored meanwhile", async () => {
    server.answers(STATUS, { body: statusOf({ version: 80 }) });
    const { client, socket } = withSockets();
    const messages = client.watch("spring");
    const next = async (): Promise<LiveMessage | void> => (await messages.next()).value;
    expect(await next()).toEqual(status("snapshot", 80));
    const first = await socket(0);
    server.answers(STATUS, { body: statusOf({ version: 51 }) });
    first.ends(1006);
    expect(await next()).toEqual(status("snapshot", 51));
    const second = await socket(1);
    second.says(status("snapshot", 51));
    second.says(status("status", 52));
    expect(await next()).toEqual(status("status", 52));
    await messages.return();
  });

  it("a slow watcher gets the newest status, and all events beside it", async () => {
    server.answers(STATUS, { body: statusOf({ version: 1 }) });
    const { client, socket } = withSockets();
    const messages = client.watch("spring");
    await messages.next();
    const first = await socket(0);
    first.says(status("snapshot", 1));
    for (const version of [2, 3, 4]) first.says(status("status", version));
    first.says({ type: "event", event: { number: 1, type: "paused", at: "", detail: {} } });
    for (const version of [5, 6]) first.says(status("status", version));
    const told = [await messages.next(), await messages.next(), await messages.next()];
    await messages.return();
    expect(told.map(({ value }) => (value as LiveMessage).type)).toEqual([
      "status",
      "event",
      "status",
    ]);
    expect(told[0]?.value).toEqual(status("status", 4));
    expect(told[2]?.value).toEqual(status("status", 6));
  });

  it("ends with the campaign where that is asked for", async () => {
    const finished = statusOf({ version: 2, state: "finished" });
    server.answers(STATUS, { body: statusOf({ version: 1 }) }, { body: finished });
    const messages = clientOf(null).watch("spring", { untilOver: true });
    expect(await versions(messages)).toEqual([1, 2]);
  });

  it("a cancelled one is over when its last lease has ended", async () => {
    const state = "cancelled";
    const open = statusOf({ version: 1, state, stats: { reserved: 100 } });
    const closed = statusOf({ version: 2, state, stats: { reserved: 0 } });
    server.answers(STATUS, { body: open }, { body: closed });
    expect(await versions(clientOf(null).watch("spring", { untilOver: true }))).toEqual([1, 2]);
  });

  it("asks again and again where the runtime has no WebSocket", async () => {
    const answers = [1, 1, 2].map((version) => ({ body: statusOf({ version }) }));
    server.answers(STATUS, ...answers);
    const seen: number[] = [];
    for await (const message of clientOf(null).watch("spring")) {
      if (message.type !== "event") seen.push(message.status.version);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([1, 2]);
  });

  it("bears a server that is away for a while, and no longer", async () => {
    const away = { status: 503, body: { code: "unavailable", detail: "It is back soon." } };
    server.answers(STATUS, { body: statusOf({ version: 1 }) }, away, {
      body: statusOf({ version: 2 }),
    });
    const patient = clientOf(null).watch("spring");
    expect((await patient.next()).value).toEqual(status("snapshot", 1));
    expect((await patient.next()).value).toEqual(status("status", 2));
    await patient.return();

    server.answers(STATUS, { body: statusOf({ version: 1 }) }, away);
    const hasty = clientOf(null).watch("spring", { patienceSeconds: 0 });
    await hasty.next();
    await expect(hasty.next()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is refused at the first answer, and when the campaign is erased", async () => {
    server.refuses(STATUS, 404, "campaignNotFound");
    await expect(clientOf(null).watch("spring").next()).rejects.toThrow(SendonceProblem);

    server.answers(STATUS, { body: statusOf({ version: 1 }) });
    const { client, socket } = withSockets();
    const messages = client.watch("spring");
    await messages.next();
    server.refuses(STATUS, 404, "campaignNotFound");
    (await socket(0)).ends(1000);
    await expect(messages.next()).rejects.toMatchObject({ code: "campaignNotFound" });
  });

  it("is unreachable where nobody has ever answered", async () => {
    const nobody = new SendonceClient({ url: "http://127.0.0.1:1", token: "secret", tries: 1 });
    await expect(nobody.watch("spring").next()).rejects.toThrow(SendonceUnreachable);
  });

  it("ends when it is told to, in the middle of a wait or of a question", async () => {
    server.answers(STATUS, { body: statusOf({ version: 1 }) });
    const ending = new AbortController();
    const { signal } = ending;
    const statuses = clientOf(null).watch("spring", { signal });
    await statuses.next();
    const last = statuses.next();
    ending.abort();
    expect(await last).toEqual({ done: true, value: undefined });
    expect((await clientOf(null).watch("spring", { signal }).next()).done).toBe(true);
  });
});
