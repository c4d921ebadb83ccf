/** What the documents' commands run against: Sendonce in `wrangler dev`, and the provider's stand-in. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SendonceClient } from "../../src/client/client.ts";
import type { DeliveryStatus } from "../../src/client/types.ts";
import type { Settings } from "../../src/domain/settings.ts";
import { bundleWorker } from "../support/bundled-worker.ts";
import { startStandIn, startWorker, temporaryFolder, type Running } from "../support/processes.ts";
import { StandInControl } from "../support/stand-in-client.ts";

/** Far beyond what anything takes on a slow machine: a limit for what would never come. */
const PATIENCE_MILLISECONDS = 60_000;
const FRONT = "test/docs/front/wrangler.toml";

type Reservation = { readonly token: number; readonly recipients: readonly { id: string }[] };

export class Stage {
  readonly url: string;
  readonly token: string;
  readonly api: SendonceClient;
  readonly provider: StandInControl;
  readonly #webhookSecret: string;
  readonly #running: readonly Running[];

  private constructor(worker: Running, standIn: Running, token: string, webhookSecret: string) {
    this.url = worker.url;
    this.token = token;
    this.api = new SendonceClient({ url: worker.url, token });
    this.provider = new StandInControl(standIn.url);
    this.#webhookSecret = webhookSecret;
    this.#running = [worker, standIn];
  }

  static async open(): Promise<Stage> {
    const standIn = await startStandIn();
    const token = randomBytes(32).toString("hex");
    const webhookSecret = `whsec_${randomBytes(24).toString("base64")}`;
    const vars = {
      RESEND_BASE_URL: standIn.url,
      RESEND_API_KEY: "re_docs",
      RESEND_WEBHOOK_SECRET: webhookSecret,
      RESEND_REQUESTS_PER_SECOND: "50",
      OPERATOR_TOKEN: token,
      SIGNING_KEY: randomBytes(32).toString("hex"),
    };
    try {
      const config = [FRONT, (await bundleWorker()).config];
      const persistTo = temporaryFolder("docs-stack");
      const worker = await startWorker({ config, vars, persistTo, readyPath: "/healthz" });
      return new Stage(worker, standIn, token, webhookSecret);
    } catch (error) {
      await standIn.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.stop()));
  }

  /** What a shell has to know of it. */
  get env(): Record<string, string> {
    const { url, token } = this;
    return { SENDONCE_URL: url, SENDONCE_TOKEN: token, OPERATOR_TOKEN: token, STACK_TOKEN: token };
  }

  /** Asks one of the front's own routes. */
  async front(path: "dead-letter" | "sql", body: string): Promise<void> {
    const response = await fetch(`${this.url}/front/${path}`, { method: "POST", body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  /** A started campaign of `people` recipients, u1 and so on, with addresses of its own. */
  async campaign(id: string, people: number, settings: Partial<Settings>): Promise<void> {
    const text = "Spring has come.";
    const mail = { from: "The Shop <news@shop.example>", subject: "Spring", text };
    await this.api.create({ id, name: id, ...mail, settings });
    await this.upload(id, people);
    await this.api.start(id);
  }

  async upload(id: string, people: number): Promise<void> {
    const rows = Array.from({ length: people }, (_, at) => `${addressOf(id, at + 1)},u${at + 1}\n`);
    await this.api.upload(id, { format: "text/csv", body: `email,id\n${rows.join("")}` });
  }

  /** What a consumer of another queue asks of a campaign. */
  async ask(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.url}/api/campaigns/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** A reservation named m_1. */
  async reserve(id: string, wanted: object): Promise<Reservation> {
    const body = { reservationId: "m_1", ...wanted };
    return (await this.ask(`${id}/reservations`, body)) as Reservation;
  }

  /** Every send is answered with this error. */
  async refuseAll(status: number, name: string, message: string): Promise<void> {
    await this.provider.configure({ answer: { status, name, message } });
  }

  until(id: string, isSo: (status: DeliveryStatus) => boolean): Promise<void> {
    return asked(() => this.api.deliveryStatus(id), isSo);
  }

  /** Until a recipient's first attempt has ended without an answer. */
  untilUnanswered(id: string, recipient: string): Promise<void> {
    const story = () => this.api.recipient(id, recipient);
    return asked(story, ({ attempts }) => attempts[0]?.outcome === "unknown");
  }

  /** An event as Resend would post it about the mail that it accepted for an address. */
  async tell(type: string, address: string): Promise<void> {
    const mails = await this.provider.log("accepted");
    const mail = mails.find(({ to }) => to === address);
    if (mail === undefined) throw new Error(`no mail to ${address} was accepted`);
    const url = `${this.url}/webhooks/resend`;
    const command = { url, secret: this.#webhookSecret, type, emailId: mail["id"] };
    const { statuses } = (await this.provider.post("webhook", command)) as { statuses: unknown[] };
    if (statuses[0] !== 200) throw new Error(`the webhook was answered ${String(statuses[0])}`);
  }
}

async function asked<Answer>(
  ask: () => Promise<Answer>,
  isSo: (answer: Answer) => boolean,
): Promise<void> {
  const until = Date.now() + PATIENCE_MILLISECONDS;
  let answer = await ask();
  while (!isSo(answer)) {
    if (Date.now() > until) throw new Error(`it never came: ${JSON.stringify(answer)}`);
    await sleep(30);
    answer = await ask();
  }
}

/** The domain is one of RFC 2606 that no real mail can ever reach. */
export const addressOf = (campaign: string, number: number): string =>
  `${campaign}.${number}@mail.example`;
