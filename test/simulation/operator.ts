/**
 * Whoever uses the API: prepares the campaigns, disturbs them at random moments while there are
 * faults, and afterwards does what an operator would do, which is to resume what is paused.
 */
import type { AccountRpc } from "../../src/account/rpc.ts";
import type { CampaignRpc, DeliveryStatus, Draft } from "../../src/campaign/rpc.ts";
import type { Address, CampaignId, RecipientId } from "../../src/domain/ids.ts";
import type { FaultKind } from "./faults.ts";
import { enrolmentOf } from "./people.ts";
import { ExternalQueue } from "./external.ts";
import { Process } from "./process.ts";
import type { Twin } from "./twin.ts";
import type { World } from "./world.ts";

const CONTENT = {
  from: "Shop <shop@example.org>",
  replyTo: null,
  subject: "Spring",
  html: null,
  text: "Hello {{ name }}",
  headers: {},
  tags: {},
  unsubscribe: false,
};

/** What disturbs, one loop each. */
type Disturbance = (operator: Operator, twin: Twin) => Promise<unknown>;

const DISTURBANCES: Readonly<Partial<Record<FaultKind, Disturbance>>> = {
  pauses: (operator, twin) => operator.pauseForAWhile(twin),
  cancels: (operator, twin) => operator.insist(() => operator.campaign(twin).cancel()),
  suppresses: (operator, twin) => operator.suppress(twin),
  replaysFailed: (operator, twin) => operator.replayFailed(twin),
  replaysDeadLetters: (operator, twin) =>
    operator.campaign(twin).replay({ recipients: "deadLettered" }),
  replaysDoubts: (operator, twin) =>
    operator.campaign(twin).replay({ recipients: "inDoubt", acceptDuplicateRisk: true }),
  resolves: (operator, twin) => operator.resolve(twin),
  startsTwice: (operator, twin) =>
    operator.campaign(twin).start({ at: null, publicUrl: "https://example.org" }),
};

export class Operator {
  readonly #world: World;
  readonly #process: Process;

  constructor(world: World) {
    this.#world = world;
    this.#process = new Process("operator", world, false);
  }

  campaign(twin: Twin): CampaignRpc {
    return this.#process.stub<CampaignRpc>(this.#world.network, twin.object);
  }

  account(): AccountRpc {
    return this.#process.stub<AccountRpc>(this.#world.network, this.#world.account);
  }

  /** Asks until there is an answer, as the API's clients are told to. */
  async insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await this.#process.sleep(this.#world.whole(200, 3000));
      }
    }
  }

  begin(): void {
    for (const twin of this.#world.twins) {
      this.#never(this.#prepare(twin));
      for (const [kind, disturb] of Object.entries(DISTURBANCES)) {
        const likely = this.#world.plan.faults.get(kind as FaultKind);
        if (likely === undefined) continue;
        this.#never(this.#disturb(kind as FaultKind, likely, twin, disturb));
      }
    }
  }

  #never(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#world.violate("operator", String(error)));
  }

  async #prepare(twin: Twin): Promise<void> {
    const { plan } = twin;
    const draft: Draft = {
      name: plan.id,
      delivery: plan.external ? "external" : "managed",
      content: plan.external ? null : CONTENT,
      settings: plan.settings,
    };
    const id = plan.id as CampaignId;
    await this.insist(() => this.account().register(id, plan.id, plan.settings.requestsPerSecond));
    await this.insist(() => this.campaign(twin).create(draft));
    await this.#enrol(twin);
    const at = this.#startTime(twin);
    await this.insist(() => this.campaign(twin).start({ at, publicUrl: "https://example.org" }));
    if (plan.external) new ExternalQueue(this.#world, twin).begin();
  }

  async #enrol(twin: Twin): Promise<void> {
    const everybody = [...twin.people.values()];
    // An external consumer brings people along that the ledger doesn't know.
    const known = twin.plan.external ? this.#world.whole(0, everybody.length) : everybody.length;
    const people = everybody.slice(0, known);
    const page = this.#world.whole(1, 3) === 1 ? this.#world.whole(1, 20) : 1000;
    for (let from = 0; from < people.length; from += page) {
      const rows = people
        .slice(from, from + page)
        .map((person, index) => enrolmentOf(person, from + index + 1));
      await this.insist(() => this.campaign(twin).enrol(rows));
      if (this.#world.whole(1, 10) > 1) continue;
      // The same page again, and the same addresses under other ids: nobody is enrolled twice.
      const others = rows.map((row) => ({ ...row, id: `other-${row.id}` as RecipientId }));
      await this.insist(() => this.campaign(twin).enrol(this.#world.whole(0, 1) ? rows : others));
    }
  }

  #startTime(twin: Twin): number | null {
    const likely = this.#world.plan.faults.get("schedules");
    if (likely === undefined || this.#world.isHealed) return null;
    this.#world.coverage.add("fault:schedules");
    const seconds = this.#world.skewed(1, Math.max(2, this.#world.plan.faultSeconds / 2));
    return twin.object.now + seconds * 1000;
  }

  async #disturb(kind: FaultKind, likely: number, twin: Twin, disturb: Disturbance): Promise<void> {
    const world = this.#world;
    for (;;) {
      const { isLong, faultSeconds } = world.plan;
      const most = isLong ? 20_000_000 : Math.min(faultSeconds * 1000, 600_000);
      await this.#process.sleep(world.skewed(isLong ? 500 : 50, most / (0.5 + likely * 4)));
      if (world.isHealed) return;
      world.coverage.add(`fault:${kind}`);
      try {
        await disturb(this, twin);
      } catch {
        // A disturbance whose answer is lost may have happened or not; either is fine.
      }
      if (kind === "cancels") return;
    }
  }

  async pauseForAWhile(twin: Twin): Promise<void> {
    await this.insist(() => this.campaign(twin).pause("operator", "let me look"));
    await this.#process.sleep(this.#pauseMilliseconds(twin));
    await this.insist(() => this.campaign(twin).resume());
  }

  /** In a long seed half of the pauses end just before a batch loses its key. */
  #pauseMilliseconds(twin: Twin): number {
    const world = this.#world;
    if (!world.plan.isLong) return world.skewed(100, 120_000);
    const ends = twin
      .rows<{ until: number }>(
        "SELECT window_until AS until FROM batches WHERE due_at IS NOT NULL ORDER BY until",
      )
      .map((row) => row.until - twin.object.now);
    const end = ends.find((left) => left > 0);
    if (end === undefined || world.whole(0, 1) === 0) return world.skewed(1000, 86_400_000);
    return Math.max(100, end - world.skewed(100, 900_000));
  }

  async suppress(twin: Twin): Promise<void> {
    const person = this.#world.random.pick([...twin.people.values()]);
    const address = person.address as Address;
    await this.insist(() => this.account().suppress([address], "unsubscribe"));
  }

  async replayFailed(twin: Twin): Promise<void> {
    const ids = this.#world.random.some([...twin.people.keys()], 0.3) as RecipientId[];
    await this.campaign(twin).replay(
      this.#world.whole(0, 1) === 0
        ? { recipients: "failed" }
        : { ids: ids.slice(0, 50), acceptDuplicateRisk: false },
    );
  }

  /** Mostly by the truth; a person may be wrong, and the checkers excuse that. */
  async resolve(twin: Twin): Promise<void> {
    const doubts = [...twin.recipients.values()].filter((row) => row.status === "inDoubt");
    const some = this.#world.random.some(doubts, 0.5);
    const isWrong = this.#world.whole(1, 5) === 1;
    const went = some.filter((row) => twin.accepted.has(row.id) !== isWrong);
    const ids = (rows: typeof some) => rows.map((row) => row.id as RecipientId);
    await this.campaign(twin).resolve({ ids: ids(went), as: "sent" });
    const others = some.filter((row) => !went.includes(row));
    await this.campaign(twin).resolve({ ids: ids(others), as: "failed" });
  }

  /** After the faults: whatever stands still is set going again, until everything is over. */
  tend(): void {
    for (const twin of this.#world.twins) this.#never(this.#tend(twin));
  }

  async #tend(twin: Twin): Promise<void> {
    for (;;) {
      const status: DeliveryStatus | null = await this.insist(() =>
        this.campaign(twin).deliveryStatus(),
      );
      if (status?.state === "finished" || status?.state === "cancelled") {
        if (status.stats.reserved === 0) return;
      }
      if (status?.state === "paused") await this.insist(() => this.campaign(twin).resume());
      await this.#process.sleep(15_000);
    }
  }
}
