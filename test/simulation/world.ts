/**
 * One simulated world: objects, queue, provider, operator and clock, under one seed. It runs the
 * shipping `Campaign`, `Account` and consumers, tells every checker everything that happens, and
 * stops at the first thing that must not be.
 */
import { Account } from "../../src/account/account.ts";
import type { AccountRpc } from "../../src/account/rpc.ts";
import { Campaign } from "../../src/campaign/campaign.ts";
import type { FrozenContent } from "../../src/campaign/rpc.ts";
import type { CampaignId } from "../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type { Email } from "../../src/provider/port.ts";
import type { QueueMessage } from "../../src/queue/deps.ts";
import { Pace } from "../../src/queue/pace.ts";
import { checkers } from "./checkers/all.ts";
import type { Checker } from "./checkers/checker.ts";
import { consume } from "./consumer.ts";
import { Coverage } from "./coverage.ts";
import type { FaultKind } from "./faults.ts";
import { Network } from "./network.ts";
import { type Life, SimulatedObject } from "./object.ts";
import { type Call, type Occurrence, reserveOf } from "./occurrence.ts";
import { drawPeople } from "./people.ts";
import { type CampaignPlan, MOST_SKEW_MILLISECONDS, type Plan } from "./plan.ts";
import type { Process } from "./process.ts";
import { ProviderModel } from "./provider.ts";
import { SimulatedQueue } from "./queue.ts";
import { Random } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { lineOf } from "./tell.ts";
import { Twin } from "./twin.ts";
import { Webhooks } from "./webhooks.ts";

/** How faults name themselves where only the text of an error is left. */
const INJECTED = [
  "the storage fails",
  "the object has ended",
  "the object was reset",
  "the network is gone",
  "overloaded",
];

export type Violation = { readonly checker: string; readonly detail: string };

export class World {
  readonly plan: Plan;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly queue: SimulatedQueue;
  readonly provider: ProviderModel;
  readonly account: SimulatedObject<object>;
  readonly twins: readonly Twin[];
  readonly coverage = new Coverage();
  /** All consumers share an isolate: a worse case than several, since its pace is kept by one. */
  readonly pace: Pace;
  readonly contents = new Map<string, FrozenContent>();
  readonly trace: string[] = [];
  violation: Violation | null = null;
  isHealed = false;
  readonly #webhooks = new Webhooks(this);
  readonly #isTraced: boolean;
  readonly #checkers: readonly Checker[];
  readonly #byName = new Map<string, Twin>();
  #touched = new Set<SimulatedObject<object>>();
  #names = 0;

  constructor(plan: Plan, isTraced: boolean) {
    this.plan = plan;
    this.#isTraced = isTraced;
    // Another stream than the plan's, so that both start from well-mixed numbers of the seed.
    this.random = new Random(plan.seed * 2 + 1_000_003);
    this.scheduler = new Scheduler(this.random);
    this.scheduler.afterEvent(() => this.#settle());
    // A timer belongs to the object in whose event it was set.
    this.scheduler.onTimer(() => {
      const owners = [...this.#touched];
      return () => owners.forEach((owner) => this.touch(owner));
    });
    this.network = new Network(this);
    const deadLetters = new SimulatedQueue(this, { batchSize: 10, consumers: 1 }, null);
    const { queueBatch: batchSize, consumers } = plan;
    this.queue = new SimulatedQueue(this, { batchSize, consumers }, deadLetters);
    this.provider = new ProviderModel(this);
    this.pace = new Pace(plan.requestsPerSecond);
    // The account keeps one clock: its slots are only as even as that runs.
    const accountOffset = this.#drawOffset();
    this.account = new SimulatedObject(
      "account",
      this,
      () => accountOffset,
      (life) => this.#makeAccount(life),
    );
    this.twins = plan.campaigns.map((campaign) => this.#makeTwin(campaign));
    this.#checkers = checkers();
  }

  #drawOffset(): number {
    if (!this.plan.faults.has("clockSkew")) return 0;
    this.coverage.add("fault:clockSkew");
    return this.random.whole(-MOST_SKEW_MILLISECONDS, MOST_SKEW_MILLISECONDS);
  }

  #makeAccount(life: Life): Account {
    return new Account({
      storage: life.storage,
      requestsPerSecond: this.plan.requestsPerSecond,
      campaign: (id) => this.network.stubFor("account", life, this.object(id)),
      clock: () => life.clock,
    });
  }

  #makeTwin(plan: CampaignPlan): Twin {
    const object = new SimulatedObject<object>(
      plan.id,
      this,
      () => this.#drawOffset(),
      (life) => this.#makeCampaign(plan, life),
    );
    const badShare = (this.plan.faults.get("providerBadAddress") ?? 0) * plan.badShare;
    const twin = new Twin(plan, object, drawPeople(this.random, plan, badShare));
    this.#byName.set(plan.id, twin);
    return twin;
  }

  #makeCampaign(plan: CampaignPlan, life: Life): Campaign {
    return new Campaign({
      id: plan.id as CampaignId,
      storage: life.storage,
      queue: {
        sendBatch: (messages: Iterable<{ body: unknown }>) =>
          new Promise((resolve, reject) => {
            const bodies = [...messages].map((message) => message.body);
            life.leave(() =>
              this.queue.receive(bodies, (answer) =>
                life.resume(() => {
                  if (answer.ok) resolve({} as QueueSendBatchResponse);
                  else reject(answer.error);
                }),
              ),
            );
          }),
      },
      account: () => this.network.stubFor<AccountRpc>(plan.id, life, this.account),
      clock: () => life.clock,
      draw: () => ({ contentId: this.newName("content"), linkSecret: "00" }),
      chance: () => this.random.next(),
      log: (event, fields) => {
        this.noteLog(plan.id, event, fields);
        this.#seeLog(plan.id, event, fields);
      },
    });
  }

  /** An alarm hides what it failed at in its log: only what a fault explains may stand there. */
  #seeLog(object: string, event: string, fields: Readonly<Record<string, unknown>>): void {
    if (event !== "alarmFailed") return;
    this.coverage.add("alarm:failed");
    const error = String(fields["error"]);
    if (INJECTED.some((text) => error.includes(text))) return;
    this.occur({ type: "threw", call: null, object, error });
  }

  object(id: string): SimulatedObject<object> {
    return this.twin(id).object;
  }

  bodyOf(messageId: string): { readonly campaignId: string; readonly dispatch: number } | null {
    return this.queue.bodyOf(messageId) as { campaignId: string; dispatch: number } | null;
  }

  twin(id: string): Twin {
    const twin = this.#byName.get(id);
    if (twin === undefined) throw new Error(`no campaign ${id}`);
    return twin;
  }

  /** Whether a fault that may happen here does. After the healing none does. */
  fault(kind: FaultKind): boolean {
    if (this.isHealed) return false;
    const likely = this.plan.faults.get(kind);
    if (likely === undefined || !this.random.chance(likely)) return false;
    this.coverage.add(`fault:${kind}`);
    if (this.#isTraced) this.note(`fault ${kind}`);
    return true;
  }

  whole(least: number, most: number): number {
    return this.random.whole(least, most);
  }

  skewed(least: number, most: number): number {
    return this.random.skewed(least, most);
  }

  newName(kind: string): string {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }

  note(text: string): void {
    if (!this.#isTraced) return;
    this.trace.push(`${(this.scheduler.elapsed / 1000).toFixed(3).padStart(10)} ${text}`);
  }

  /** Without the stack: how far the engine still knows it differs from run to run. */
  noteLog(who: string, event: string, fields: unknown): void {
    const { stack: _, ...rest } = fields as Readonly<Record<string, unknown>>;
    this.note(`${who} logs ${event} ${JSON.stringify(rest)}`);
  }

  heal(): void {
    this.isHealed = true;
    this.provider.heal();
    this.note("healed");
  }

  occur(occurrence: Occurrence): void {
    if (this.#isTraced) this.#tell(occurrence);
    this.coverage.see(occurrence);
    for (const checker of this.#checkers) {
      if (this.violation !== null) return;
      const detail = checker.see(occurrence, this);
      if (detail !== null) this.violate(checker.name, detail);
    }
  }

  violate(checker: string, detail: string): void {
    if (this.violation !== null) return;
    this.violation = { checker, detail };
    this.note(`VIOLATION ${checker}: ${detail}`);
  }

  /** What has to hold once nothing happens any more. */
  checkAtRest(): void {
    for (const checker of this.#checkers) {
      const detail = checker.rest?.(this) ?? null;
      if (detail !== null) this.violate(checker.name, detail);
    }
  }

  #tell(occurrence: Occurrence): void {
    const line = lineOf(occurrence);
    if (line !== null) this.note(line);
  }

  touch(object: SimulatedObject<object>): void {
    this.#touched.add(object);
  }

  #settle(): void {
    for (const object of this.#touched) object.settle();
    this.#touched.clear();
  }

  committed(object: SimulatedObject<object>, call: Call | null): void {
    const told = object.storage.journal.take();
    const twin = this.#byName.get(object.name);
    if (twin === undefined) return;
    const moves = twin.apply(told);
    this.occur({ type: "committed", twin, moves, call, now: object.now });
  }

  calls(caller: string, method: string): void {
    this.occur({ type: "calls", caller, method });
  }

  asked(call: Call): void {
    this.occur({ type: "asked", call, twin: this.#byName.get(call.object) ?? null });
  }

  done(object: SimulatedObject<object>, call: Call, answer: unknown): void {
    const twin = this.#byName.get(call.object) ?? null;
    const reserve = reserveOf(call, answer)?.answer;
    if (reserve?.granted === true) twin?.reservations.set(reserve.reservationId, reserve.batch);
    this.occur({ type: "done", call, twin, answer, now: object.now });
  }

  broke(call: Call, error: unknown): void {
    this.occur({ type: "broke", call, error });
  }

  heard(call: Call, answer: unknown): void {
    this.occur({ type: "heard", call, twin: this.#byName.get(call.object) ?? null, answer });
  }

  threw(object: SimulatedObject<object>, call: Call | null, error: unknown): void {
    this.occur({ type: "threw", call, object: object.name, error });
  }

  leaves(caller: string, key: string): void {
    this.occur({ type: "leaves", caller, key });
  }

  received(key: string, body: string): void {
    this.occur({ type: "received", key, body });
  }

  outcome(caller: string, outcome: AttemptOutcome): void {
    this.occur({ type: "outcome", caller, kind: outcome.kind });
  }

  acknowledged(process: Process, messageId: string): void {
    this.occur({ type: "acknowledged", caller: process.name, messageId });
  }

  consume(process: Process, messages: readonly QueueMessage[], isDead: boolean): Promise<void> {
    for (const { id } of messages) {
      this.occur({ type: "delivered", caller: process.name, messageId: id });
    }
    return consume(this, process, messages, isDead);
  }

  #personOf(key: string, email: Email): { twin: Twin; recipient: string } {
    const twin = this.twin(key.split(":", 1)[0] ?? "");
    const recipient = email.tags?.[0]?.value ?? "";
    return { twin, recipient };
  }

  isRefused(key: string, email: Email): boolean {
    const { twin, recipient } = this.#personOf(key, email);
    if (twin.people.get(recipient)?.isBad !== true) return false;
    this.coverage.add("fault:providerBadAddress");
    return true;
  }

  accepted(key: string, email: Email, providerId: string): void {
    const { twin, recipient } = this.#personOf(key, email);
    const ids = twin.accepted.get(recipient) ?? [];
    ids.push(providerId);
    twin.accepted.set(recipient, ids);
    const address = email.to.toLowerCase();
    this.occur({ type: "accepted", twin, recipient, address, key, providerId });
    this.#webhooks.follow(twin, recipient, providerId);
  }
}
