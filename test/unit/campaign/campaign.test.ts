/** The campaign around its ledger: alarm, outbox and queue, with the platform replaced. */
import { describe, expect, it, vi } from "vitest";
import { Campaign } from "../../../src/campaign/campaign.ts";
import type { DispatchMessage } from "../../../src/campaign/dispatch-message.ts";
import type { BatchNumber, CampaignId, DispatchNumber, Token } from "../../../src/domain/ids.ts";
import {
  DISPATCH_QUIET_SECONDS,
  DISPATCH_WINDOW,
  QUEUE_SEND_TIMEOUT_SECONDS,
} from "../../../src/domain/limits.ts";
import type { SuppressionEntry } from "../../../src/domain/suppression.ts";
import { DRAWN } from "../../contract/checked-ledger.ts";
import { draftOf, grantIn, people, sentTo, START, suppression, taken } from "../../contract/rig.ts";
import { NodeStorage } from "../../support/node-storage.ts";

/** An object's platform: a clock by hand, one alarm, and a queue that does what it is told. */
class Platform {
  readonly storage = new NodeStorage();
  now = START;
  alarmAt: number | null = null;
  known: SuppressionEntry[] = [];
  readonly queued: DispatchMessage[] = [];
  readonly logged: string[] = [];
  send: (messages: DispatchMessage[]) => Promise<void> = async (messages) => {
    this.queued.push(...messages);
  };

  campaign(): Campaign {
    const { storage } = this;
    return new Campaign({
      id: "spring" as CampaignId,
      storage: {
        sql: storage.sql,
        transactionSync: (closure) => storage.transactionSync(closure),
        setAlarm: async (at) => {
          this.alarmAt = at;
        },
        getAlarm: async () => this.alarmAt,
        deleteAll: async () => {
          const query = "SELECT name FROM sqlite_master WHERE type = 'table'";
          for (const { name } of storage.sql.exec(query).toArray()) {
            storage.database.exec(`DROP TABLE ${String(name)}`);
          }
          this.alarmAt = null;
        },
      },
      queue: {
        sendBatch: async (messages) => {
          await this.send([...messages].map((message) => message.body as DispatchMessage));
          return undefined as never;
        },
      },
      account: () => ({
        suppressedAmong: async () => this.known,
        suppressedSince: async () => ({ entries: [], number: 1, isLast: true }),
        witness: async () => ({ stands: true }),
      }),
      clock: () => ({ now: () => this.now, alarmTime: (at) => at }),
      draw: () => DRAWN,
      chance: () => 0,
      log: (event) => void this.logged.push(event),
    });
  }

  /** Lets the platform's alarm fire, if its time has come. */
  async fire(campaign: Campaign): Promise<boolean> {
    if (this.alarmAt === null || this.alarmAt > this.now) return false;
    this.alarmAt = null;
    await campaign.alarm();
    return true;
  }
}

async function sending(platform: Platform, count: number): Promise<Campaign> {
  const campaign = platform.campaign();
  taken(await campaign.create(draftOf("managed", { batchSize: 1 })));
  taken(await campaign.enrol(people(count)));
  taken(await campaign.start({ at: null, publicUrl: "https://mail.example.org" }));
  return campaign;
}

async function deliver(campaign: Campaign, dispatch: number): Promise<void> {
  const request = { by: "dispatch", dispatch: dispatch as DispatchNumber, claim: "a" } as const;
  const grant = taken(await campaign.reserve(request));
  if (!grant.granted) return;
  const batch = { number: dispatch as BatchNumber };
  taken(await campaign.report({ batch, token: 1 as Token, outcome: sentTo(grant) }));
}

/** How many statements run meanwhile, those of what comes next included. */
async function statementsOf({ storage }: Platform, work: () => Promise<unknown>): Promise<number> {
  const exec = vi.spyOn(storage.sql, "exec");
  await work();
  const count = exec.mock.calls.length;
  exec.mockRestore();
  return count;
}

describe("campaign", () => {
  it("budget: statements of a reserve and of a report, with what comes next", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 3);
    await campaign.alarm();
    await deliver(campaign, 1);
    const reserve = { by: "dispatch", dispatch: 2 as DispatchNumber, claim: "a" } as const;
    let grant = null;
    expect(
      await statementsOf(platform, async () => {
        grant = grantIn(taken(await campaign.reserve(reserve)));
      }),
    ).toBeLessThanOrEqual(15);
    const told = {
      batch: { number: 2 as BatchNumber },
      token: 1 as Token,
      outcome: sentTo(grant ?? expect.fail("it was granted")),
    };
    expect(await statementsOf(platform, () => campaign.report(told))).toBeLessThanOrEqual(15);
    expect(await statementsOf(platform, () => campaign.deliveryStatus())).toBeLessThanOrEqual(6);
  });

  it("a start arms the alarm for now, and the alarm puts the dispatches on the queue", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 2);
    expect(platform.alarmAt).toBe(START + 1);
    platform.now += 1;
    await platform.fire(campaign);
    expect(platform.queued).toEqual([
      { v: 1, campaignId: "spring", dispatch: 1 },
      { v: 1, campaignId: "spring", dispatch: 2 },
    ]);
    expect(platform.alarmAt).toBe(platform.now + DISPATCH_QUIET_SECONDS * 1000);
  });

  it("when all is done no alarm stands in the way of sleep", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 1);
    platform.now += 1;
    await platform.fire(campaign);
    await deliver(campaign, 1);
    expect((await campaign.deliveryStatus())?.state).toBe("finished");
    platform.now += 20_000;
    expect(await platform.fire(campaign)).toBe(true);
    expect(platform.alarmAt).toBeNull();
  });

  it("C23: a queue that throws: the alarm sends again, with no dispatch doubled", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 3);
    const { send } = platform;
    platform.send = () => Promise.reject(new Error("Queue is overloaded"));
    platform.now += 1;
    await platform.fire(campaign);
    expect(platform.logged).toEqual(["queueSendFailed"]);
    expect(platform.alarmAt).toBe(platform.now + 2000);
    platform.send = send;
    platform.now += 2000;
    await platform.fire(campaign);
    expect(platform.queued.map(({ dispatch }) => dispatch)).toEqual([1, 2, 3]);
  });

  it("C23: a queue that hangs is given up, and asked again", async () => {
    vi.useFakeTimers();
    try {
      const platform = new Platform();
      const campaign = await sending(platform, 1);
      const { send } = platform;
      platform.send = () => new Promise(() => undefined);
      platform.now += 1;
      const alarm = platform.fire(campaign);
      await vi.advanceTimersByTimeAsync(QUEUE_SEND_TIMEOUT_SECONDS * 1000);
      await alarm;
      expect(platform.logged).toEqual(["queueSendFailed"]);
      platform.send = send;
      platform.now += 2000;
      await platform.fire(campaign);
      expect(platform.queued).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("a consumer that gave a dispatch back while it was being sent keeps its delay", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 1);
    platform.send = () => campaign.postpone(1 as DispatchNumber, 30_000);
    platform.now += 1;
    await platform.fire(campaign);
    expect(platform.alarmAt).toBe(platform.now + 30_000);
  });

  it("one that found no slot near: so many are sent as the gate has room for, and each grant lets more follow", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 60);
    const sends = async (): Promise<number> => {
      const before = platform.queued.length;
      platform.now += 1;
      await platform.fire(campaign);
      return platform.queued.length - before;
    };
    expect(await sends()).toBe(DISPATCH_WINDOW);
    for (let number = 1; number <= DISPATCH_WINDOW; number += 1) {
      await campaign.postpone(number as DispatchNumber, 20_000, 3);
    }
    expect(platform.alarmAt).toBe(platform.now + 20_000);
    platform.now += 20_000;
    expect(await sends()).toBe(3);
    await campaign.postpone(1 as DispatchNumber, 15_000, 2);
    expect(await sends()).toBe(0);
    platform.now += 15_000;
    await deliver(campaign, 2);
    // Two are out of the window of three, and of those one is on its way still.
    expect(await sends()).toBe(2);
    for (let number = 3; number <= 5; number += 1) await deliver(campaign, number);
    expect(await sends()).toBeGreaterThanOrEqual(4);
  });

  it("a release of before tells no room: everything is sent when the wait is over", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 10);
    platform.now += 1;
    await platform.fire(campaign);
    for (let number = 1; number <= 10; number += 1) {
      await campaign.postpone(number as DispatchNumber, 20_000);
    }
    platform.now += 20_000;
    await platform.fire(campaign);
    expect(platform.queued).toHaveLength(20);
  });

  it("C45: an alarm that fails is armed again, and goes on with the work", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 1);
    platform.storage.database.exec("ALTER TABLE dispatches RENAME TO gone");
    for (let failures = 1; failures <= 7; failures += 1) {
      platform.now = platform.alarmAt ?? 0;
      await platform.fire(campaign);
      expect(platform.logged).toHaveLength(failures);
      expect(platform.alarmAt).toBe(platform.now + 2000);
    }
    platform.storage.database.exec("ALTER TABLE gone RENAME TO dispatches");
    platform.now += 2000;
    await platform.fire(campaign);
    expect(platform.queued).toHaveLength(1);
  });

  it("C21: an evicted object has its alarm again with the first call", async () => {
    const platform = new Platform();
    await sending(platform, 1);
    platform.alarmAt = null;
    const fresh = platform.campaign();
    await fresh.suppress([]);
    expect(platform.alarmAt).not.toBeNull();
  });

  it("C26, G2: every message lost: each is sent again until it is answered", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 5);
    for (let alarms = 0; alarms < 30 && platform.alarmAt !== null; alarms += 1) {
      platform.now = platform.alarmAt;
      await platform.fire(campaign);
      if (alarms < 8) continue;
      const message = platform.queued.pop();
      if (message !== undefined) await deliver(campaign, message.dispatch);
    }
    expect(await campaign.deliveryStatus()).toMatchObject({
      state: "finished",
      stats: { sent: 5 },
    });
  });

  it("G6: the account is asked at enrolment and by consumers that bring their own", async () => {
    const platform = new Platform();
    platform.known = [suppression("r2")];
    const campaign = platform.campaign();
    taken(await campaign.create(draftOf("external")));
    expect(taken(await campaign.enrol(people(2)))).toMatchObject({ added: 1, suppressed: 1 });
    taken(await campaign.start({ at: null, publicUrl: "" }));
    platform.known = [suppression("r4")];
    const recipients = people(2, 3);
    const request = { by: "recipients", reservationId: "m", recipients, claim: null } as const;
    const grant = grantIn(taken(await campaign.reserve(request)));
    expect(grant.members.map(({ id }) => id)).toEqual(["r3"]);
    expect(grant.skipped).toEqual([{ id: "r4", reason: "suppressed" }]);
  });

  it("erase leaves nothing, and the same id may be created again", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 1);
    expect((await campaign.erase()).ok).toBe(false);
    taken(await campaign.cancel());
    taken(await campaign.erase());
    expect(await campaign.deliveryStatus()).toBeNull();
    expect(platform.alarmAt).toBeNull();
    expect(taken(await campaign.create(draftOf("managed"))).created).toBe(true);
  });

  it("pages of events and dead letters go on where they ended", async () => {
    const platform = new Platform();
    const campaign = await sending(platform, 1);
    for (let number = 1; number <= 3; number += 1) {
      const letter = { messageId: `m${number}`, dispatch: null, error: "x", stack: null };
      taken(await campaign.recordDeadLetter({ ...letter, attempts: 6 }));
    }
    const first = await campaign.deadLetters(null, 2);
    expect(first?.items.map(({ messageId }) => messageId)).toEqual(["m3", "m2"]);
    const rest = await campaign.deadLetters(first?.cursor ?? null, 2);
    expect(rest).toMatchObject({ items: [{ messageId: "m1" }], cursor: null });
    await expect(campaign.events("x", 2)).rejects.toThrow(RangeError);
  });
});
