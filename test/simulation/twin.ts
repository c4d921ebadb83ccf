/** What the checkers know of a campaign: a second bookkeeping, made of moves and of the ground truth. */
import { RECIPIENT_STATUSES, type RecipientStatus } from "../../src/domain/recipient.ts";
import type { BatchState } from "../../src/domain/batch.ts";
import type { CampaignState } from "../../src/domain/campaign.ts";
import type { ReportRequest } from "../../src/campaign/rpc.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import type { Move, RecipientMove } from "./journal.ts";
import type { SimulatedObject } from "./object.ts";
import type { CampaignPlan } from "./plan.ts";
import type { Person } from "./people.ts";

export type TwinRecipient = {
  readonly seq: number;
  readonly id: string;
  readonly address: string;
  status: RecipientStatus;
  batch: number | null;
};

/** A ledger on the same rows, opened when a life of the object began. */
export type Life = {
  readonly generation: number;
  readonly ledger: Ledger;
  hasSetAlarm: boolean;
};

export class Twin {
  readonly plan: CampaignPlan;
  readonly object: SimulatedObject<object>;
  readonly people: ReadonlyMap<string, Person>;
  state: CampaignState = "draft";
  readonly recipients = new Map<number, TwinRecipient>();
  readonly byId = new Map<string, TwinRecipient>();
  readonly counts = Object.fromEntries(RECIPIENT_STATUSES.map((status) => [status, 0])) as Record<
    RecipientStatus,
    number
  >;
  readonly batches = new Map<number, BatchState>();
  /** The ground truth: ids the provider gave to accepted mails, by recipient. */
  readonly accepted = new Map<string, string[]>();
  /** A person has settled these, or has accepted the risk of a second mail to them. */
  readonly excused = new Set<string>();
  /** Batches by the names that external consumers gave to their reservations. */
  readonly reservations = new Map<string, number>();
  #ledger: Ledger | null = null;
  #life: Life | null = null;
  #before: Life | null = null;

  constructor(plan: CampaignPlan, object: SimulatedObject<object>, people: readonly Person[]) {
    this.plan = plan;
    this.object = object;
    this.people = new Map(people.map((person) => [person.id, person]));
  }

  get id(): string {
    return this.plan.id;
  }

  /** The ledger on the same rows, for reading only. */
  get ledger(): Ledger {
    this.#ledger ??= new Ledger(this.object.storage.node);
    return this.#ledger;
  }

  /** What the object's present life can know, and what the last one knew that has set the alarm. */
  get lives(): readonly Life[] {
    const { generation } = this.object;
    if (this.#life?.generation !== generation) {
      if (this.#life?.hasSetAlarm === true) this.#before = this.#life;
      const ledger = new Ledger(this.object.storage.node);
      this.#life = { generation, ledger, hasSetAlarm: false };
    }
    return this.#before === null ? [this.#life] : [this.#life, this.#before];
  }

  get isOver(): boolean {
    return this.state === "finished" || this.state === "cancelled";
  }

  /** @returns the moves of recipients as they stand, whatever their rows said in between */
  apply(moves: readonly Move[]): readonly Move[] {
    return moves.flatMap((told) => {
      const move = told.kind === "recipient" ? this.#translated(told) : told;
      if (move === null) return [];
      if (move.kind === "campaign") this.state = move.to;
      else if (move.kind === "batch") this.batches.set(move.batch, move.to);
      else this.#applyRecipient(move);
      return [move];
    });
  }

  /**
   * A row that still says `pending` of somebody in an unwritten batch moves from `reserved`, and
   * doesn't move where it is only written down.
   */
  #translated(told: RecipientMove): RecipientMove | null {
    const known = this.recipients.get(told.seq);
    const isUnwritten = known?.status === "reserved" && told.from === "pending";
    if (!isUnwritten) return told;
    if (told.to === "reserved" && told.batch === known.batch) return null;
    return { ...told, from: "reserved" };
  }

  #applyRecipient(move: RecipientMove): void {
    if (move.from !== null) this.counts[move.from] -= 1;
    this.counts[move.to] += 1;
    const known = this.recipients.get(move.seq);
    if (known !== undefined) {
      known.status = move.to;
      known.batch = move.batch;
      return;
    }
    const { seq, id, address, to: status, batch } = move;
    const fresh = { seq, id, address, status, batch };
    this.recipients.set(move.seq, fresh);
    this.byId.set(id, fresh);
  }

  /** The batch a report is about; null where no grant of it was ever made. */
  batchOf({ batch }: ReportRequest): number | null {
    return "number" in batch ? batch.number : (this.reservations.get(batch.reservationId) ?? null);
  }

  rows<Row>(sql: string): Row[] {
    return this.object.storage.node.sql.exec(sql).toArray() as Row[];
  }
}
