/**
 * The whole product but for its consumers in one process: the HTTP API over real objects on
 * `node:sqlite`, with a clock and a queue that a test holds in its hands.
 */
import { Account } from "../../src/account/account.ts";
import { Campaign } from "../../src/campaign/campaign.ts";
import type { DispatchMessage } from "../../src/campaign/dispatch-message.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { CampaignId, Instant, Seq } from "../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import { GuessLimit, ShutAddresses } from "../../src/http/guess-limit.ts";
import { handleRequest, type HttpDeps } from "../../src/http/router.ts";
import type { TestMail } from "../../src/message/test-mail.ts";
import { NodeD1 } from "./node-d1.ts";
import { NodeStorage } from "./node-storage.ts";

export const TOKEN = "operator-secret";

class ObjectStorage extends NodeStorage {
  alarmAt: number | null = null;

  async setAlarm(at: number): Promise<void> {
    this.alarmAt = at;
  }

  async getAlarm(): Promise<number | null> {
    return this.alarmAt;
  }

  async deleteAll(): Promise<void> {
    throw new Error("no campaign is erased here");
  }
}

type Kept = { readonly storage: ObjectStorage; object: Campaign };

export class NodeStack {
  now: Instant = Date.UTC(2026, 10, 29, 12);
  readonly audience: NodeD1;
  readonly account: Account;
  /** What the campaigns have put on the queue. */
  readonly queue: DispatchMessage[] = [];
  /** Test sends, and what the provider says to them. */
  readonly tests: { readonly key: string; readonly mails: readonly TestMail[] }[] = [];
  testOutcome: (mails: readonly TestMail[]) => AttemptOutcome = acceptAll;
  readonly #campaigns = new Map<CampaignId, Kept>();
  readonly #clock: Clock = { now: () => this.now, alarmTime: (instant) => instant };
  #drawn = 0;

  constructor(audience = "") {
    this.audience = new NodeD1(audience);
    this.account = new Account({
      storage: new NodeStorage(),
      requestsPerSecond: 10,
      campaign: (id) => this.campaign(id),
      clock: () => this.#clock,
    });
  }

  campaign(id: string): Campaign {
    return this.#kept(id as CampaignId).object;
  }

  #kept(id: CampaignId): Kept {
    const known = this.#campaigns.get(id);
    if (known !== undefined) return known;
    const storage = new ObjectStorage();
    const kept = { storage, object: this.#open(id, storage) };
    this.#campaigns.set(id, kept);
    return kept;
  }

  #open(id: CampaignId, storage: ObjectStorage): Campaign {
    return new Campaign({
      id,
      storage,
      queue: {
        sendBatch: async (messages) => {
          for (const { body } of messages) this.queue.push(body as DispatchMessage);
          return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
        },
      },
      account: () => this.account,
      clock: () => this.#clock,
      draw: () => {
        this.#drawn += 1;
        return { contentId: `content-${this.#drawn}`, linkSecret: "ab".repeat(32) };
      },
      chance: () => 0.5,
      log: () => undefined,
    });
  }

  /** What is left of a campaign after its process was killed: what is on disk. */
  restart(id: string): void {
    const kept = this.#kept(id as CampaignId);
    kept.object = this.#open(id as CampaignId, kept.storage);
  }

  /** Moves the clock and fires every alarm whose time has come, as often as one is set again. */
  async advance(milliseconds: number): Promise<void> {
    this.now += milliseconds;
    await this.fireAlarms();
  }

  async fireAlarms(): Promise<void> {
    for (const { storage, object } of this.#campaigns.values()) {
      for (let rounds = 0; rounds < 100; rounds += 1) {
        if (storage.alarmAt === null || storage.alarmAt > this.now + 1) break;
        storage.alarmAt = null;
        await object.alarm();
      }
    }
  }

  ask(
    method: string,
    path: string,
    body: unknown = null,
    type = "",
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const isRaw = typeof body === "string" || body instanceof ReadableStream;
    const contentType = type === "" ? "application/json" : type;
    const request = new Request(`https://mail.test${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === null ? {} : { "content-type": contentType }),
        ...headers,
      },
      body: body === null || isRaw ? body : JSON.stringify(body),
      duplex: "half",
    } as RequestInit);
    return handleRequest(request, this.#deps());
  }

  /** What a program's own `fetch` would get from this stack. */
  fetch(input: string, init: RequestInit): Promise<Response> {
    return handleRequest(new Request(input, init), this.#deps());
  }

  /** The JSON of an answer that has to be a success. */
  async json<Body>(method: string, path: string, body: unknown = null, type = ""): Promise<Body> {
    const response = await this.ask(method, path, body, type);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  }

  #deps(): HttpDeps {
    return {
      campaign: (id) => this.campaign(id),
      account: () => this.account,
      audience: this.audience,
      requestsPerSecond: 10,
      sendTest: async (key, mails) => {
        this.tests.push({ key, mails });
        return this.testOutcome(mails);
      },
      watch: async () => new Response(null, { status: 404 }),
      webhookSecret: undefined,
      signingKey: undefined,
      guesses: unlimitedGuesses(),
      tokens: { operator: TOKEN, viewer: undefined },
      publicUrl: "https://mail.test",
      defaultIdempotencyWindowSeconds: 72_000,
      health: () => this.account.health(),
      queueBacklog: async () => ({ backlogCount: this.queue.length }),
      now: () => this.now,
      newId: () => `id-${this.tests.length + 1}`,
      log: () => undefined,
    };
  }
}

/** For tests that are about something else. */
export function unlimitedGuesses(): GuessLimit {
  return new GuessLimit({
    limiter: { limit: async () => ({ success: true }) },
    shut: new ShutAddresses(),
    now: () => 0,
    log: () => undefined,
  });
}

function acceptAll(mails: readonly TestMail[]): AttemptOutcome {
  const results = mails.map((_, at) => ({
    seq: (at + 1) as Seq,
    outcome: "sent" as const,
    providerId: `re_${at + 1}`,
  }));
  return { kind: "answered", results };
}
