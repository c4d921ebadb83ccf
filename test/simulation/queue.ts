/**
 * The queue: at least once, in no order, and worse while it has faults. It keeps the rules of
 * Cloudflare Queues: acks count when the handler has ended, a message that fails too often becomes a
 * dead letter under the same id, and a dead letter is delivered by a queue of its own.
 */
import { QUEUE_MAX_RETRIES } from "../../src/domain/limits.ts";
import type { QueueMessage } from "../../src/queue/deps.ts";
import type { FaultKind } from "./faults.ts";
import type { Answer } from "./object.ts";
import { Process, type ProcessWorld } from "./process.ts";
import { InjectedError } from "./storage.ts";

const DEAD_LETTER_RETRIES = 20;
/** A consumer is ended after so long (Cloudflare Queues: 15 minutes of wall time). */
const CONSUMER_LIFE_MILLISECONDS = 900_000;

type Held = { readonly id: string; readonly body: unknown; readonly attempts: number };
type Verdict = { readonly acked: boolean; readonly delaySeconds: number };

export type QueueWorld = ProcessWorld & {
  fault(kind: FaultKind): boolean;
  whole(least: number, most: number): number;
  skewed(least: number, most: number): number;
  acknowledged(process: Process, messageId: string): void;
  consume(process: Process, messages: readonly QueueMessage[], isDead: boolean): Promise<void>;
};

export class SimulatedQueue {
  readonly #world: QueueWorld;
  readonly #batchSize: number;
  readonly #consumers: number;
  readonly #isDead: boolean;
  readonly #deadLetters: SimulatedQueue | null;
  /** The bodies the queue has ever taken, as text. */
  readonly taken = new Set<string>();
  readonly #bodies = new Map<string, unknown>();
  #ready: Held[] = [];
  #running = 0;
  #messages = 0;
  #processes = 0;

  constructor(
    world: QueueWorld,
    shape: { readonly batchSize: number; readonly consumers: number },
    deadLetters: SimulatedQueue | null,
  ) {
    this.#world = world;
    this.#batchSize = shape.batchSize;
    this.#consumers = shape.consumers;
    this.#deadLetters = deadLetters;
    this.#isDead = deadLetters === null;
  }

  bodyOf(messageId: string): unknown {
    return this.#bodies.get(messageId) ?? null;
  }

  /** One `sendBatch`. `settle` may never be called. */
  receive(bodies: readonly unknown[], settle: (answer: Answer) => void): void {
    const answer = (result: Answer): void =>
      this.#world.scheduler.after(this.#world.whole(3, 30), () => settle(result));
    const failed: Answer = { ok: false, error: new InjectedError("the queue fails") };
    if (this.#world.fault("queueThrows")) return answer(failed);
    if (this.#world.fault("queueHangs")) {
      if (this.#world.whole(0, 1) === 1) for (const body of bodies) this.#take(body);
      return;
    }
    if (this.#world.fault("queueTakesPart")) {
      for (const body of bodies) if (this.#world.whole(0, 1) === 1) this.#take(body);
      return answer(failed);
    }
    for (const body of bodies) this.#take(body);
    answer({ ok: true, value: undefined });
  }

  #take(body: unknown): void {
    this.taken.add(JSON.stringify(body));
    this.#messages += 1;
    const message = { id: `m${this.#messages}`, body, attempts: 1 };
    this.#bodies.set(message.id, body);
    if (this.#world.fault("queueLoses")) return;
    if (this.#deadLetters !== null && this.#world.fault("queueDeadLetters")) {
      return this.#deadLetters.adopt(message);
    }
    this.#later(message, this.#travel());
    if (this.#world.fault("queueDuplicates")) this.#later(message, this.#world.skewed(5, 60_000));
  }

  #travel(): number {
    return this.#world.fault("queueDelays")
      ? this.#world.skewed(500, 400_000)
      : this.#world.whole(3, 40);
  }

  /** A message that another queue has given up: same id, attempts from one again. */
  adopt(message: Held): void {
    this.#later({ ...message, attempts: 1 }, this.#travel());
  }

  #later(message: Held, milliseconds: number): void {
    this.#world.scheduler.after(milliseconds, () => {
      this.#ready.push(message);
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#ready.length > 0 && this.#running < this.#consumers) {
      this.#start(this.#ready.splice(0, this.#batchSize));
    }
  }

  #start(messages: readonly Held[]): void {
    this.#running += 1;
    this.#processes += 1;
    const name = `${this.#isDead ? "dead-letter consumer" : "consumer"} ${this.#processes}`;
    const process = new Process(name, this.#world, true);
    const verdicts = new Map<string, Verdict>();
    let isOver = false;
    const over = (settle: (message: Held) => void): void => {
      if (isOver) return;
      isOver = true;
      process.isAlive = false;
      this.#running -= 1;
      for (const message of messages) settle(message);
      this.#pump();
    };
    // A process that ends has acknowledged nothing, whatever it said.
    process.onEnd(() => over((message) => this.#again(message, this.#world.whole(1, 20))));
    this.#world.scheduler.after(CONSUMER_LIFE_MILLISECONDS, () => process.end("after its time"));
    const handed = messages.map((message) => this.#hand(process, message, verdicts));
    void this.#consume(process, handed, () =>
      over((message) => this.#settle(message, verdicts.get(message.id))),
    );
  }

  /** The handler runs; when it has ended its acks are recorded, or lost with the process. */
  async #consume(process: Process, handed: QueueMessage[], record: () => void): Promise<void> {
    await this.#world.consume(process, handed, this.#isDead);
    if (!process.isAlive) return;
    if (this.#world.fault("consumerLosesAcks")) process.end("before its acks are recorded");
    else record();
  }

  #hand(process: Process, message: Held, verdicts: Map<string, Verdict>): QueueMessage {
    const decide = (verdict: Verdict): void => {
      // The first word about a message counts.
      if (!process.isAlive || verdicts.has(message.id)) return;
      verdicts.set(message.id, verdict);
      if (verdict.acked) this.#world.acknowledged(process, message.id);
    };
    return {
      id: message.id,
      body: message.body,
      attempts: message.attempts,
      ack: () => decide({ acked: true, delaySeconds: 0 }),
      retry: (options) => decide({ acked: false, delaySeconds: options?.delaySeconds ?? 5 }),
    };
  }

  #settle(message: Held, verdict: Verdict | undefined): void {
    if (verdict === undefined || verdict.acked) return;
    this.#again(message, verdict.delaySeconds);
  }

  #again(message: Held, seconds: number): void {
    const most = this.#isDead ? DEAD_LETTER_RETRIES : QUEUE_MAX_RETRIES;
    const isSpent = message.attempts > most;
    if (isSpent || (!this.#isDead && this.#world.fault("queueDeadLetters"))) {
      this.#world.note(`${message.id} is given up by its queue`);
      this.#deadLetters?.adopt(message);
      return;
    }
    this.#later({ ...message, attempts: message.attempts + 1 }, seconds * 1000);
  }
}
