/**
 * The directory as the witness of a campaign's grants: what is asked and when, what an account that
 * fails does to it, and every point at which the two numbers can come apart (SPEC R-restore).
 */
import { describe, expect, it } from "vitest";
import { counted } from "../../../src/domain/counted.ts";
import type { Address } from "../../../src/domain/ids.ts";
import { RESTORED_NUMBERS_SKIPPED, WITNESS_SECONDS } from "../../../src/domain/limits.ts";
import { CAMPAIGN, taken } from "../../contract/rig.ts";
import { NodeStorage } from "../../support/node-storage.ts";
import { dumpSql } from "../../support/sql-dump.ts";
import { Setting, type Fault } from "./witness-setting.ts";

describe("the directory as a witness", () => {
  it("R-restore: is asked once in a life, and told by the alarm some seconds after a grant", async () => {
    const set = new Setting();
    await set.begin();
    for (const dispatch of [1, 2, 3]) expect(await set.granted(dispatch)).not.toBeNull();
    expect(set.asked).toBe(0);
    expect(await set.known()).toBe(0);
    expect(set.alarmAt).toBeLessThanOrEqual(set.now + WITNESS_SECONDS * 1000);
    set.now += WITNESS_SECONDS * 1000;
    await set.ring();
    expect(await set.known()).toBe(3);
    set.restart();
    set.asked = 0;
    for (const dispatch of [4, 5]) expect(await set.granted(dispatch)).not.toBeNull();
    expect(set.asked).toBe(1);
  });

  it("R-restore: a burst of consumers at the beginning of a life asks once", async () => {
    const set = new Setting();
    await set.begin();
    set.restart();
    const keys = await Promise.all([1, 2, 3, 4].map((dispatch) => set.granted(dispatch)));
    expect(new Set(keys).size).toBe(4);
    expect(set.asked).toBe(1);
  });

  it.each<[string, Fault[]]>([
    ["is lost on its way", ["before"]],
    ["was carried out, and its answer is lost", ["after"]],
    ["fails in every way", ["after", "before", "after", "after"]],
  ])("R-restore: an ask that %s is no refusal, then or later", async (_, faults) => {
    const set = new Setting();
    await set.begin();
    let dispatch = 0;
    for (let life = 0; life < 3; life += 1) {
      set.restart();
      set.faults = [...faults];
      dispatch += 1;
      while (set.faults.length > 0) {
        await expect(set.reserve(dispatch)).rejects.toThrow("lost");
      }
      expect(await set.granted(dispatch)).toBe(`${CAMPAIGN}:${dispatch}`);
    }
    expect((await set.campaign.deliveryStatus())?.state).toBe("sending");
  });

  it("R-restore: an account that can't be told is told later, and holds nothing up", async () => {
    const set = new Setting();
    await set.begin();
    await set.granted(1);
    set.faults = ["before", "after"];
    for (const expected of [0, 1, 1]) {
      set.now += 2 * WITNESS_SECONDS * 1000;
      await set.ring();
      expect(await set.known()).toBe(expected);
    }
    expect(set.logged.filter((event) => event === "witnessFailed")).toHaveLength(2);
    expect(await set.granted(2)).not.toBeNull();
  });

  it("R-restore: a backup of any moment before what it knows is stopped, and told", async () => {
    const set = new Setting();
    await set.begin();
    const backups: string[][] = [];
    for (const dispatch of [1, 2, 3, 4]) {
      backups.push(dumpSql(set.storage));
      await set.granted(dispatch);
      set.now += WITNESS_SECONDS * 1000;
      await set.ring();
    }
    for (const [at, sql] of backups.entries()) {
      set.storage = new NodeStorage();
      for (const each of sql) set.storage.sql.exec(each);
      set.restart();
      expect(await set.reserve(4)).toMatchObject({ granted: false, reason: "paused" });
      const status = await set.campaign.deliveryStatus();
      expect(status?.pause?.detail).toContain(counted(4 - at, "reservation"));
      const alerts = set.storage.sql.exec("SELECT type FROM alerts").toArray();
      expect(alerts).toContainEqual({ type: "paused" });
      // Asked again it is still no.
      set.restart();
      expect(await set.campaign.resume()).toMatchObject({
        refusal: { code: "restored", forgotten: 4 - at },
      });
    }
  });

  it("R-restore, G6: who was suppressed or erased since the backup is so again before it goes on", async () => {
    const set = new Setting();
    await set.begin(5);
    await set.granted(1);
    const backup = dumpSql(set.storage);
    await set.granted(2);
    set.now += WITNESS_SECONDS * 1000;
    await set.ring();
    const [r1, r3, r4] = ["r1", "r3", "r4"].map((id) => `${id}@example.org` as Address);
    if (r1 === undefined || r3 === undefined || r4 === undefined) throw new Error("no address");
    await set.account.suppress([r1, r3], "unsubscribe");
    await set.campaign.erasePerson(await set.account.suppressErased(r4));
    set.storage = new NodeStorage();
    for (const each of backup) set.storage.sql.exec(each);
    set.restart();
    expect(await set.reserve(3)).toMatchObject({ granted: false, reason: "paused" });
    const accepted = { acceptDuplicateRisk: true };
    // Two operators at once: each waits for the account, and the numbers are skipped once.
    const both = await Promise.all([set.campaign.resume(accepted), set.campaign.resume(accepted)]);
    for (const answer of both) expect(taken(answer)).toMatchObject({ state: "sending" });
    const { stats } = taken(await set.campaign.resume());
    expect(stats).toMatchObject({ reserved: 1, remaining: 2, suppressed: 2 });
    expect((await set.campaign.person(r1))?.suppression?.reason).toBe("unsubscribe");
    expect((await set.campaign.person(r3))?.status).toBe("suppressed");
    expect(await set.campaign.person(r4)).toBeNull();
    const events = (await set.campaign.events(null, 100))?.items ?? [];
    expect(events.filter(({ type }) => type === "restoreAccepted")).toHaveLength(1);
  });

  it("R-restore: the account may be the one that is behind: it learns", async () => {
    const set = new Setting();
    await set.begin();
    await set.granted(1);
    set.now += WITNESS_SECONDS * 1000;
    await set.ring();
    set.accountStorage.sql.exec("DELETE FROM campaigns").toArray();
    await set.account.register(CAMPAIGN, "Spring", null);
    set.restart();
    expect(await set.granted(2)).not.toBeNull();
    expect(await set.known()).toBe(1);
  });

  it("R-restore: an erased campaign's entry, left behind, does not stop its successor", async () => {
    const set = new Setting();
    await set.begin(1);
    const reserved = await set.reserve(1);
    if (!reserved.granted) throw new Error(reserved.reason);
    const { batch: number, token, members } = reserved;
    const results = members.map(({ seq }) => ({ seq, outcome: "sent", providerId: "m" }) as const);
    const outcome = { kind: "answered", results } as const;
    taken(await set.campaign.report({ batch: { number }, token, outcome }));
    await set.ring();
    expect(await set.known()).toBe(1);
    taken(await set.campaign.erase());
    set.restart();
    await set.begin(3);
    expect((await set.campaign.deliveryStatus())?.state).toBe("sending");
    expect(await set.granted(2)).toBe(`${CAMPAIGN}:2`);
  });

  it("R-restore, R-key: erased after a restore, its id goes on behind the keys that were used", async () => {
    const set = new Setting();
    await set.begin();
    const backup = dumpSql(set.storage);
    for (const dispatch of [1, 2, 3]) await set.granted(dispatch);
    set.now += WITNESS_SECONDS * 1000;
    await set.ring();
    set.storage = new NodeStorage();
    for (const each of backup) set.storage.sql.exec(each);
    set.restart();
    // Sending, for all it knows; nobody is held by a consumer any more.
    expect(await set.campaign.erase()).toMatchObject({ refusal: { code: "wrongState" } });
    expect(await set.reserve(3)).toMatchObject({ granted: false, reason: "paused" });
    set.faults = ["before"];
    await expect(set.campaign.erase()).rejects.toThrow("lost");
    taken(await set.campaign.erase());
    await set.account.unregister(CAMPAIGN);
    set.restart();
    await set.begin();
    const rows = set.storage.sql.exec("SELECT min(dispatch) AS first FROM dispatches").toArray();
    expect(rows[0]?.["first"]).toBeGreaterThan(RESTORED_NUMBERS_SKIPPED);
  });

  it("R-version: an account of a release without a witness is no refusal; other errors are", async () => {
    const set = new Setting();
    await set.begin();
    set.restart();
    set.witness = async () => {
      throw new TypeError('The RPC receiver does not implement the method "witness".');
    };
    expect(await set.granted(1)).not.toBeNull();
    set.now += WITNESS_SECONDS * 1000;
    await set.ring();
    // It can't be told, and the alarm does not ring for that without a pause.
    await set.ring();
    expect(set.alarmAt).toBeGreaterThan(set.now + 1000);
    set.witness = async () => {
      throw new TypeError("something else");
    };
    await expect(set.reserve(2)).rejects.toThrow("something else");
  });
});
