/** One run of the watchdog over campaigns in every condition, and its order over many runs. */
import { describe, expect, it } from "vitest";
import { Account } from "../../../src/account/account.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";
import {
  WATCH_EVERY_SECONDS,
  WATCH_PAGE,
  WATCH_PAGES,
  WATCH_RESTING_SECONDS,
} from "../../../src/domain/limits.ts";
import type { Vitals } from "../../../src/domain/vitals.ts";
import { watchCampaigns, type WatchdogDeps } from "../../../src/watchdog/watchdog.ts";
import { NodeStorage } from "../../support/node-storage.ts";

const HEALTHY: Vitals = {
  state: "sending",
  dueInMilliseconds: 1_000,
  alarmInMilliseconds: 1_000,
  isRinging: false,
  unansweredMilliseconds: null,
};
const ASLEEP: Vitals = { ...HEALTHY, alarmInMilliseconds: null };
const RESTING: Vitals = { ...HEALTHY, state: "finished", dueInMilliseconds: null };

/** An account with these campaigns, and a record of who was asked and woken. */
class Town {
  now = 1_790_000_000_000;
  readonly looks: string[] = [];
  readonly woken: string[] = [];
  readonly logged: string[] = [];
  readonly account: Account;
  readonly vitals = new Map<string, Vitals | null | Error>();

  constructor(vitals: Readonly<Record<string, Vitals | null | Error>>) {
    this.account = new Account({
      storage: new NodeStorage(),
      requestsPerSecond: 10,
      campaign: () => ({
        suppress: async () => undefined,
        reading: async () => null,
      }),
      clock: () => ({ now: () => this.now, alarmTime: (at) => at }),
    });
    for (const [id, each] of Object.entries(vitals)) this.add(id, each);
  }

  add(id: string, vitals: Vitals | null | Error): void {
    void this.account.register(id as CampaignId, id, null);
    this.vitals.set(id, vitals);
  }

  watch(): ReturnType<typeof watchCampaigns> {
    const deps: WatchdogDeps = {
      account: () => this.account,
      campaign: (id) => ({
        vitals: async () => {
          this.looks.push(id);
          const found = this.vitals.get(id) ?? null;
          if (found instanceof Error) throw found;
          return found;
        },
        wake: async () => {
          this.woken.push(id);
        },
      }),
      log: (event) => this.logged.push(event),
    };
    return watchCampaigns(deps);
  }
}

describe("the watchdog", () => {
  it("wakes whoever has lost its alarm, and touches nobody else", async () => {
    const town = new Town({ asleep: ASLEEP, healthy: HEALTHY, resting: RESTING, never: null });
    expect(await town.watch()).toEqual({ healthy: 1, resting: 2, woken: 1, failed: 0 });
    expect(town.woken).toEqual(["asleep"]);
    expect(town.logged).toEqual(["campaignAsleep", "watched"]);
  });

  it("one that does not answer keeps nobody from being looked at", async () => {
    const bad = new Error("object reset");
    const town = new Town({ a: bad, b: ASLEEP, c: bad, d: ASLEEP });
    expect(await town.watch()).toEqual({ healthy: 0, resting: 0, woken: 2, failed: 2 });
    expect(town.woken.toSorted()).toEqual(["b", "d"]);
  });

  it("nobody is looked at twice before its turn, and who rests only once a day", async () => {
    const town = new Town({ healthy: HEALTHY, resting: RESTING });
    await town.watch();
    await town.watch();
    expect(town.looks.toSorted()).toEqual(["healthy", "resting"]);
    town.now += WATCH_EVERY_SECONDS * 1000;
    expect(await town.watch()).toMatchObject({ healthy: 1, resting: 0 });
    town.now += WATCH_RESTING_SECONDS * 1000;
    expect(await town.watch()).toMatchObject({ healthy: 1, resting: 1 });
  });

  it("who rests is looked at again as soon as it is at work", async () => {
    const town = new Town({ spring: RESTING });
    await town.watch();
    town.vitals.set("spring", ASLEEP);
    await town.account.witness("spring" as CampaignId, 0, 1);
    expect(await town.watch()).toMatchObject({ woken: 1 });
  });

  it("R-watch, R-retention: who has days left rests until the last of them, if its alarm stands", async () => {
    const far = (WATCH_RESTING_SECONDS + 1) * 1000;
    const finished = { ...RESTING, dueInMilliseconds: far, alarmInMilliseconds: far };
    const town = new Town({
      finished,
      near: { ...finished, dueInMilliseconds: far - 1000, alarmInMilliseconds: far - 1000 },
      asleep: { ...finished, alarmInMilliseconds: null },
    });
    expect(await town.watch()).toEqual({ healthy: 1, resting: 1, woken: 1, failed: 0 });
    town.now += WATCH_EVERY_SECONDS * 1000;
    await town.watch();
    expect(town.looks.filter((id) => id === "finished")).toHaveLength(1);
  });

  it("R-watch: who begins while it is looked at is not put off for a day", async () => {
    const town = new Town({ spring: RESTING });
    const id = "spring" as CampaignId;
    expect(await town.account.takeLooks(1)).toEqual([id]);
    await town.account.witness(id, 0, 1);
    await town.account.letRest([id]);
    expect(await town.account.takeLooks(1)).toEqual([id]);
  });

  it("a run is bounded, and the next one begins with those that were left", async () => {
    const most = WATCH_PAGE * WATCH_PAGES;
    const town = new Town({});
    for (let each = 0; each < most + 30; each += 1) {
      town.add(`c${String(each).padStart(4, "0")}`, HEALTHY);
    }
    await town.watch();
    expect(town.looks).toHaveLength(most);
    // All are due again, and those that nobody has looked at yet come first.
    town.now += WATCH_EVERY_SECONDS * 1000;
    await town.watch();
    const second = town.looks.slice(most);
    expect(second).toHaveLength(most);
    expect(new Set(second.slice(0, WATCH_PAGE))).toEqual(
      new Set([...town.vitals.keys()].slice(most).concat([...town.vitals.keys()].slice(0, 10))),
    );
    expect(new Set(town.looks).size).toBe(most + 30);
  });
});
