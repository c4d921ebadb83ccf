/** The object's notices: they are told beside its work, and never hold it up. */
import { describe, expect, it } from "vitest";
import { Campaign } from "../../../src/campaign/campaign.ts";
import type { CampaignPorts } from "../../../src/campaign/ports.ts";
import type { AlertMessage } from "../../../src/domain/alert.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { INQUIRY_DELAY_SECONDS } from "../../../src/domain/limits.ts";
import { LOG_LEVELS } from "../../../src/domain/log-event.ts";
import type { DispatchNumber } from "../../../src/domain/ids.ts";
import { DRAWN } from "../../contract/checked-ledger.ts";
import { CAMPAIGN, draftOf, people, START, taken, UNKNOWN } from "../../contract/rig.ts";
import { NodeStorage } from "../../support/node-storage.ts";

class Setting {
  now = START;
  alarmAt: number | null = null;
  readonly sent: unknown[] = [];
  /** What went wrong. */
  readonly logged: string[] = [];
  readonly campaign: Campaign;

  constructor(ports: Partial<CampaignPorts>) {
    const storage = Object.assign(new NodeStorage(), {
      setAlarm: async (at: number) => {
        this.alarmAt = at;
      },
      getAlarm: async () => this.alarmAt,
      deleteAll: async () => undefined,
    });
    this.campaign = new Campaign({
      id: CAMPAIGN,
      storage,
      queue: {
        sendBatch: async (messages: Iterable<{ body: unknown }>) => {
          this.sent.push(...[...messages].map((message) => message.body));
          return {} as QueueSendBatchResponse;
        },
      },
      account: () => ({
        suppressedAmong: async () => [],
        suppressedSince: async () => ({ entries: [], number: 1, isLast: true }),
        witness: async () => ({ stands: true }),
      }),
      clock: () => ({ ...systemClock, now: () => this.now }),
      draw: () => DRAWN,
      chance: () => 0,
      log: (event) => {
        if (LOG_LEVELS[event] === "error") this.logged.push(event);
      },
      ...ports,
    });
  }

  /** Four people in doubt, and the campaign finished by it. */
  async doubts(): Promise<void> {
    const { campaign } = this;
    await campaign.create(draftOf("managed", { idempotencyWindowSeconds: 0 }));
    await campaign.enrol(people(4));
    await campaign.start({ at: null, publicUrl: "https://mail.example.org" });
    await this.alarm();
    const dispatch = 1 as DispatchNumber;
    const grant = taken(await campaign.reserve({ by: "dispatch", dispatch, claim: "one" }));
    if (!grant.granted) throw new Error(grant.reason);
    const { batch: number, token } = grant;
    await campaign.report({ batch: { number }, token, outcome: UNKNOWN });
  }

  /** Lets the alarm that stands fire at its time. */
  async alarm(): Promise<void> {
    if (this.alarmAt === null) throw new Error("no alarm stands");
    this.now = Math.max(this.now, this.alarmAt);
    this.alarmAt = null;
    await this.campaign.alarm();
  }

  /** The next alarms up to so many seconds from now. */
  async pass(seconds: number): Promise<void> {
    const end = this.now + seconds * 1000;
    while (this.alarmAt !== null && this.alarmAt <= end) await this.alarm();
    this.now = end;
  }
}

describe("alerts", () => {
  it("are posted at their time and confirmed, and the alarm then rests", async () => {
    const posted: AlertMessage[] = [];
    const setting = new Setting({
      postAlert: async (message) => {
        posted.push(message);
        return true;
      },
    });
    await setting.doubts();
    await setting.pass(600);
    expect(posted.map((message) => message.type)).toEqual(["finished", "inDoubt"]);
    expect(setting.alarmAt).toBeNull();
    expect(Object.keys(posted[0] ?? {})).toEqual([
      "text",
      "id",
      "type",
      "campaignId",
      "campaignName",
      "at",
      "detail",
    ]);
  });

  it("R-no-address: name an address by its hash, whoever wrote it, and quote nothing", async () => {
    const posted: AlertMessage[] = [];
    const setting = new Setting({
      postAlert: async (message) => posted.push(message) > 0,
      nameOf: (address) => `[${address.length}]`,
    });
    await setting.campaign.create(draftOf("managed"));
    await setting.campaign.enrol(people(4));
    await setting.campaign.start({ at: null, publicUrl: "https://mail.example.org" });
    await setting.campaign.pause("senderRefused", 'no "Dear Ada" to <ada@mail.example>');
    await setting.alarm();
    await setting.pass(600);
    expect(posted[0]?.detail["detail"]).toBe('no "…" to <[16]>');
    // Slack's escapes around it are no part of the address.
    expect(posted[0]?.text).toContain('no "…" to &lt;[16]&gt;');
    expect(JSON.stringify(posted)).not.toMatch(/@|Ada/);
  });

  it("are posted again after a refusal and after a throw, until somebody has it", async () => {
    const answers = [false, new Error("no route")];
    const posted: string[] = [];
    const setting = new Setting({
      postAlert: async (message) => {
        posted.push(message.id);
        const answer = answers.shift() ?? true;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    await setting.doubts();
    await setting.pass(600);
    const [finished = "", second] = posted;
    expect(second).toBe(finished);
    expect(posted.filter((id) => id === finished)).toHaveLength(3);
    expect(setting.logged).toEqual(["alertRefused", "alertFailed"]);
  });

  it("never hold up the alarm's work", async () => {
    let posts = 0;
    const setting = new Setting({
      postAlert: () => {
        posts += 1;
        return new Promise<boolean>(() => undefined);
      },
    });
    await setting.doubts();
    await setting.pass(60);
    expect(posts, "one round at a time").toBe(1);
    const { campaign } = setting;
    await campaign.replay({ recipients: "inDoubt", acceptDuplicateRisk: true });
    setting.sent.length = 0;
    await setting.alarm();
    expect(setting.sent).toEqual([{ v: 1, campaignId: "spring", dispatch: 2 }]);
    await setting.pass(60);
    expect(posts, "and the next when it must have ended").toBe(2);
  });

  it("wake nobody where there is nobody to tell", async () => {
    const setting = new Setting({});
    await setting.doubts();
    await setting.pass(600);
    expect(setting.alarmAt).toBeNull();
    expect(setting.logged).toEqual([]);
  });
});

describe("inquiries", () => {
  it("are put on the queue by the alarm, a while after the doubt, and not twice", async () => {
    const setting = new Setting({ canInquire: true });
    await setting.doubts();
    setting.sent.length = 0;
    await setting.pass(INQUIRY_DELAY_SECONDS - 1);
    expect(setting.sent).toEqual([]);
    await setting.pass(600);
    expect(setting.sent).toEqual([{ v: 1, campaignId: "spring", inquiry: 1 }]);
    expect((await setting.campaign.inquiry(1))?.members).toHaveLength(4);
    await setting.campaign.closeInquiry(1, { kind: "notAllowed" });
    await setting.pass(86_400);
    expect(setting.sent).toHaveLength(1);
    expect(setting.alarmAt).toBeNull();
  });

  it("are made at once at an operator's word", async () => {
    const setting = new Setting({ canInquire: true });
    await setting.doubts();
    setting.sent.length = 0;
    taken(await setting.campaign.inquire());
    await setting.pass(1);
    expect(setting.sent).toEqual([{ v: 1, campaignId: "spring", inquiry: 2 }]);
  });
});
