/** `/healthz`: who may ask, what it costs, and when it is 503. */
import { describe, expect, it, vi } from "vitest";
import { STORAGE_DOWN, type Health } from "../../../src/domain/health.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";
import {
  HEALTH_CALL_SECONDS,
  HEALTH_CAMPAIGNS,
  HEALTH_KEPT_SECONDS,
  HEALTH_LOOK_SECONDS,
} from "../../../src/domain/limits.ts";
import { HealthWatch } from "../../../src/account/health-watch.ts";
import { HealthMemory } from "../../../src/http/health-memory.ts";
import { api, HEALTHY, NOW, STATUS } from "./api.ts";
import { READING } from "./reading.ts";

const degraded: Health = {
  status: "degraded",
  parts: { ...HEALTHY.parts, provider: { status: "down", reason: "providerFailing" } },
};

describe("/healthz", () => {
  it.each([
    ["well", HEALTHY, 200],
    ["without its provider", degraded, 200],
    ["without its storage", STORAGE_DOWN, 503],
  ])("of a service %s", async (_, health, status) => {
    const { ask } = api({ deps: { health: async () => health } });
    const response = await ask("GET", "/healthz", { token: null });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("retry-after")).toBe(status === 503 ? "5" : null);
    expect(await response.json()).toEqual(health);
  });
});

const atNow = () => NOW;

describe("what an isolate remembers", () => {
  it("is asked for once in a few seconds, however many ask", async () => {
    let [now, asked] = [NOW, 0];
    const memory = new HealthMemory();
    const get = () =>
      memory.get(
        async () => {
          asked += 1;
          return HEALTHY;
        },
        () => now,
      );
    for (let times = 0; times < 100; times += 1) expect(await get()).toBe(HEALTHY);
    expect(asked).toBe(1);
    now += HEALTH_KEPT_SECONDS * 1000;
    await get();
    expect(asked).toBe(2);
  });

  it("is that storage is down, where the account throws or never answers", async () => {
    vi.useFakeTimers();
    try {
      const thrown = new HealthMemory().get(() => Promise.reject(new Error("reset")), atNow);
      expect(await thrown).toBe(STORAGE_DOWN);
      const hung = new HealthMemory().get(() => new Promise(() => undefined), atNow);
      await vi.advanceTimersByTimeAsync(HEALTH_CALL_SECONDS * 1000);
      expect(await hung).toBe(STORAGE_DOWN);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** An account that asks these campaigns, and whom it has asked. */
function watch(reading: (id: CampaignId) => Promise<typeof READING | null>) {
  const asked: string[] = [];
  const clock = { now: NOW };
  const made = new HealthWatch({
    campaign: (id) => ({
      reading: () => {
        asked.push(id);
        return reading(id);
      },
    }),
    now: () => clock.now,
    heldMilliseconds: () => 0,
  });
  return { made, asked, clock };
}
const named = (count: number) => Array.from({ length: count }, (_, at) => `c${at}` as CampaignId);

describe("what the account looks at", () => {
  it("is nobody, until somebody has said that it is at work: asking wakes none who sleeps", async () => {
    const { made, asked } = watch(async () => READING);
    expect((await made.health()).parts.queue).toEqual({ status: "idle" });
    expect(asked).toEqual([]);
  });

  it("is a few of those heard of last, once in ten seconds", async () => {
    const { made, asked, clock } = watch(async () => READING);
    const all = named(HEALTH_CAMPAIGNS + 3);
    for (const id of all) made.heardOf(id);
    await Promise.all(Array.from({ length: 50 }, () => made.health()));
    expect(asked).toEqual(all.slice(3));
    clock.now += HEALTH_LOOK_SECONDS * 1000;
    await made.health();
    expect(asked).toHaveLength(HEALTH_CAMPAIGNS * 2);
  });

  it("forgets those that have ended, and stays with one that the provider has stopped", async () => {
    const pause = { reason: "providerQuota", detail: "", since: NOW } as const;
    const states = new Map([
      ["c0", { ...READING, status: { ...STATUS, state: "finished" } }],
      ["c1", { ...READING, status: { ...STATUS, state: "paused", pause } }],
      ["c2", null],
    ]) as ReadonlyMap<string, typeof READING | null>;
    const { made, asked, clock } = watch(async (id) => states.get(id) ?? null);
    for (const id of named(3)) made.heardOf(id);
    expect((await made.health()).parts.provider.reason).toBe("providerRefuses");
    clock.now += HEALTH_LOOK_SECONDS * 1000;
    await made.health();
    expect(asked.slice(3)).toEqual(["c1"]);
  });

  it("says so where a campaign fails to answer", async () => {
    const { made } = watch(() => Promise.reject(new Error("broken")));
    made.heardOf("c0" as CampaignId);
    expect((await made.health()).parts.storage).toEqual({
      status: "degraded",
      reason: "campaignSilent",
    });
  });
});
