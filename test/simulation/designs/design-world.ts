/** The simulated world with another sender in it: the same queue, provider, processes and faults. */
import type { QueueMessage } from "../../../src/queue/deps.ts";
import { providerOf } from "../consumer.ts";
import { SimulatedObject } from "../object.ts";
import type { Plan } from "../plan.ts";
import type { Process } from "../process.ts";
import { World } from "../world.ts";
import type { Sender } from "./senders.ts";
import { MailTable, type TableRpc } from "./table.ts";

/** A producer that gets no answer of the queue asks again after so long. */
const PATIENCE_MILLISECONDS = 10_000;
const REQUEST_SIZE = 100;
/** The messages that one sendBatch takes. */
const QUEUE_SIZE = 100;

type Body = { readonly campaignId: string; readonly ids: readonly string[] };

export class DesignWorld extends World {
  readonly #sender: Sender;
  readonly #table: SimulatedObject<object>;

  constructor(plan: Plan, sender: Sender) {
    super(plan, false);
    this.#sender = sender;
    this.#table = new SimulatedObject<object>(
      "table",
      this,
      () => 0,
      (life) => new MailTable(life.storage),
    );
  }

  /** Nobody checks here: what goes wrong is counted at the end. */
  override occur(): void {}

  /** Puts the whole campaign on the queue, asking again where the queue fails. */
  begin(): void {
    for (const twin of this.twins) {
      const ids = [...twin.people.keys()];
      const bodies: Body[] = [];
      for (let from = 0; from < ids.length; from += REQUEST_SIZE) {
        bodies.push({ campaignId: twin.id, ids: ids.slice(from, from + REQUEST_SIZE) });
      }
      for (let from = 0; from < bodies.length; from += QUEUE_SIZE) {
        this.#enqueue(bodies.slice(from, from + QUEUE_SIZE));
      }
    }
  }

  #enqueue(bodies: readonly Body[]): void {
    let isOpen = true;
    const again = (wait: number): void => {
      if (!isOpen) return;
      isOpen = false;
      this.scheduler.after(wait, () => this.#enqueue(bodies));
    };
    this.scheduler.after(PATIENCE_MILLISECONDS, () => again(0));
    this.queue.receive(bodies, (answer) => {
      if (!answer.ok) return again(1_000);
      isOpen = false;
    });
  }

  override async consume(
    process: Process,
    messages: readonly QueueMessage[],
    isDead: boolean,
  ): Promise<void> {
    // A dead letter lies there until somebody looks: none of these designs says what to do then.
    if (isDead) return;
    await Promise.all(messages.map((message) => this.#handle(process, message)));
  }

  async #handle(process: Process, message: QueueMessage): Promise<void> {
    const { campaignId, ids } = message.body as Body;
    try {
      await this.#sender(ids, {
        provider: providerOf(this, process, false),
        table: () => process.stub<TableRpc>(this.network, this.#table),
        newKey: () => `${campaignId}:${this.newName("request")}`,
      });
      message.ack();
    } catch {
      message.retry({ delaySeconds: Math.min(2 ** message.attempts, 600) });
    }
  }
}
