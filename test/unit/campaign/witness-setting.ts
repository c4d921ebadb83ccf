/**
 * One campaign and the account that witnesses it, with the way between them, the storage and the
 * beginning of each life in the hands of a test (SPEC R-restore).
 */
import { Account } from "../../../src/account/account.ts";
import type { ListNews, Witnessed } from "../../../src/account/rpc.ts";
import { Campaign } from "../../../src/campaign/campaign.ts";
import type { Delivery } from "../../../src/domain/draft.ts";
import type { Address, DispatchNumber, Instant, RecipientId } from "../../../src/domain/ids.ts";
import { WITNESS_SECONDS } from "../../../src/domain/limits.ts";
import type { ReserveAnswer } from "../../../src/domain/reservation.ts";
import { DRAWN } from "../../contract/checked-ledger.ts";
import { CAMPAIGN, draftOf, grantIn, people, START, taken, UNKNOWN } from "../../contract/rig.ts";
import { NodeStorage } from "../../support/node-storage.ts";

export type Fault = "before" | "after" | null;

export class Setting {
  now = START;
  alarmAt: number | null = null;
  asked = 0;
  #asks = 0;
  /** What becomes of the next asks: lost on their way, or their answers are. */
  faults: Fault[] = [];
  readonly logged: string[] = [];
  storage = new NodeStorage();
  readonly clock = { now: () => this.now, alarmTime: (at: number) => at };
  readonly accountStorage = new NodeStorage();
  readonly account = new Account({
    storage: this.accountStorage,
    requestsPerSecond: 10,
    campaign: () => this.campaign,
    clock: () => this.clock,
  });
  witness = (grants: number, next: number, decisions?: number): Promise<Witnessed> =>
    this.account.witness(CAMPAIGN, grants, next, decisions);
  suppressedSince = (number: number | null): Promise<ListNews> =>
    this.account.suppressedSince(number);
  campaign = this.#open();

  #open(): Campaign {
    const { storage } = this;
    return new Campaign({
      id: CAMPAIGN,
      storage: {
        sql: storage.sql,
        transactionSync: (closure) => storage.transactionSync(closure),
        setAlarm: async (at: number) => {
          this.alarmAt = at;
        },
        getAlarm: async () => this.alarmAt,
        deleteAll: async () => {
          this.alarmAt = null;
          const query = "SELECT name FROM sqlite_master WHERE type = 'table'";
          for (const { name } of storage.sql.exec(query).toArray()) {
            storage.database.exec(`DROP TABLE ${String(name)}`);
          }
        },
      },
      queue: { sendBatch: async () => ({}) as QueueSendBatchResponse },
      account: () => ({
        suppressedAmong: (addresses) => this.account.suppressedAmong(addresses),
        suppressedSince: (number) => this.suppressedSince(number),
        witness: (_, grants, next, decisions) => this.#ask(grants, next, decisions),
      }),
      clock: () => this.clock,
      draw: () => DRAWN,
      chance: () => 0,
      log: (event) => this.logged.push(event),
    });
  }

  async #ask(grants: number, next: number, decisions?: number): Promise<Witnessed> {
    this.asked += 1;
    const fault = this.faults.shift() ?? null;
    if (fault === "before") throw new Error("lost on its way");
    const answer = await this.witness(grants, next, decisions);
    if (fault === "after") throw new Error("the answer was lost");
    return answer;
  }

  /** The object begins another life, with what is on disk. */
  restart(): void {
    this.campaign = this.#open();
  }

  /** The object begins another life, with a backup in the place of what was on disk. */
  restore(backup: readonly string[]): void {
    this.storage = new NodeStorage();
    for (const each of backup) this.storage.sql.exec(each);
    this.restart();
  }

  async begin(recipients = 10, delivery: Delivery = "managed"): Promise<void> {
    await this.#start(null, recipients, delivery);
    await this.ring();
    this.asked = 0;
  }

  async schedule(at: Instant): Promise<void> {
    await this.#start(at, 10, "managed");
  }

  async #start(at: Instant | null, recipients: number, delivery: Delivery): Promise<void> {
    await this.account.register(CAMPAIGN, "Spring", null);
    // Without a window, so that a lost answer is a doubt at once.
    const settings = { batchSize: 1, idempotencyWindowSeconds: 0 };
    taken(await this.campaign.create(draftOf(delivery, settings)));
    taken(await this.campaign.enrol(people(recipients)));
    taken(await this.campaign.start({ at, publicUrl: "https://mail.example.org" }));
  }

  /** So long that the directory is told of all there is. */
  async told(): Promise<void> {
    this.now += WITNESS_SECONDS * 1000;
    await this.ring();
  }

  async ring(): Promise<void> {
    this.alarmAt = null;
    await this.campaign.alarm();
  }

  async reserve(dispatch: number) {
    const request = { dispatch: dispatch as DispatchNumber, claim: `claim-${dispatch}` };
    return taken(await this.campaign.reserve({ by: "dispatch", ...request }));
  }

  /** What a consumer gets that asks for the next of the work there is. */
  async ask(): Promise<ReserveAnswer> {
    await this.ring();
    this.#asks += 1;
    if (this.#value("SELECT delivery FROM campaign") === "external") {
      const reservationId = `m${this.#asks}`;
      return taken(
        await this.campaign.reserve({ by: "limit", reservationId, limit: 1, claim: null }),
      );
    }
    return this.reserve(Number(this.#value("SELECT min(dispatch) FROM dispatches") ?? 1));
  }

  /** Somebody is granted, whose end nobody knows. @returns its id */
  async doubt(): Promise<RecipientId> {
    const { batch: number, token, members } = grantIn(await this.ask());
    taken(await this.campaign.report({ batch: { number }, token, outcome: UNKNOWN }));
    const [id] = members.map((member) => member.id);
    if (id === undefined) throw new Error("a grant has members");
    return id;
  }

  statusOf(id: string): unknown {
    return this.#value(`SELECT status FROM recipients WHERE id = '${id}'`);
  }

  #value(query: string): unknown {
    return Object.values(this.storage.sql.exec(query).toArray()[0] ?? {})[0];
  }

  async granted(dispatch: number): Promise<string | null> {
    const answer = await this.reserve(dispatch);
    return answer.granted ? answer.idempotencyKey : null;
  }

  /** The number of grants that the directory has. */
  async known(): Promise<number> {
    return (await this.#knownMark())?.grants ?? 0;
  }

  /** The same of decisions. */
  async knownDecisions(): Promise<number> {
    return (await this.#knownMark())?.decisions ?? 0;
  }

  async #knownMark(): Promise<Extract<Witnessed, { stands: false }> | null> {
    const answer = await this.account.witness(CAMPAIGN, -1, 0);
    return answer.stands ? null : answer;
  }
}

export const addressOf = (id: string) => `${id}@example.org` as Address;
