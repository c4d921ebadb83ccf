/** A campaign that the kit reaches by its HTTP API, or by the RPC of its object, on a held clock. */
import {
  CampaignTrouble,
  createConsumer,
  httpCampaign,
  rpcCampaign,
  type Batch,
  type CampaignPort,
  type Consumer,
  type ConsumerOptions,
  type Send,
  type SendResult,
} from "../../../src/consumer/consumer.ts";
import { NodeStack, TOKEN } from "../../support/node-stack.ts";

export const WAYS = ["http", "rpc"] as const;
export type Way = (typeof WAYS)[number];

const LEASE_SECONDS = 60;

export class TestCampaign {
  readonly stack = new NodeStack();
  readonly port: CampaignPort;
  /** Calls whose answer is lost on the way back, by their number from 1. */
  readonly lost = new Set<number>();
  calls = 0;

  private constructor(way: Way) {
    this.stack.now = Date.now();
    const { stack } = this;
    const url = "https://mail.test/";
    const port =
      way === "rpc"
        ? rpcCampaign(() => this.stack.campaign("spring"))
        : httpCampaign({
            url,
            token: TOKEN,
            campaignId: "spring",
            fetch: async (input, init) => {
              const answer = await stack.fetch(input as string, init as RequestInit);
              answer.headers.set("date", new Date(stack.now - 1000).toUTCString());
              return answer;
            },
          });
    this.port = {
      reserve: (ask) => this.#answered(() => port.reserve(ask)),
      report: (ask) => this.#answered(() => port.report(ask)),
    };
  }

  static async start(way: Way, settings: object = {}): Promise<TestCampaign> {
    const campaign = new TestCampaign(way);
    const draft = {
      id: "spring",
      name: "Spring",
      delivery: "external",
      settings: { leaseSeconds: LEASE_SECONDS, ...settings },
    };
    await campaign.stack.json("POST", "/api/campaigns", draft);
    await campaign.command("start");
    return campaign;
  }

  async #answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.calls += 1;
    const isLost = this.lost.has(this.calls);
    const answer = await ask();
    if (isLost) throw lostAnswer();
    return answer;
  }

  command(name: string): Promise<unknown> {
    return this.stack.json("POST", `/api/campaigns/spring/${name}`, name === "start" ? {} : null);
  }

  consumer(send: Send, options: Partial<ConsumerOptions> = {}): Consumer {
    return createConsumer({ campaign: this.port, send, ...options });
  }

  /** The numbers that are not 0, without the total. */
  async stats(): Promise<Record<string, number>> {
    const path = "/api/campaigns/spring/delivery-status";
    const { stats } = await this.stack.json<{ stats: Record<string, number> }>("GET", path);
    const counted = Object.entries(stats).filter(([name, n]) => name !== "total" && n !== 0);
    return Object.fromEntries(counted);
  }

  async advance(seconds: number): Promise<void> {
    await this.stack.advance(seconds * 1000);
  }
}

function lostAnswer(): CampaignTrouble {
  return new CampaignTrouble("unreachable", "the answer was lost", { isPassing: true });
}

/** A provider that accepts, and remembers which addresses under which keys. */
export class TestProvider {
  readonly accepted: string[] = [];
  readonly keys: string[] = [];

  readonly send = async (batch: Batch): Promise<SendResult[]> => {
    this.keys.push(batch.idempotencyKey);
    return batch.recipients.map(({ id, email }) => {
      this.accepted.push(email);
      return { id, outcome: "sent", providerId: `x-${id}` };
    });
  };
}

export const people = (...names: string[]) =>
  names.map((name) => ({ id: name, email: `${name}@example.org`, data: { name } }));

export const never = <T>(): Promise<T> => new Promise<T>(() => {});
