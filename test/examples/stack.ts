/**
 * What all examples run beside: the provider's stand-in, and one `wrangler dev` with two
 * configurations, the shop's Worker (queues/) and Sendonce.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SendonceClient } from "../../src/client/client.ts";
import type { Settings } from "../../src/domain/settings.ts";
import { startStandIn, startWorker, temporaryFolder, type Running } from "../support/processes.ts";
import { StandInControl } from "../support/stand-in-client.ts";

/** Far beyond what anything takes on a slow machine: a limit for what would never come. */
const PATIENCE_MILLISECONDS = 60_000;

/** What became of a run, by the count of whoever took the mails. */
export type Count = {
  readonly how: string;
  readonly people: number;
  readonly accepted: number;
  readonly duplicates: number;
  /** Never mailed. */
  readonly missing: number;
  /** What Sendonce says that it doesn't know. */
  readonly inDoubt: number;
};

export type Comparison = { readonly example: string; readonly counts: readonly Count[] };

export class ExampleStack {
  readonly url: string;
  readonly token: string;
  readonly api: SendonceClient;
  readonly provider: StandInControl;
  readonly #worker: Running;
  readonly #standIn: Running;

  private constructor(worker: Running, standIn: Running, token: string) {
    this.url = worker.url;
    this.token = token;
    this.api = new SendonceClient({ url: worker.url, token });
    this.provider = new StandInControl(standIn.url);
    this.#worker = worker;
    this.#standIn = standIn;
  }

  static async start(): Promise<ExampleStack> {
    const standIn = await startStandIn();
    const token = randomBytes(16).toString("hex");
    const starting = startWorker({
      config: ["test/examples/queues/wrangler.toml", "wrangler.toml"],
      vars: {
        PROVIDER_URL: standIn.url,
        RESEND_BASE_URL: standIn.url,
        RESEND_API_KEY: "re_examples",
        RESEND_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
        OPERATOR_TOKEN: token,
        SIGNING_KEY: randomBytes(32).toString("hex"),
      },
      persistTo: temporaryFolder("examples"),
      readyPath: "/healthz",
    });
    // A stand-in that nobody stops would outlive a test that could not begin.
    const worker = await starting.catch(async (error: unknown) => {
      await standIn.stop();
      throw error;
    });
    return new ExampleStack(worker, standIn, token);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#worker.stop(), this.#standIn.stop()]);
  }

  /** A campaign for consumers of other queues. */
  async campaign(id: string, settings: Partial<Settings>): Promise<void> {
    await this.api.create({ id, name: id, delivery: "external", settings });
    await this.api.start(id);
  }

  /** Asks `probe` until it says true. Never a verdict on how long anything took. */
  async until(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
    const until = Date.now() + PATIENCE_MILLISECONDS;
    while (!(await probe())) {
      this.#worker.assertRunning();
      if (Date.now() > until) throw new Error(`${what} never came`);
      await sleep(50);
    }
  }

  /** What the provider's stand-in has taken for a run, told by the tag of its mails. */
  async count(how: string, run: string, people: number): Promise<Count> {
    const counts = await this.provider.get(`counts?campaign=${run}`);
    const { accepted, addresses, duplicates } = counts as Record<string, number>;
    return {
      how,
      people,
      accepted: accepted ?? 0,
      duplicates: duplicates ?? 0,
      missing: people - (addresses ?? 0),
      inDoubt: await this.inDoubt(run),
    };
  }

  async inDoubt(run: string): Promise<number> {
    const status = await this.api.deliveryStatus(run).catch(() => null);
    return status?.stats.inDoubt ?? 0;
  }
}
