import { describe, expect, it } from "vitest";
import { runtimeOf, surroundingsHere } from "../../../src/client/surroundings.ts";
import { socketOfUpgrade, type Socket } from "../../../src/client/socket.ts";

const agent = (userAgent: string) => ({ navigator: { userAgent } });
const BROWSER = agent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0");
const ORIGIN = "https://mail.test";

/** What a constructor of sockets was given. */
class Opened {
  static last: readonly unknown[] = [];
  constructor(...given: unknown[]) {
    Opened.last = given;
  }
}

const can = (url: string, scope: object): boolean =>
  surroundingsHere(url, true, {}, scope).canStreamRequests;

describe("the runtime", () => {
  it("is known by the name that it gives", () => {
    expect(runtimeOf(BROWSER)).toBe("browser");
    expect(runtimeOf(agent("Cloudflare-Workers"))).toBe("workers");
    expect([runtimeOf(agent("Node.js/22")), runtimeOf({})]).toEqual(["other", "other"]);
    expect(runtimeOf(globalThis)).toBe("other");
  });

  it("opens a socket with a header, by a cookie, or not at all", () => {
    const node = { ...agent("Node.js/22"), WebSocket: Opened };
    surroundingsHere(ORIGIN, true, {}, node).openSocket?.("wss://a", { authorization: "x" });
    expect(Opened.last).toEqual(["wss://a", { headers: { authorization: "x" } }]);
    const browser = { ...BROWSER, WebSocket: Opened };
    surroundingsHere(ORIGIN, false, {}, browser).openSocket?.("wss://b", {});
    expect(Opened.last).toEqual(["wss://b"]);
    // Its socket can't carry the token, and the page may have no session.
    expect(surroundingsHere(ORIGIN, true, {}, browser).openSocket).toBeNull();
    expect(surroundingsHere(ORIGIN, true, {}, agent("Node.js/20")).openSocket).toBeNull();
  });

  it("streams a request, but in a browser only over TLS", () => {
    expect(can("http://127.0.0.1", agent("Node.js/22"))).toBe(true);
    expect(can("http://127.0.0.1", BROWSER)).toBe(false);
    expect(can(ORIGIN, BROWSER)).toBe(true);
  });

  it("is what it is told to be", () => {
    const given = { canStreamRequests: false, openSocket: null };
    const told = surroundingsHere(ORIGIN, true, given);
    expect([told.canStreamRequests, told.openSocket]).toEqual([false, null]);
  });
});

const closes = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    socket.addEventListener("close", ({ code }) => resolve(code));
  });

describe("a socket that a Worker fetches", () => {
  it("asks for an upgrade, and is closed where it gets none", async () => {
    const asked: unknown[] = [];
    const open = socketOfUpgrade(async (input, init) => {
      asked.push(input, init?.headers);
      return new Response("no", { status: 404 });
    });
    expect(await closes(open("wss://mail.test/live", { authorization: "x" }))).toBe(1006);
    expect(asked).toEqual(["https://mail.test/live", { authorization: "x", upgrade: "websocket" }]);
    const nobody = socketOfUpgrade(() => Promise.reject(new TypeError("no network")));
    expect(await closes(nobody("wss://mail.test/live", {}))).toBe(1006);
  });

  it("that is closed before it is there is closed when it comes", async () => {
    const calls: string[] = [];
    const webSocket = {
      accept: () => calls.push("accept"),
      close: () => calls.push("close"),
      addEventListener: () => undefined,
    };
    const open = socketOfUpgrade(async () => ({ webSocket }) as unknown as Response);
    open("wss://mail.test/live", {}).close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual(["accept", "close"]);
  });
});
