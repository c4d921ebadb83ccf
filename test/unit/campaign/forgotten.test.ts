/**
 * Backups of between grants: what was decided or suppressed since is missing from them, and no number
 * of grants shows it (SPEC R-restore).
 */
import { describe, expect, it } from "vitest";
import { SUPPRESSED_SINCE_PAGE, WITNESS_SECONDS } from "../../../src/domain/limits.ts";
import { CAMPAIGN, taken } from "../../contract/rig.ts";
import { dumpSql } from "../../support/sql-dump.ts";
import { addressOf, Setting } from "./witness-setting.ts";

type Decision = "pause" | "cancel" | "finish" | "resolve";

/** @param doubted who can be resolved */
async function decide(set: Setting, decision: Decision, doubted: string): Promise<void> {
  const { campaign } = set;
  switch (decision) {
    case "pause":
      return void taken(await campaign.pause("operator", "by hand"));
    case "cancel":
      return void taken(await campaign.cancel());
    case "finish":
      return void taken(await campaign.finish());
    case "resolve":
      return void taken(await campaign.resolve({ ids: [doubted as never], as: "sent" }));
  }
}

const METHODLESS = (method: string) => async () => {
  throw new TypeError(`The RPC receiver does not implement the method "${method}".`);
};

describe("a backup of between grants", () => {
  it.each(["pause", "cancel", "finish", "resolve"] as const)(
    "G4, R-restore: is stopped where it has forgotten a %s, until that is accepted",
    async (decision) => {
      const set = new Setting();
      await set.begin(10, decision === "finish" ? "external" : "managed");
      const doubted = await set.doubt();
      await set.told();
      const backup = dumpSql(set.storage);
      await decide(set, decision, doubted);
      await set.told();
      expect(await set.knownDecisions()).toBe(1);
      set.restore(backup);
      expect((await set.campaign.deliveryStatus())?.state).toBe("sending");
      for (let life = 0; life < 3; life += 1) {
        expect(await set.ask()).toMatchObject({ granted: false, reason: "paused" });
        const refusal = { code: "restored", forgotten: 0, decisions: 1 };
        expect(await set.campaign.resume()).toMatchObject({ refusal });
        set.restart();
      }
      taken(await set.campaign.resume({ acceptDuplicateRisk: true }));
      expect(await set.ask()).toMatchObject({ granted: true });
      set.restart();
      expect(await set.ask()).toMatchObject({ granted: true });
      // And what is decided from here on counts again.
      await decide(set, "pause", doubted);
      await set.told();
      expect(await set.knownDecisions()).toBe(2);
    },
  );

  it("R-restore: catches up with nothing by what is decided about it before or after it is asked", async () => {
    const set = new Setting();
    await set.begin();
    const doubted = await set.doubt();
    await set.told();
    const backup = dumpSql(set.storage);
    await decide(set, "cancel", doubted);
    await set.told();
    set.restore(backup);
    await decide(set, "pause", doubted);
    await set.told();
    await decide(set, "resolve", doubted);
    for (let life = 0; life < 2; life += 1) {
      expect(await set.campaign.resume()).toMatchObject({ refusal: { code: "restored" } });
      set.restart();
    }
    expect(await set.knownDecisions()).toBe(1);
  });

  it("R-restore: rings no alarm while it waits for a person", async () => {
    const set = new Setting();
    await set.begin();
    await set.doubt();
    // It has a grant that the directory was not told of when it was taken.
    const backup = dumpSql(set.storage);
    await set.doubt();
    await set.told();
    set.restore(backup);
    await set.told();
    await set.told();
    expect((await set.campaign.deliveryStatus())?.state).toBe("paused");
    set.asked = 0;
    await set.told();
    expect(set.asked).toBe(0);
    expect(set.alarmAt ?? Infinity).toBeGreaterThan(set.now + WITNESS_SECONDS * 1000);
  });

  it("G4, R-restore: a pause is told within seconds, and does not wait for the account", async () => {
    const set = new Setting();
    await set.begin();
    set.faults = ["before", "before"];
    taken(await set.campaign.pause("operator", "by hand"));
    expect(set.asked).toBe(0);
    expect(set.alarmAt).toBeLessThanOrEqual(set.now + WITNESS_SECONDS * 1000);
    await set.told();
    await set.told();
    expect(await set.knownDecisions()).toBe(0);
    await set.told();
    expect(await set.knownDecisions()).toBe(1);
    set.restart();
    expect(taken(await set.campaign.resume()).state).toBe("sending");
  });

  it("R-restore, R-key: an erased campaign's decisions do not stop its successor", async () => {
    const set = new Setting();
    await set.schedule(set.now + 3_600_000);
    await decide(set, "pause", "");
    await set.told();
    expect(await set.knownDecisions()).toBe(1);
    taken(await set.campaign.erase());
    set.restart();
    await set.begin(3);
    expect(await set.ask()).toMatchObject({ granted: true });
  });
});

/** One that was erased, with backups of it. */
async function erased(): Promise<{ set: Setting; backups: string[][] }> {
  const set = new Setting();
  await set.begin(4);
  const backups = [dumpSql(set.storage)];
  await set.doubt();
  await decide(set, "pause", "");
  await set.told();
  backups.push(dumpSql(set.storage));
  taken(await set.campaign.erase());
  await set.account.unregister(CAMPAIGN);
  return { set, backups };
}

describe("a backup of an erased campaign", () => {
  it("G1, R-restore: grants nothing, of whatever moment, before it is entered and accepted again", async () => {
    const { set, backups } = await erased();
    const [sending = []] = backups;
    set.restore(sending);
    expect(await set.ask()).toMatchObject({ granted: false, reason: "paused" });
    const accepted = { acceptDuplicateRisk: true };
    // No suppression would find it.
    taken(await set.campaign.resume(accepted));
    expect(await set.ask()).toMatchObject({ granted: false, reason: "paused" });
    await set.account.register(CAMPAIGN, "Spring", null);
    expect(await set.campaign.resume()).toMatchObject({ refusal: { code: "restored" } });
    taken(await set.campaign.resume(accepted));
    expect(await set.ask()).toMatchObject({ granted: true });
  });

  it("G1, R-restore: is as old where it was entered before it asks", async () => {
    for (const at of [0, 1]) {
      const { set, backups } = await erased();
      await set.account.register(CAMPAIGN, "Spring", null);
      set.restore(backups[at] ?? []);
      expect(await set.ask()).toMatchObject({ granted: false });
      // Right before its erasure it had forgotten nothing but that.
      expect(await set.campaign.resume()).toMatchObject({
        refusal: { code: "restored", decisions: 2 - at },
      });
    }
  });

  it("R-restore, R-key: does not stop what is made under its id, nor what is made after that", async () => {
    const { set } = await erased();
    for (let life = 0; life < 2; life += 1) {
      set.restart();
      await set.begin(3);
      expect(await set.ask()).toMatchObject({ granted: true });
      await decide(set, "cancel", "");
      await set.told();
      set.now += 1_000_000;
      await set.ring();
      taken(await set.campaign.erase());
      await set.account.unregister(CAMPAIGN);
    }
  });

  it("one that did nothing leaves nothing", async () => {
    const set = new Setting();
    await set.account.register(CAMPAIGN, "Spring", null);
    await set.account.unregister(CAMPAIGN);
    expect(await set.account.witness(CAMPAIGN, 0, 1, 0)).toEqual({ stands: true });
  });
});

describe("the account's list, as a ledger has learnt it", () => {
  it("G6, R-restore: whoever came onto it since is withheld before the first grant of a life", async () => {
    const set = new Setting();
    await set.begin(5);
    await set.doubt();
    await set.told();
    const backup = dumpSql(set.storage);
    await set.account.suppress([addressOf("r2")], "complaint");
    await set.campaign.erasePerson(await set.account.suppressErased(addressOf("r3")));
    set.restore(backup);
    expect(set.statusOf("r2")).toBe("pending");
    expect(await set.ask()).toMatchObject({ granted: true, members: [{ id: "r4" }] });
    expect(set.statusOf("r2")).toBe("suppressed");
    expect(await set.campaign.person(addressOf("r3"))).toBeNull();
  });

  it("G6, R-restore: it is asked about once in a life, from where it was learnt to", async () => {
    const set = new Setting();
    await set.account.register(CAMPAIGN, "Spring", null);
    await set.account.suppress([addressOf("r9")], "operator");
    const asked: (number | null)[] = [];
    const real = set.suppressedSince;
    set.suppressedSince = (number) => {
      asked.push(number);
      return real(number);
    };
    await set.begin(20);
    for (let life = 0; life < 3; life += 1) {
      await Promise.all([set.doubt(), set.doubt()]);
      await set.doubt();
      await set.account.suppress([addressOf(`other${life}`)], "operator");
      set.restart();
    }
    // At its beginning it held everybody against the whole list, which then had one entry.
    expect(asked).toEqual([null, 1, 1, 2]);
  });

  it("G6, R-restore: it is learnt to its end, and a grant waits for that", async () => {
    const set = new Setting();
    await set.begin(3);
    const backup = dumpSql(set.storage);
    const others = Array.from({ length: SUPPRESSED_SINCE_PAGE }, (_, at) => addressOf(`o${at}`));
    await set.account.suppress(others, "unsubscribe");
    await set.account.suppress([addressOf("r1")], "unsubscribe");
    set.restore(backup);
    const real = set.suppressedSince;
    let asks = 0;
    set.suppressedSince = (number) => {
      asks += 1;
      return asks === 2 ? Promise.reject(new Error("the account is away")) : real(number);
    };
    await expect(set.ask()).rejects.toThrow("away");
    expect(await set.ask()).toMatchObject({ granted: true, members: [{ id: "r2" }] });
    expect(asks).toBe(3);
  });

  it("G6, R-restore: a campaign that began before there were numbers looks at everybody", async () => {
    const set = new Setting();
    await set.begin(3);
    const backup = dumpSql(set.storage);
    await set.account.suppress([addressOf("r1")], "unsubscribe");
    set.restore([...backup, "UPDATE counters SET list_number = NULL"]);
    expect(await set.ask()).toMatchObject({ granted: true, members: [{ id: "r2" }] });
    expect(set.statusOf("r1")).toBe("suppressed");
  });

  it("G6, R-restore: an account that was restored itself gives no number a second time", async () => {
    const set = new Setting();
    await set.begin(3);
    const { account } = set;
    expect(await account.suppressedSince(7)).toMatchObject({ entries: [], number: 7 });
    await account.suppress([addressOf("r1"), addressOf("r2")], "unsubscribe");
    const news = await account.suppressedSince(7);
    expect(news.entries.map(({ address }) => address)).toEqual([addressOf("r1"), addressOf("r2")]);
    expect(news).toMatchObject({ number: 9, isLast: true });
    // What is lifted leaves its number behind.
    await account.allow(addressOf("r2"));
    await account.suppress([addressOf("r3")], "unsubscribe");
    const later = await account.suppressedSince(9);
    expect(later.entries.map(({ address }) => address)).toEqual([addressOf("r3")]);
  });

  it("R-version: an account of before counts no decisions and numbers nothing, and refuses nobody", async () => {
    const set = new Setting();
    await set.begin();
    await set.doubt();
    await set.told();
    const backup = dumpSql(set.storage);
    await decide(set, "pause", "");
    await set.told();
    set.restore(backup);
    const { witness } = set;
    set.witness = (grants, next) => witness(grants, next);
    set.suppressedSince = METHODLESS("suppressedSince");
    expect(await set.ask()).toMatchObject({ granted: true });
    // Nor does an object of before, and it is compared by its grants alone.
    expect(await set.account.witness(CAMPAIGN, 99, 1)).toEqual({ stands: true });
    expect(await set.knownDecisions()).toBe(1);
  });
});
