/**
 * G7: what a 2xx said is there after the object has died in the very next moment. Every change is
 * followed by the death of all objects, and read back from what is on disk.
 */
import { abortAllDurableObjects, evictAllDurableObjects } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { api, done } from "./harness/api.ts";
import { campaign, finished, people, type TestCampaign } from "./harness/campaign.ts";
import { deliver, drive } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

async function notLess(one: TestCampaign, before: number): Promise<[TestCampaign, number]> {
  const { sent = 0 } = (await one.status()).stats;
  expect(sent).toBeGreaterThanOrEqual(before);
  return [one, sent];
}

describe.each([
  ["aborted", () => abortAllDurableObjects()],
  ["evicted", () => evictAllDurableObjects()],
])("G7: the objects are %s right behind each answer", (_, die) => {
  /** A change over HTTP, and the death of everybody as soon as it has answered. */
  async function change<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await done<T>(method, path, body === undefined ? {} : { body });
    await die();
    return answer;
  }

  it("G7: create, upload, change, start, pause, resume and cancel", async () => {
    stage.queue.mood = () => "lose";
    const one = await campaign({ delivery: "managed" });
    await die();
    const created = await done<{ name: string }>("GET", one.path);
    expect(created.name).toBe(`Campaign ${one.id}`);
    const added = await change(`POST`, `${one.path}/recipients`, { recipients: people(1_500) });
    expect(added).toMatchObject({ added: 1_500, total: 1_500 });
    expect(await one.stats()).toEqual({ remaining: 1_500 });
    const changed = await change<object>("PATCH", one.path, { name: "Changed" });
    expect(await done("GET", one.path)).toEqual(changed);
    expect(await done("GET", "/api/campaigns")).toMatchObject({ items: [{ name: "Changed" }] });
    for (const [command, state] of [
      ["start", "sending"],
      ["pause", "paused"],
      ["resume", "sending"],
      ["cancel", "cancelled"],
    ] as const) {
      const told = await change<{ version: number }>("POST", `${one.path}/${command}`);
      expect(told).toMatchObject({ state });
      const status = await one.status();
      expect(status).toMatchObject({ state });
      expect(status.version).toBeGreaterThanOrEqual(told.version);
    }
    await one.check();
  });

  it("G7, G6: reservations, reports, suppressions, finish and erase", async () => {
    const one = await campaign({ recipients: 10, delivery: "external" });
    await change("POST", `${one.path}/start`);
    const ask = { reservationId: "m-1", limit: 5 };
    expect(await change("POST", `${one.path}/reservations`, ask)).toMatchObject({ granted: true });
    expect(await one.stats()).toEqual({ reserved: 5, remaining: 5 });
    expect(await done("POST", `${one.path}/reservations`, { body: ask })).toMatchObject({
      granted: false,
      reason: "inFlight",
    });
    const results = people(5).map(({ id }) => ({ id, outcome: "sent", providerId: `mail-${id}` }));
    await change("POST", `${one.path}/reservations/m-1/report`, { token: 1, results });
    expect(await one.stats()).toEqual({ sent: 5, remaining: 5 });
    const addresses = people(10)
      .slice(5)
      .map(({ email }) => email);
    await change("PUT", "/api/suppressions", { addresses });
    expect(await one.stats()).toEqual({ sent: 5, suppressed: 5 });
    await change("POST", `${one.path}/finish`);
    expect(await one.status()).toMatchObject({ state: "finished" });
    await one.check();
    await change("DELETE", one.path);
    expect(await api("GET", one.path)).toMatchObject({ status: 404 });
    expect(await done("GET", "/api/campaigns")).toMatchObject({ items: [] });
  });

  it("G7, G1: a sent mail stays sent, and a replay stays a replay", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    await standIn.config({ refuseAddresses: ["p7@mail.example.org"] });
    const one = await campaign({ recipients: 10, settings: { batchSize: 5 } });
    await one.start();
    await one.ring();
    for (const dispatch of stage.queue.take(one.id)) {
      await deliver(one, dispatch);
      await die();
    }
    expect(await one.stats()).toEqual({ sent: 9, failed: 1 });
    await standIn.config({ refuseAddresses: [] });
    await change("POST", `${one.path}/replay`, { recipients: "failed" });
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    await one.expectMailedOnce(people(10).map(({ email }) => email));
  });

  it("G7, G2: with the real queue at work", async () => {
    const all = await Promise.all([
      campaign({ recipients: 200, settings: { batchSize: 5 } }),
      campaign({ recipients: people(200, "d2.example.org"), settings: { batchSize: 5 } }),
    ]);
    await Promise.all(all.map((one) => one.start()));
    let sent = new Map<TestCampaign, number>();
    for (let death = 0; death < 10; death += 1) {
      await die();
      // The local runtime rings no alarm of an object that never gets a rest.
      await scheduler.wait(20);
      sent = new Map(await Promise.all(all.map((one) => notLess(one, sent.get(one) ?? 0))));
    }
    await Promise.all(all.map((one) => finished(one)));
    for (const [at, one] of all.entries()) {
      const list = at === 0 ? people(200) : people(200, "d2.example.org");
      await one.check();
      await one.expectMailedOnce(list.map(({ email }) => email));
    }
  });
});
