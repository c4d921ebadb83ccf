import { describe, expect, it } from "vitest";
import { LiveStream } from "../../../src/client/live-stream.ts";
import { retryDelay } from "../../../src/client/retry.ts";
import { shownStatus } from "../../../src/domain/shown.ts";
import { STATUS } from "../http/api.ts";
import { FakeSocket } from "./fake-socket.ts";

/** A stream on fake sockets and a clock that the test moves. */
class Stage {
  now = 0;
  readonly sockets: FakeSocket[] = [];
  readonly states: string[] = [];
  readonly versions: number[] = [];
  readonly events: number[] = [];
  readonly stream: LiveStream;
  #timer: { at: number; work: () => void } | null = null;

  constructor() {
    this.stream = new LiveStream({
      connect: () => {
        const socket = new FakeSocket();
        this.sockets.push(socket);
        return socket;
      },
      now: () => this.now,
      chance: () => 0,
      later: (milliseconds, work) => {
        const timer = { at: this.now + milliseconds, work };
        this.#timer = timer;
        return () => {
          if (this.#timer === timer) this.#timer = null;
        };
      },
      onState: (state) =>
        this.states.push(state.kind === "waiting" ? `waiting ${state.retryAt}` : state.kind),
      onStatus: ({ version }) => this.versions.push(version),
      onEvent: ({ number }) => this.events.push(number),
    });
  }
  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error("no socket");
    return socket;
  }
  pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    while (this.#timer !== null && this.#timer.at <= until) {
      const { at, work } = this.#timer;
      this.#timer = null;
      this.now = at;
      work();
    }
    this.now = until;
  }
  snapshot(version: number): void {
    this.socket.says({ type: "snapshot", status: shownStatus({ ...STATUS, version }) });
  }
  status(version: number): void {
    this.socket.says({ type: "status", status: shownStatus({ ...STATUS, version }) });
  }
}

describe("a viewer of the live stream", () => {
  it("R-version: passes over what a later release says", () => {
    const stage = new Stage();
    stage.snapshot(7);
    stage.socket.says({ type: "weather", sky: "clear" });
    stage.status(8);
    expect([stage.versions, stage.states]).toEqual([
      [7, 8],
      ["connecting", "live"],
    ]);
  });

  it.each(["", "<h1>Sign in</h1>", "null", "[]", "{}", '{"type":"status"}', '{"type":"event"}'])(
    "%j is nothing that it was told, and no sign that the server is there",
    (text) => {
      const stage = new Stage();
      for (let seconds = 0; seconds < 9; seconds += 1) {
        stage.socket.says(text);
        stage.pass(1_000);
      }
      expect([stage.versions, stage.events, stage.states]).toEqual([[], [], ["connecting"]]);
      stage.pass(1_000);
      expect(stage.states).toEqual(["connecting", "waiting 10250"]);
    },
  );

  it("is live with its snapshot, and takes rising versions only", () => {
    const stage = new Stage();
    stage.snapshot(7);
    for (const version of [8, 8, 6, 9]) stage.status(version);
    stage.socket.says({ type: "event", event: { number: 3 } });
    expect(stage.versions).toEqual([7, 8, 9]);
    expect(stage.events).toEqual([3]);
    expect(stage.states).toEqual(["connecting", "live"]);
  });

  it("comes back, later each time, and begins anew with the snapshot", () => {
    const stage = new Stage();
    stage.snapshot(7);
    stage.socket.ends(1006);
    stage.pass(250);
    stage.socket.ends(1006);
    stage.pass(500);
    expect(stage.sockets).toHaveLength(3);
    stage.snapshot(12);
    expect(stage.states).toEqual([
      "connecting",
      "live",
      "waiting 250",
      "connecting",
      "waiting 750",
      "connecting",
      "live",
    ]);
    expect(stage.versions).toEqual([7, 12]);
  });

  it("takes an older snapshot too: the campaign was erased and made anew", () => {
    const stage = new Stage();
    stage.snapshot(70);
    stage.socket.ends(1006);
    stage.pass(250);
    stage.snapshot(2);
    stage.status(3);
    expect(stage.versions).toEqual([70, 2, 3]);
  });

  it("pings a quiet connection, and gives up one that doesn't answer", () => {
    const stage = new Stage();
    stage.snapshot(1);
    stage.pass(25_000);
    expect(stage.socket.sent).toEqual(["ping"]);
    stage.socket.says("pong");
    stage.pass(25_000);
    expect(stage.socket.sent).toEqual(["ping", "ping"]);
    const silent = stage.socket;
    stage.pass(10_000);
    expect(silent.isClosed).toBe(true);
    stage.pass(250);
    expect(stage.sockets).toHaveLength(2);
    silent.says({ type: "status", status: shownStatus({ ...STATUS, version: 99 }) });
    expect(stage.versions).toEqual([1]);
  });

  it("gives up a connection that never brings its snapshot", () => {
    const stage = new Stage();
    stage.pass(10_250);
    expect(stage.sockets).toHaveLength(2);
  });

  it("tries at once when it is told to, and only where it waits", () => {
    const stage = new Stage();
    stage.stream.retryNow();
    expect(stage.sockets).toHaveLength(1);
    stage.socket.ends(1006);
    stage.stream.retryNow();
    expect(stage.sockets).toHaveLength(2);
    stage.pass(1000);
    expect(stage.sockets).toHaveLength(2);
  });

  it("is lost at once when it is told that the network is gone, and comes back by itself", () => {
    const stage = new Stage();
    stage.snapshot(1);
    expect(stage.states.at(-1)).toBe("live");
    stage.stream.dropNow();
    expect(stage.states.at(-1)).toMatch(/^waiting /);
    stage.stream.dropNow();
    stage.pass(1000);
    expect(stage.sockets).toHaveLength(2);
    stage.snapshot(2);
    expect(stage.states.at(-1)).toBe("live");
  });

  it("ends with the campaign, and when it is stopped", () => {
    const gone = new Stage();
    gone.snapshot(1);
    gone.socket.ends(1000);
    gone.pass(60_000);
    expect(gone.states.at(-1)).toBe("ended");
    const stopped = new Stage();
    stopped.stream.stop();
    stopped.socket.ends(1005);
    stopped.pass(60_000);
    expect([gone.sockets.length, stopped.sockets.length]).toEqual([1, 1]);
    expect(stopped.socket.isClosed).toBe(true);
  });

  it("waits at most fifteen seconds, and no two alike", () => {
    expect([0, 1, 2, 20].map((failures) => retryDelay(failures, 0))).toEqual([
      250, 500, 1000, 7500,
    ]);
    expect(retryDelay(20, 0.999)).toBeLessThanOrEqual(15_000);
  });
});
