/**
 * Many campaigns of one account in virtual time: real campaigns, the real account with its rate gate,
 * and the real consumers, behind a queue that hands out messages in the order they came, to as many
 * consumers as wrangler.toml allows. What is written down is who called the provider, in which order.
 *
 * A batch is one recipient here, so that a call is as cheap as it can be; a slot is a slot.
 */
import { Account } from "../../../src/account/account.ts";
import { Campaign } from "../../../src/campaign/campaign.ts";
import type { CampaignPorts } from "../../../src/campaign/ports.ts";
import type { Clock } from "../../../src/domain/clock.ts";
import type { Enrolment } from "../../../src/domain/enrolment.ts";
import type { Address, CampaignId, RecipientId } from "../../../src/domain/ids.ts";
import { ENROL_PAGE } from "../../../src/domain/limits.ts";
import type { AttemptOutcome } from "../../../src/domain/outcome.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings.ts";
import type { SendRequest } from "../../../src/provider/port.ts";
import type { ConsumerDeps, QueueMessage } from "../../../src/queue/deps.ts";
import { Pace } from "../../../src/queue/pace.ts";
import { consumeDispatches } from "../../../src/queue/send-consumer.ts";
import { Random } from "../../simulation/random.ts";
import { Scheduler } from "../../simulation/scheduler.ts";
import { contentOf } from "../../support/content.ts";
import { NodeStorage } from "../../support/node-storage.ts";

/** As in wrangler.toml. */
const MESSAGES_A_BATCH = 25;
const CONSUMERS = 20;
const LATENCY_MILLISECONDS = 150;
/** An object that nobody has asked for so long is evicted (Cloudflare, "Durable Object lifecycle"). */
const SLEEPS_AFTER_MILLISECONDS = 10_000;
const DRAWN = { contentId: "content-1", linkSecret: "ab".repeat(32) };

export type Call = { readonly campaign: string; readonly at: number };

/** What the platform would bill for, since the beginning. */
export type Billed = {
  /** Of objects: each call of a method is one, and each alarm that rings. */
  campaignRequests: number;
  accountRequests: number;
  queueMessages: number;
  queueBatches: number;
  /** A row written each. */
  alarmsSet: number;
  /** Dispatches that were given back, since no slot was near. */
  postponed: number;
};

/** The same object, with each call of a method told. */
function counted<Target extends object>(target: Target, count: (method: string) => void): Target {
  return new Proxy(target, {
    get(_, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      return (...asked: unknown[]): unknown => {
        count(String(property));
        return Reflect.apply(member, target, asked);
      };
    },
  });
}

class ObjectStorage extends NodeStorage {
  readonly #scheduler: Scheduler;
  readonly #billed: Billed;
  #alarm: object | null = null;
  onAlarm: () => Promise<void> = async () => undefined;

  constructor(scheduler: Scheduler, billed: Billed) {
    super();
    this.#scheduler = scheduler;
    this.#billed = billed;
  }

  /** One alarm: a later call replaces it. */
  async setAlarm(at: number): Promise<void> {
    this.#billed.alarmsSet += 1;
    const alarm = {};
    this.#alarm = alarm;
    this.#scheduler.at(at, () => {
      if (this.#alarm !== alarm) return;
      this.#billed.campaignRequests += 1;
      void this.onAlarm();
    });
  }

  async getAlarm(): Promise<number | null> {
    throw new Error("nobody asks what is set here");
  }

  async deleteAll(): Promise<void> {
    throw new Error("no campaign is erased here");
  }
}

/** A campaign whose object forgets what is in memory when nobody asks it. */
type Sleeper = { campaign: Campaign; usedAt: number; readonly wake: () => Campaign };

function refuse(): never {
  throw new Error("nothing here has to be retried");
}

function personOf(campaign: string, at: number): Enrolment {
  const address = `r${at}@${campaign}.example.org` as Address;
  return { line: at + 1, id: `r${at}` as RecipientId, address, email: address, data: {} };
}

export class SharedGate {
  readonly scheduler: Scheduler;
  readonly calls: Call[] = [];
  readonly billed: Billed = {
    campaignRequests: 0,
    accountRequests: 0,
    queueMessages: 0,
    queueBatches: 0,
    alarmsSet: 0,
    postponed: 0,
  };
  /** What the provider says to its nth call, from 1; null: it takes it. */
  answer: (nth: number) => AttemptOutcome | null = () => null;
  readonly #requestsPerSecond: number;
  readonly #account: Account;
  readonly #campaigns = new Map<string, Sleeper>();
  readonly #queue: QueueMessage[] = [];
  readonly #deps: ConsumerDeps;
  #busy = 0;
  #drawn = 0;

  constructor(requestsPerSecond: number, seed: number) {
    this.scheduler = new Scheduler(new Random(seed));
    this.#requestsPerSecond = requestsPerSecond;
    this.#account = new Account({
      storage: new NodeStorage(),
      requestsPerSecond,
      campaign: (id) => this.campaign(id),
      clock: () => this.#clock,
    });
    this.#deps = this.#consumerDeps();
  }

  readonly #clock: Clock = { now: () => this.scheduler.now, alarmTime: (instant) => instant };

  campaign(id: string): Campaign {
    const known = this.#campaigns.get(id);
    if (known === undefined) throw new Error(`no campaign ${id}`);
    const { now } = this.scheduler;
    if (now - known.usedAt > SLEEPS_AFTER_MILLISECONDS) known.campaign = known.wake();
    known.usedAt = now;
    return known.campaign;
  }

  #askedCampaign(id: CampaignId): Campaign {
    return counted(this.campaign(id), (method) => {
      this.billed.campaignRequests += 1;
      if (method === "postpone") this.billed.postponed += 1;
    });
  }

  #askedAccount(): Account {
    return counted(this.#account, () => {
      this.billed.accountRequests += 1;
    });
  }

  /** A campaign of so many recipients, each a call of its own, that has been started. */
  async start(
    name: string,
    recipients: number,
    requestsPerSecond: number | null = null,
  ): Promise<void> {
    const id = name as CampaignId;
    await this.#account.register(id, name, requestsPerSecond);
    const campaign = this.#open(id);
    const settings = { ...DEFAULT_SETTINGS, batchSize: 1, requestsPerSecond };
    await campaign.create({ name, delivery: "managed", content: contentOf(), settings });
    for (let from = 0; from < recipients; from += ENROL_PAGE) {
      const page = Math.min(ENROL_PAGE, recipients - from);
      await campaign.enrol(Array.from({ length: page }, (_, at) => personOf(name, from + at)));
    }
    await campaign.start({ at: null, publicUrl: "https://mail.example.org" });
  }

  #open(id: CampaignId): Campaign {
    const storage = new ObjectStorage(this.scheduler, this.billed);
    const ports: CampaignPorts = {
      id,
      storage,
      queue: {
        sendBatch: async (messages) => {
          for (const { body } of messages) {
            this.#queue.push(this.#message(body));
            this.billed.queueMessages += 1;
          }
          this.scheduler.after(1, () => this.#handOut());
          return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
        },
      },
      account: () => this.#askedAccount(),
      clock: () => this.#clock,
      draw: () => DRAWN,
      chance: () => 0.5,
      log: () => undefined,
    };
    const wake = () => new Campaign(ports);
    const campaign = wake();
    storage.onAlarm = () => this.campaign(id).alarm();
    this.#campaigns.set(id, { campaign, usedAt: this.scheduler.now, wake });
    return campaign;
  }

  #message(body: unknown): QueueMessage {
    this.#drawn += 1;
    return { id: `message-${this.#drawn}`, body, attempts: 1, ack: () => undefined, retry: refuse };
  }

  #handOut(): void {
    while (this.#busy < CONSUMERS && this.#queue.length > 0) {
      this.#busy += 1;
      this.billed.queueBatches += 1;
      const messages = this.#queue.splice(0, MESSAGES_A_BATCH);
      void consumeDispatches(messages, this.#deps).then(() => {
        this.#busy -= 1;
        this.scheduler.after(1, () => this.#handOut());
        return null;
      });
    }
  }

  #consumerDeps(): ConsumerDeps {
    const sleep = (milliseconds: number): Promise<void> =>
      new Promise((resolve) => this.scheduler.after(milliseconds, resolve));
    return {
      campaign: (id) => this.#askedCampaign(id),
      account: () => this.#askedAccount(),
      provider: {
        sendBatch: async (request) => {
          const outcome = this.#called(request);
          await sleep(LATENCY_MILLISECONDS);
          return outcome;
        },
      },
      render: async (_contentId, _load, members) => ({
        emails: members.map(({ email }) => ({ from: "a@b.example", to: email, subject: "Hi" })),
        seqs: members.map(({ seq }) => seq),
        faults: [],
      }),
      monotonic: () => this.scheduler.now,
      sleep,
      pace: new Pace(this.#requestsPerSecond),
      newClaim: () => {
        this.#drawn += 1;
        return `claim-${this.#drawn}`;
      },
      log: (event, fields) => {
        if (event === "dispatchFailed") throw new Error(JSON.stringify(fields));
      },
    };
  }

  #called({ idempotencyKey, seqs }: SendRequest): AttemptOutcome {
    const campaign = idempotencyKey.slice(0, idempotencyKey.lastIndexOf(":"));
    this.calls.push({ campaign, at: this.scheduler.now });
    const answer = this.answer(this.calls.length);
    if (answer !== null) return answer;
    const results = seqs.map((seq) => ({ seq, outcome: "sent" as const, providerId: `re_${seq}` }));
    return { kind: "answered", results };
  }

  /** Runs for so many seconds of virtual time, or until nothing is left to do. */
  async run(seconds: number): Promise<void> {
    const until = this.scheduler.now + seconds * 1000;
    while (await this.scheduler.step(until));
  }
}
