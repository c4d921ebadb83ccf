import { describe, expect, it } from "vitest";
import {
  isDead,
  Live,
  newsOf,
  toldTo,
  type Seen,
  type Viewer,
} from "../../../src/campaign/live.ts";
import type { EventType, EventView } from "../../../src/domain/history.ts";
import {
  LIVE_PULSE_MILLISECONDS,
  LIVE_PULSE_VIEWERS,
  MAX_VIEWERS,
  VIEWER_SILENT_SECONDS,
  VIEWER_UNHEARD_SECONDS,
} from "../../../src/domain/limits.ts";
import type { LiveMessage } from "../../../src/domain/shown.ts";
import type { DeliveryStatus } from "../../../src/domain/status.ts";
import { STATUS } from "../http/api.ts";

const START = 1_000_000;

class FakeViewer implements Viewer {
  readonly sent: string[] = [];
  closed: { code: number; reason: string } | null = null;
  attachment: Seen;
  pinged: number | null = null;
  isBroken = false;

  constructor(seen: Partial<Seen> = {}) {
    this.attachment = { version: 0, event: 0, connectedAt: START, until: null, ...seen };
  }
  remembered(): Seen {
    return this.attachment;
  }
  remember(seen: Seen): void {
    this.attachment = seen;
  }
  send(text: string): void {
    if (this.isBroken) throw new Error("gone");
    this.sent.push(text);
  }
  close(code: number, reason: string): void {
    this.closed = { code, reason };
    if (this.isBroken) throw new Error("gone");
  }
  isOpen(): boolean {
    return this.closed === null;
  }
  pingedAt(): number | null {
    return this.pinged;
  }
  /** What has come since the last look, in short: `snapshot 3`, `status 4`, `event paused`. */
  heard(): string[] {
    const messages = this.sent.splice(0).map((text) => JSON.parse(text) as LiveMessage);
    return messages.map((each) =>
      each.type === "event" ? `event ${each.event.type}` : `${each.type} ${each.status.version}`,
    );
  }
}

/** A stream over a campaign of two numbers, with a clock that the test moves. */
class Stage {
  now = START;
  version: number | null = 1;
  readonly events: EventView[] = [];
  readonly logged: string[] = [];
  readonly live: Live;
  statusReads = 0;
  #timers: { at: number; work: () => void }[] = [];

  constructor(viewers: readonly Viewer[] = []) {
    this.live = new Live(
      {
        status: () => {
          this.statusReads += 1;
          return this.version === null ? null : this.status();
        },
        newestEvents: (limit) => this.events.toReversed().slice(0, limit),
        now: () => this.now,
        later: (milliseconds, work) => this.#timers.push({ at: this.now + milliseconds, work }),
        log: (event) => this.logged.push(event),
      },
      viewers,
    );
  }
  status(): DeliveryStatus {
    return { ...STATUS, version: this.version ?? 0 };
  }
  event(type: EventType): void {
    this.events.push({ number: this.events.length + 1, at: this.now, type, detail: {} });
  }
  change(): void {
    this.version = (this.version ?? 0) + 1;
    this.live.changed();
  }
  get timers(): number {
    return this.#timers.length;
  }
  /** Lets time pass and does what is due by then, in order. */
  pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    for (;;) {
      const next = this.#timers.toSorted((left, right) => left.at - right.at)[0];
      if (next === undefined || next.at > until) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.now = next.at;
      next.work();
    }
    this.now = until;
  }
  join(until: number | null = null): FakeViewer {
    const viewer = new FakeViewer();
    this.live.join(viewer, this.status(), until);
    return viewer;
  }
}

describe("what a viewer is told", () => {
  const event = (number: number, type: EventType): EventView => ({
    number,
    at: START,
    type,
    detail: {},
  });
  const seen: Seen = { version: 5, event: 10, connectedAt: START, until: null };

  it("is a status only when it is newer, then the new events, oldest first", () => {
    const newest = [event(12, "finished"), event(11, "paused"), event(10, "resumed")];
    const news = newsOf({ ...STATUS, version: 6 }, newest);
    const told = toldTo(seen, news);
    expect(told.texts.map((text) => (JSON.parse(text) as LiveMessage).type)).toEqual([
      "status",
      "event",
      "event",
    ]);
    expect(told.texts[1]).toContain('"paused"');
    expect(told.seen).toEqual({ version: 6, event: 12, connectedAt: START, until: null });
    expect(toldTo(told.seen, news).texts).toEqual([]);
  });

  it("is no event beside pauses, resumes, dead letters and the finish", () => {
    const types: EventType[] = [
      "created",
      "started",
      "replayed",
      "resolved",
      "inDoubt",
      "cancelled",
    ];
    const newest = types.map((type, index) => event(20 - index, type));
    const told = toldTo(seen, newsOf({ ...STATUS, version: 5 }, newest));
    expect(told).toEqual({ texts: [], seen: { ...seen, event: 20 } });
  });

  it("has the form of the contract", () => {
    const news = newsOf(STATUS, [event(11, "paused")]);
    expect(JSON.parse(news.status)).toMatchObject({
      type: "status",
      status: { campaignId: "spring", version: 7, startedAt: "2026-11-29T11:59:00.000Z" },
    });
    expect(JSON.parse(news.events[0]?.text ?? "")).toEqual({
      type: "event",
      event: { number: 11, at: "1970-01-01T00:16:40.000Z", type: "paused", detail: {} },
    });
  });
});

describe("the stream", () => {
  it("sends one snapshot, and nothing while nothing changes", () => {
    const stage = new Stage();
    const viewer = stage.join();
    stage.pass(60_000);
    expect(viewer.heard()).toEqual(["snapshot 1"]);
    stage.live.changed();
    stage.pass(60_000);
    expect(viewer.heard()).toEqual([]);
  });

  it("sends the first change at once and the last one of a burst within a quarter second", () => {
    const stage = new Stage();
    const viewer = stage.join();
    viewer.heard();
    stage.change();
    stage.pass(0);
    expect(viewer.heard()).toEqual(["status 2"]);
    for (let count = 0; count < 50; count += 1) stage.change();
    stage.pass(LIVE_PULSE_MILLISECONDS - 1);
    expect(viewer.heard()).toEqual([]);
    stage.pass(1);
    expect(viewer.heard()).toEqual(["status 52"]);
  });

  it("sends at most four statuses a second, each of a higher version", () => {
    const stage = new Stage();
    const viewer = stage.join();
    viewer.heard();
    for (let tick = 0; tick < 1000; tick += 1) {
      stage.change();
      stage.pass(10);
    }
    const versions = viewer.heard().map((text) => Number(text.split(" ")[1]));
    expect(versions.length).toBeGreaterThan(35);
    expect(versions.length).toBeLessThanOrEqual(41);
    expect(versions).toEqual([...new Set(versions)].toSorted((left, right) => left - right));
  });

  it("tells a thousand viewers in turn, so that the campaign has its time between them", () => {
    const stage = new Stage();
    const viewers = Array.from({ length: 1000 }, () => stage.join());
    const sends = (): number => viewers.reduce((sum, viewer) => sum + viewer.heard().length, 0);
    sends();
    stage.change();
    stage.pass(0);
    for (let told = 0; told < 1000; told += LIVE_PULSE_VIEWERS) {
      expect(sends()).toBe(LIVE_PULSE_VIEWERS);
      stage.pass(LIVE_PULSE_MILLISECONDS);
    }
    stage.pass(10_000);
    expect([sends(), stage.timers]).toEqual([0, 0]);
  });

  it("tells everybody the last change, also one that came in the middle of a round", () => {
    const stage = new Stage();
    const viewers = Array.from({ length: 600 }, () => stage.join());
    stage.change();
    stage.pass(LIVE_PULSE_MILLISECONDS);
    stage.change();
    stage.pass(10_000);
    for (const viewer of viewers) expect(viewer.heard().at(-1)).toBe("status 3");
  });

  it("does not send a newcomer what its snapshot had already", () => {
    const stage = new Stage();
    const first = stage.join();
    stage.event("paused");
    stage.change();
    const second = stage.join();
    stage.pass(1000);
    expect(first.heard()).toEqual(["snapshot 1", "status 2", "event paused"]);
    expect(second.heard()).toEqual(["snapshot 2"]);
  });

  it("reads nothing and sets no timer where nobody watches", () => {
    const stage = new Stage();
    for (let count = 0; count < 10; count += 1) stage.change();
    expect([stage.timers, stage.statusReads]).toEqual([0, 0]);
  });

  it("has no timer a quarter of a second after the last change, so that the object can sleep", () => {
    const stage = new Stage();
    stage.join();
    stage.change();
    stage.pass(LIVE_PULSE_MILLISECONDS);
    expect(stage.timers).toBe(0);
  });

  it("remembers what each has seen before the object can sleep, and goes on from there", () => {
    const before = new Stage();
    const viewer = before.join();
    before.change();
    before.pass(LIVE_PULSE_MILLISECONDS);
    expect(viewer.heard()).toEqual(["snapshot 1", "status 2"]);
    expect(viewer.attachment).toMatchObject({ version: 2, event: 0 });

    const after = new Stage([viewer]);
    after.version = 2;
    after.pass(1000);
    expect(viewer.heard()).toEqual([]);
    after.change();
    after.pass(1000);
    expect(viewer.heard()).toEqual(["status 3"]);
  });

  it("sends those it wakes with what they have missed", () => {
    const stale = new FakeViewer({ version: 1 });
    const stage = new Stage([stale]);
    stage.version = 9;
    stage.event("finished");
    stage.pass(0);
    expect(stale.heard()).toEqual(["status 9", "event finished"]);
  });

  it("closes the sockets of a campaign that was erased, also where its id has a new one", () => {
    const stage = new Stage();
    stage.version = 50;
    const viewer = stage.join();
    stage.version = null;
    stage.live.changed();
    stage.pass(0);
    expect(viewer.closed).toEqual({ code: 1000, reason: "the campaign was erased" });

    const again = new Stage();
    again.version = 50;
    const other = again.join();
    again.version = 1;
    again.live.changed();
    again.pass(0);
    expect(other.closed?.code).toBe(1000);
  });

  it("tells nobody anything after the end of its session", () => {
    const stage = new Stage();
    const [session, token] = [stage.join(START + 1000), stage.join()];
    for (const viewer of [session, token]) viewer.heard();
    stage.now = START + 999;
    stage.change();
    stage.pass(0);
    expect(session.heard()).toEqual(["status 2"]);
    stage.now = START + 1000;
    stage.change();
    stage.pass(LIVE_PULSE_MILLISECONDS);
    expect(session.heard()).toEqual([]);
    expect(session.closed).toEqual({ code: 1008, reason: "the session is over" });
    expect(token.heard()).toEqual(["status 2", "status 3"]);
  });

  it("lets one broken socket go and tells the others all the same", () => {
    const stage = new Stage();
    const [broken, whole] = [stage.join(), stage.join()];
    whole.heard();
    broken.isBroken = true;
    stage.change();
    stage.pass(0);
    expect(broken.closed?.code).toBe(1001);
    expect(whole.heard()).toEqual(["status 2"]);
  });

  it("outlives a status that can't be read", () => {
    const stage = new Stage();
    const viewer = stage.join();
    viewer.heard();
    const failing = new Live(
      {
        status: () => {
          throw new Error("no rows");
        },
        newestEvents: () => [],
        now: () => stage.now,
        later: (milliseconds, work) => {
          if (milliseconds === 0) work();
        },
        log: (event) => stage.logged.push(event),
      },
      [],
    );
    failing.join(viewer, stage.status(), null);
    failing.changed();
    expect(stage.logged).toContain("liveFailed");
  });
});

describe("dead viewers", () => {
  it("are those that have pinged and stopped, or that were never heard for an hour", () => {
    const silent = VIEWER_SILENT_SECONDS * 1000;
    const unheard = VIEWER_UNHEARD_SECONDS * 1000;
    expect(isDead(START, START, START + silent)).toBe(false);
    expect(isDead(START, START, START + silent + 1)).toBe(true);
    expect(isDead(null, START, START + unheard)).toBe(false);
    expect(isDead(null, START, START + unheard + 1)).toBe(true);
  });

  it("are closed while the campaign moves", () => {
    const stage = new Stage();
    const [dead, quiet] = [stage.join(), stage.join()];
    dead.pinged = START;
    stage.now += VIEWER_SILENT_SECONDS * 1000 + 1;
    stage.change();
    stage.pass(0);
    expect(dead.closed).toEqual({ code: 1001, reason: "no ping" });
    expect(quiet.closed).toBeNull();
  });

  it("make room, and nobody else does", () => {
    const stage = new Stage();
    const viewers = Array.from({ length: MAX_VIEWERS }, () => stage.join());
    expect(stage.live.hasRoom()).toBe(false);
    const [first] = viewers;
    if (first !== undefined) first.pinged = START;
    stage.now += VIEWER_SILENT_SECONDS * 1000 + 1;
    expect(stage.live.hasRoom()).toBe(true);
    expect(first?.closed?.code).toBe(1001);
    expect(viewers.filter((viewer) => viewer.closed !== null)).toHaveLength(1);
  });
});
