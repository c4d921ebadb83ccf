/**
 * What a benchmark runs against: the Worker that ships with its counts (bench-worker.ts), in
 * `wrangler dev` on a folder of its own, and the provider's stand-in in a process of its own.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SendonceClient } from "../../src/client/client.ts";
import type { DeliveryStatus } from "../../src/client/types.ts";
import {
  freePort,
  startStandIn,
  startWorker,
  temporaryFolder,
  type Running,
} from "../support/processes.ts";
import { StandInControl } from "../support/stand-in-client.ts";
import type { RunCounts } from "./bench-worker.ts";

const LOOK_MILLISECONDS = 100;
/** Of all but the slowest machines; with less, the slots and not the product would be measured. */
export const UNLIMITED = 1_000;

export class BenchStack {
  readonly api: SendonceClient;
  readonly provider: StandInControl;
  readonly url: string;
  readonly token: string;
  readonly webhookSecret: string;
  readonly #standIn: Running;
  readonly #start: () => Promise<Running>;
  #worker: Running | null = null;

  private constructor(standIn: Running, port: number, requestsPerSecond: number) {
    const persistTo = temporaryFolder("bench");
    this.url = `http://127.0.0.1:${port}`;
    this.token = randomBytes(16).toString("hex");
    this.webhookSecret = `whsec_${randomBytes(24).toString("base64")}`;
    const vars = {
      RESEND_BASE_URL: standIn.url,
      RESEND_API_KEY: "re_bench",
      RESEND_WEBHOOK_SECRET: this.webhookSecret,
      RESEND_REQUESTS_PER_SECOND: String(requestsPerSecond),
      OPERATOR_TOKEN: this.token,
      SIGNING_KEY: randomBytes(32).toString("hex"),
      PUBLIC_URL: this.url,
    };
    const script = "test/bench/bench-worker.ts";
    this.#start = () =>
      startWorker({
        config: "wrangler.toml",
        script,
        vars,
        persistTo,
        port,
        readyPath: "/healthz",
      });
    this.api = new SendonceClient({ url: this.url, token: this.token });
    this.provider = new StandInControl(standIn.url);
    this.#standIn = standIn;
  }

  /** @param requestsPerSecond of the account's rate gate */
  static async start(requestsPerSecond: number = UNLIMITED): Promise<BenchStack> {
    const stack = new BenchStack(await startStandIn(), await freePort(), requestsPerSecond);
    await stack.restart();
    return stack;
  }

  get worker(): Running {
    if (this.#worker === null) throw new Error("the Worker is not running");
    return this.#worker;
  }

  /** SIGKILL for all of `wrangler dev`. */
  async kill(): Promise<void> {
    await this.worker.kill();
    this.#worker = null;
  }

  async restart(): Promise<void> {
    this.#worker = await this.#start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#worker?.stop(), this.#standIn.stop()]);
  }

  /** A draft with so many recipients in it. */
  async campaign(id: string, recipients: number, settings: object = {}): Promise<void> {
    await this.api.create({
      id,
      name: id,
      from: "The Shop <news@shop.example>",
      subject: "{{ firstName }}, spring has come",
      text: "Hello {{ firstName }},\n\neverything for the garden is 20 % off this week.\n",
      settings,
    });
    const { added } = await this.api.upload(id, { body: csv(recipients), format: "text/csv" });
    if (added !== recipients) throw new Error(`${added} of ${recipients} rows were added`);
  }

  /** Asks the Worker until the campaign is over. Each look is a request of its object. */
  async finished(id: string, lookMilliseconds = LOOK_MILLISECONDS): Promise<DeliveryStatus> {
    for (;;) {
      this.worker.assertRunning();
      const status = await this.api.deliveryStatus(id);
      if (status.pause !== null) throw new Error(`${id} is paused: ${status.pause.detail}`);
      if (status.state === "finished") return status;
      await sleep(lookMilliseconds);
    }
  }

  /** One of the routes that only the benchmark's Worker has. */
  async bench<Answer>(path: string): Promise<Answer> {
    const response = await fetch(`${this.url}/bench/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  counts(campaign: string): Promise<RunCounts> {
    return this.bench(`counts?campaign=${campaign}`);
  }
}

/** Seconds between the start of a campaign and its end, by its own clock. */
export function secondsOf({ startedAt, finishedAt }: DeliveryStatus): number {
  return (Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "")) / 1000;
}

const CHUNK_ROWS = 1_000;

/** Made as it is taken, so that this process holds no more than a chunk. */
export function csv(rows: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const from = at;
      at = Math.min(rows, at + CHUNK_ROWS);
      let text = from === 0 ? "id,email,firstName,lastName,city,plan\r\n" : "";
      for (let row = from; row < at; row += 1) {
        text += `u_${row},Ada.${row}@mail.example,Ada,"Lovelace, ${row}",Zürich,pro\r\n`;
      }
      controller.enqueue(encoder.encode(text));
      if (at === rows) controller.close();
    },
  });
}
