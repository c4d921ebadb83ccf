import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Io } from "../../../src/cli/io.ts";
import { progressBar } from "../../../src/cli/status-text.ts";
import { follow, lineByLine, redrawing, verdict } from "../../../src/cli/watch.ts";
import type { DeliveryStatus, LiveMessage } from "../../../src/client/types.ts";
import { command, NOW } from "./capture.ts";
import { FakeServer } from "./fake-server.ts";
import { statusOf, type StatusFields } from "./status.ts";

const half = statusOf({
  stats: { total: 12_480, sent: 6_140, remaining: 6_120, reserved: 120, failed: 100 },
  ratePerSecond: 940.5,
  expectedFinishAt: "2026-12-01T09:00:07.000Z",
});
const finished = (fields: StatusFields = {}): DeliveryStatus =>
  statusOf({
    state: "finished",
    finishedAt: "2026-12-01T09:00:30.000Z",
    stats: { sent: 12_480, remaining: 0 },
    ...fields,
  });

const sent = (count: number): DeliveryStatus =>
  statusOf({ stats: { sent: count, remaining: 12_480 - count } });

async function* each(...statuses: DeliveryStatus[]): AsyncGenerator<LiveMessage> {
  for (const status of statuses) yield { type: "status", status };
}

/** What a display wrote; each status comes `apart` milliseconds after the one before. */
function written(apart = 0): { io: Io; text: () => string } {
  let text = "";
  let now = NOW - apart;
  const io = {
    out: async (more: string | Uint8Array) => {
      text += String(more);
    },
    columns: () => 100,
    now: () => {
      now += apart;
      return now;
    },
  };
  return { io: io as unknown as Io, text: () => text };
}

describe("a run on a terminal", () => {
  it("is one line, redrawn in place, with a bar, the rate and the end", async () => {
    const { io, text } = written();
    await follow(each(half, finished()), redrawing(io));
    expect(text().split("\r\u001B[2K").slice(1)).toEqual([
      "████████████░░░░░░░░░░░░   50.0 %  6,240/12,480  120 in flight  941/s  7 s left  100 failed",
      "████████████████████████  100.0 %  12,480/12,480  finished\n",
    ]);
  });

  it("is never wider than the terminal, and never full before the end", () => {
    expect(progressBar(half, 60, NOW)).toMatch(/^█{12}░{12}   50\.0 %  6,240\/12,480.*…$/);
    expect(progressBar(half, 60, NOW)).toHaveLength(60);
    // The numbers come first where there is no room for both.
    expect(progressBar(half, 40, NOW)).toBe(" 50.0 %  6,240/12,480  120 in flight  9…");
    const almost = statusOf({ stats: { total: 100_000, sent: 99_999, remaining: 1 } });
    expect(progressBar(almost, 100, NOW)).toContain("99.9 %");
    expect(progressBar(almost, 100, NOW)).toContain("░");
  });
});

describe("a run in a pipe", () => {
  it("is a line for each change, a second apart, and at once for a change of state", async () => {
    const { io, text } = written(100);
    const pause = { reason: "operator", detail: "Paused.", since: "2026-12-01T08:00:00Z" } as const;
    await follow(
      each(
        sent(0),
        ...Array.from({ length: 12 }, (_, n) => sent((n + 1) * 100)),
        statusOf({ state: "paused", pause, stats: { sent: 1_200, remaining: 11_280 } }),
        finished({ stats: { sent: 12_477, remaining: 0, failed: 3 } }),
      ),
      lineByLine(io, 1_000),
    );
    expect(
      text()
        .split("\n")
        .map((line) => line.replace(/^\d\d:\d\d:\d\dZ {2}/, "")),
    ).toEqual([
      "sending  0 of 12,480 (0.0 %)",
      "sending  1,000 of 12,480 (8.0 %)",
      "paused (operator: Paused.)  1,200 of 12,480 (9.6 %)",
      "finished  12,480 of 12,480 (100.0 %)  3 failed",
      "",
    ]);
  });

  it("says nothing twice, and shows what was held back when the watching ends", async () => {
    const { io, text } = written(1);
    const status = statusOf();
    const last = statusOf({ stats: { sent: 10, remaining: 12_470 }, version: 3 });
    expect(
      await follow(each(status, statusOf({ version: 2 }), last), lineByLine(io, 1_000)),
    ).toBeNull();
    expect(text().match(/sending/g)).toHaveLength(2);
    expect(text()).toContain("10 of 12,480");
  });
});

describe("how a run ends", () => {
  it("with 0 only where nobody is left to look at", () => {
    expect(verdict(finished({ duplicatesPrevented: 200 }))).toEqual({
      text: "spring finished: 12,480 sent in 1 min 30 s, 200 duplicates prevented.\n",
      code: 0,
    });
    const failed = finished({ stats: { sent: 12_479, remaining: 0, failed: 1 } });
    expect(verdict(failed)).toMatchObject({ code: 4 });
    expect(verdict(failed).text).toContain("12,479 sent, 1 not");
    const doubted = finished({ stats: { sent: 12_479, remaining: 0, inDoubt: 1 } });
    expect(verdict(doubted).code).toBe(4);
    const suppressed = finished({ stats: { sent: 12_479, remaining: 0, suppressed: 1 } });
    expect(verdict(suppressed).code).toBe(0);
    expect(verdict(statusOf({ state: "cancelled", stats: { remaining: 0 } })).code).toBe(4);
  });

  it("a cancelled one is watched until its last lease has ended", async () => {
    const { io } = written();
    const open = statusOf({ state: "cancelled", stats: { remaining: 0, reserved: 100 } });
    const closed = statusOf({ state: "cancelled", stats: { remaining: 0, reserved: 0 } });
    expect(await follow(each(open, closed), lineByLine(io, 0))).toBe(closed);
  });
});

describe("sendonce watch", () => {
  const STATUS = "GET /api/campaigns/spring/delivery-status";
  let server: FakeServer;
  beforeAll(async () => {
    server = new FakeServer();
    await server.listen();
  });
  afterAll(() => server.close());
  const watch = (args: readonly string[], io: Partial<Io> = {}) =>
    command(["watch", "spring", "--url", server.url, "--token", "secret", ...args], io);

  it("ends with the campaign", async () => {
    server.answers(STATUS, { body: finished() });
    expect(await watch([])).toEqual({
      code: 0,
      out:
        "09:00:00Z  finished  12,480 of 12,480 (100.0 %)\n" +
        "spring finished: 12,480 sent in 1 min 30 s.\n",
      err: "",
    });
    const json = await watch(["--json"]);
    expect(json).toMatchObject({ code: 0, out: `${JSON.stringify(finished())}\n` });
  });

  it("ends with 130 where it is interrupted, and with 2 at a senseless pace", async () => {
    server.answers(STATUS, { body: half });
    const interruption = new AbortController();
    const io = { interrupted: interruption.signal, out: async () => interruption.abort() };
    expect((await watch([], io)).code).toBe(130);
    expect((await watch(["--every", "often"])).code).toBe(2);
  });

  it("ends with 1 where there is no such campaign, and says how to find one", async () => {
    server.refuses(STATUS, 404, "campaignNotFound");
    const said = await watch([]);
    expect(said).toMatchObject({ code: 1, out: "" });
    expect(said.err).toContain("`sendonce status` lists the campaigns there are.");
  });
});
