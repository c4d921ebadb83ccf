/**
 * Sendonce as an operator runs it, and a provider whose truth survives: `wrangler dev` on a folder,
 * and the stand-in as a process of its own with its log on disk.
 *
 * `crash` is SIGKILL for the whole group, at once and without a word, as a crash of the machine is.
 * `restart` brings it back on the same folder, port and secrets, and asks `/healthz`, which wakes no
 * campaign: what goes on after a crash goes on by the objects' own alarms.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SendonceClient } from "../../src/client/client.ts";
import { bundleWorker } from "../support/bundled-worker.ts";
import {
  freePort,
  lastWords,
  startStandIn,
  startWorker,
  temporaryFolder,
  type Running,
} from "../support/processes.ts";
import { StandInControl } from "../support/stand-in-client.ts";
import { ProviderLog } from "./provider-log.ts";

/** Far beyond what anything takes on a slow machine: a limit for what would never come. */
export const PATIENCE_MILLISECONDS = 120_000;

export type StackOptions = {
  /** RESEND_REQUESTS_PER_SECOND. Lower gives more time to crash in. */
  readonly requestsPerSecond: number;
  /** For `startWorker`; none: the Worker of this release. */
  readonly config?: Config;
};

type Config = string | readonly string[];

type Parts = {
  readonly standIn: Running;
  readonly log: string;
  readonly port: number;
  readonly config: Config;
};

export class Stack {
  readonly api: SendonceClient;
  readonly provider: StandInControl;
  readonly providerLog: ProviderLog;
  readonly url: string;
  readonly token: string;
  /** Objects, databases and queues of this run. */
  readonly folder: string;
  crashes = 0;
  #standIn: Running;
  readonly #log: string;
  readonly #start: (config: Config) => Promise<Running>;
  #config: Config;
  #worker: Running | null = null;

  private constructor({ standIn, log, port, config }: Parts, { requestsPerSecond }: StackOptions) {
    const token = randomBytes(16).toString("hex");
    const vars = {
      RESEND_BASE_URL: standIn.url,
      RESEND_API_KEY: "re_e2e",
      RESEND_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
      RESEND_REQUESTS_PER_SECOND: String(requestsPerSecond),
      OPERATOR_TOKEN: token,
      SIGNING_KEY: randomBytes(32).toString("hex"),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    const persistTo = temporaryFolder("e2e");
    this.folder = persistTo;
    this.#standIn = standIn;
    this.#log = log;
    this.#config = config;
    this.#start = (from) =>
      startWorker({ config: from, vars, persistTo, port, readyPath: "/healthz" });
    this.token = token;
    this.url = `http://127.0.0.1:${port}`;
    // Nothing is asked again by itself, so that no restart is nudged by a client.
    this.api = new SendonceClient({ url: this.url, token, tries: 1 });
    this.provider = new StandInControl(standIn.url);
    this.providerLog = new ProviderLog(log);
  }

  static async start(options: StackOptions): Promise<Stack> {
    const log = join(temporaryFolder("e2e-provider"), "provider.log");
    const [standIn, port] = [await startStandIn({ log }), await freePort()];
    const config = options.config ?? (await bundleWorker()).config;
    const stack = new Stack({ standIn, log, port, config }, options);
    await stack.restart();
    return stack;
  }

  async restart(): Promise<void> {
    this.#worker = await this.#start(this.#config);
  }

  /** SIGKILL, and another release on the same folder. */
  async deploy(config: Config): Promise<void> {
    await this.crash();
    this.#config = config;
    await this.restart();
  }

  /** Resolves when nobody of the group lives any more. */
  async crash(): Promise<void> {
    this.crashes += 1;
    await this.#worker?.kill();
    this.#worker = null;
  }

  async crashAndRestart(): Promise<void> {
    await this.crash();
    await this.restart();
  }

  /** The provider is gone from the network; what it has accepted stays in its log. */
  async killProvider(): Promise<void> {
    await this.#standIn.kill();
  }

  async restartProvider(): Promise<void> {
    this.#standIn = await startStandIn({ log: this.#log, port: this.#standIn.port });
  }

  /** Asks `probe` until it says true. Never a verdict on how long anything took. */
  async until(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
    const until = Date.now() + PATIENCE_MILLISECONDS;
    while (!(await probe())) {
      this.#worker?.assertRunning();
      if (Date.now() > until) {
        throw new Error(`${what} never came. ${lastWords(this.#worker?.log() ?? "")}`);
      }
      await sleep(50);
    }
  }

  /** What the Worker has written since it was last started. */
  log(): string {
    return this.#worker?.log() ?? "";
  }

  async stop(): Promise<void> {
    await Promise.all([this.#worker?.kill(), this.#standIn.kill()]);
  }
}
