/**
 * The ledger once more, as small as it can be said: plain maps, no SQL, no counters, no cursor, no
 * index. What it can't know is what it can't get wrong in the same way.
 */
import { backoffMilliseconds } from "../../src/domain/backoff.ts";
import type { BatchState } from "../../src/domain/batch.ts";
import type { CampaignState } from "../../src/domain/campaign.ts";
import { UNKNOWN_BATCHES_AT_MOST } from "../../src/domain/limits.ts";
import { freshDispatchesWanted } from "../../src/domain/outbox.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type { RecipientStatus } from "../../src/domain/recipient.ts";
import type { ReserveRefusalReason } from "../../src/domain/reservation.ts";
import type { Settings } from "../../src/domain/settings.ts";

export type Person = {
  readonly seq: number;
  readonly id: string;
  status: RecipientStatus;
  suppressed: boolean;
  providerId: string | null;
  batch: number | null;
  /** How many may share its next batch, where it was put back. */
  bound: number | null;
};

export type Batch = {
  readonly number: number;
  readonly members: readonly number[];
  readonly windowUntil: number;
  state: BatchState;
  token: number;
  unknown: number;
  claim: string | null;
  leaseUntil: number;
  repeatAt: number;
  readonly ends: Map<number, string | null>;
};

export type Answer =
  | { readonly granted: true; readonly token: number; readonly members: readonly number[] }
  | { readonly granted: false; readonly reason: ReserveRefusalReason };

const no = (reason: ReserveRefusalReason): Answer => ({ granted: false, reason });

export class ReferenceLedger {
  readonly settings: Settings;
  readonly people: Person[] = [];
  readonly batches = new Map<number, Batch>();
  /** Number, and whether it repeats a batch. */
  readonly dispatches = new Map<number, boolean>();
  readonly #suppressed = new Set<string>();
  state: CampaignState = "draft";
  nextNumber = 1;
  now: number;

  constructor(settings: Settings, now: number) {
    this.settings = settings;
    this.now = now;
  }

  of(status: RecipientStatus): Person[] {
    return this.people.filter((person) => person.status === status);
  }

  #open(batch: Batch): Person[] {
    return this.people.filter(
      ({ batch: number, status }) =>
        number === batch.number && (status === "reserved" || status === "inDoubt"),
    );
  }

  /** Ends batches without open members, and the campaign without open people. */
  close(): void {
    for (const batch of this.batches.values()) {
      const isOver = batch.state === "settled" || batch.state === "dissolved";
      if (!isOver && this.#open(batch).length === 0) batch.state = "settled";
    }
    const runs = this.state === "sending" || this.state === "paused";
    if (!runs || this.of("pending").length > 0 || this.of("reserved").length > 0) return;
    this.state = "finished";
    this.dispatches.clear();
  }

  enrol(ids: readonly string[]): boolean {
    if (this.state !== "draft") return false;
    for (const id of ids) {
      if (this.people.some((person) => person.id === id)) continue;
      const suppressed = this.#suppressed.has(id);
      const status = suppressed ? "suppressed" : "pending";
      const seq = this.people.length + 1;
      const rest = { providerId: null, batch: null, bound: null };
      this.people.push({ seq, id, status, suppressed, ...rest });
    }
    return true;
  }

  start(): boolean {
    if (this.state !== "draft") return false;
    this.state = "sending";
    return true;
  }

  pause(): boolean {
    if (this.state !== "sending" && this.state !== "paused") return false;
    this.state = "paused";
    return true;
  }

  resume(): boolean {
    if (this.state !== "sending" && this.state !== "paused") return false;
    this.state = "sending";
    return true;
  }

  cancel(): boolean {
    if (this.state === "finished") return false;
    if (this.state === "cancelled") return true;
    this.state = "cancelled";
    this.dispatches.clear();
    for (const person of this.of("pending")) {
      person.status = "cancelled";
      person.bound = null;
    }
    for (const batch of this.batches.values()) {
      if (batch.state === "waiting") this.#giveUp(batch, this.settings.batchSize);
    }
    return true;
  }

  suppress(id: string): void {
    this.#suppressed.add(id);
    const person = this.people.find((one) => one.id === id);
    if (person === undefined || person.suppressed) return;
    person.suppressed = true;
    person.bound = null;
    if (person.status === "pending") person.status = "suppressed";
  }

  /** Back to the waiting, or where a suppression or the cancelled campaign sends them. */
  #putBack(people: readonly Person[], bound: number): void {
    for (const person of people) {
      if (this.state === "cancelled") person.status = "cancelled";
      else person.status = person.suppressed ? "suppressed" : "pending";
      person.bound = person.status === "pending" ? bound : null;
    }
  }

  #dissolve(batch: Batch, bound: number): void {
    this.#putBack(this.#open(batch), bound);
    batch.state = "dissolved";
  }

  #doubt(batch: Batch): void {
    for (const person of this.#open(batch)) person.status = "inDoubt";
    batch.state = "inDoubt";
  }

  /** Its turn is over: clean ones go back, others are in doubt. */
  #giveUp(batch: Batch, bound: number): void {
    if (batch.unknown === 0) this.#dissolve(batch, bound);
    else this.#doubt(batch);
  }

  #unknown(batch: Batch, delay: number | null): void {
    batch.unknown += 1;
    const isLast = batch.unknown >= this.settings.maxAttempts || batch.windowUntil <= this.now;
    if (delay === null || isLast || this.state === "cancelled") return this.#doubt(batch);
    batch.state = "waiting";
    batch.repeatAt = this.now + delay;
  }

  #expire(batch: Batch): void {
    if (batch.state !== "leased" || batch.leaseUntil > this.now) return;
    if (batch.ends.get(batch.token) === null) batch.ends.set(batch.token, "expired");
    this.#unknown(batch, 0);
  }

  tick(): void {
    for (const batch of this.batches.values()) {
      this.#expire(batch);
      if (batch.state !== "waiting") continue;
      const isDue = batch.repeatAt <= this.now;
      if (batch.windowUntil <= this.now && (isDue || batch.unknown > 0)) {
        this.#giveUp(batch, this.settings.batchSize);
      } else if (isDue && this.state === "sending") this.dispatches.set(batch.number, true);
    }
    this.#refill();
  }

  #troubled(): number {
    return [...this.batches.values()].filter(
      (batch) => batch.state === "waiting" && batch.unknown > 0,
    ).length;
  }

  #refill(): void {
    if (this.state !== "sending") return;
    const open = [...this.batches.values()].filter(
      ({ state }) => state === "leased" || state === "waiting",
    );
    const wanted = freshDispatchesWanted({
      pending: this.of("pending").length,
      batchSize: this.settings.batchSize,
      fresh: [...this.dispatches.values()].filter((repeats) => !repeats).length,
      openBatches: open.length,
      troubled: this.#troubled(),
    });
    for (let left = wanted; left > 0; left -= 1) this.dispatches.set(this.nextNumber++, false);
  }

  reserve(dispatch: number, claim: string): Answer {
    const wasOut = this.dispatches.delete(dispatch);
    if (this.state === "draft") return no("notStarted");
    if (this.state !== "sending") return no(this.state as "paused");
    const batch = this.batches.get(dispatch);
    if (batch !== undefined) return this.#reserveAgain(batch, claim);
    if (!wasOut || this.#troubled() >= UNKNOWN_BATCHES_AT_MOST) return no("nothingDue");
    const members = this.#pick();
    if (members.length === 0) return no("nothingDue");
    for (const person of members) {
      Object.assign(person, { status: "reserved", batch: dispatch, bound: null });
    }
    const seqs = members.map(({ seq }) => seq);
    this.batches.set(dispatch, {
      number: dispatch,
      members: seqs,
      windowUntil: this.now + this.settings.idempotencyWindowSeconds * 1000,
      state: "leased",
      token: 1,
      unknown: 0,
      claim,
      leaseUntil: this.now + this.settings.leaseSeconds * 1000,
      repeatAt: 0,
      ends: new Map([[1, null]]),
    });
    return { granted: true, token: 1, members: seqs };
  }

  /** Those put back go first, smallest bound first, and only with their like. */
  #pick(): Person[] {
    const pending = this.of("pending");
    const bounds = pending.flatMap(({ bound }) => (bound === null ? [] : [bound]));
    const { batchSize } = this.settings;
    if (bounds.length === 0) return pending.slice(0, batchSize);
    const bound = Math.min(...bounds);
    const alike = pending.filter((person) => person.bound === bound);
    return alike.slice(0, Math.min(bound, batchSize));
  }

  #reserveAgain(batch: Batch, claim: string): Answer {
    this.#expire(batch);
    const { members } = batch;
    if (batch.state === "leased") {
      return batch.claim === claim
        ? { granted: true, token: batch.token, members }
        : no("inFlight");
    }
    if (batch.state !== "waiting") return no("settled");
    if (batch.repeatAt > this.now) return no("inFlight");
    const isStained = this.people.some((one) => members.includes(one.seq) && one.suppressed);
    if (batch.windowUntil <= this.now || (batch.unknown === 0 && isStained)) {
      this.#giveUp(batch, this.settings.batchSize);
      return no("settled");
    }
    batch.state = "leased";
    batch.token += 1;
    batch.claim = claim;
    batch.leaseUntil = this.now + this.settings.leaseSeconds * 1000;
    batch.ends.set(batch.token, null);
    return { granted: true, token: batch.token, members };
  }

  /** @returns false where the token is stale and nothing of the report could be taken */
  report(number: number, token: number, outcome: AttemptOutcome): boolean {
    const batch = this.batches.get(number);
    if (batch === undefined) return false;
    const end = batch.ends.get(token);
    if (outcome.kind === "answered") return this.#answered(batch, token, outcome.results);
    if (end === outcome.kind) return true;
    if (token !== batch.token || batch.state !== "leased") return false;
    if (end === null) batch.ends.set(token, outcome.kind);
    this.#attemptEnded(batch, outcome);
    return true;
  }

  #answered(
    batch: Batch,
    token: number,
    results: Extract<AttemptOutcome, { kind: "answered" }>["results"],
  ): boolean {
    const isCurrent = token === batch.token;
    const sent = results.filter((result) => result.outcome === "sent");
    const isRepeat = batch.ends.get(token) === "answered";
    if (!isCurrent && !isRepeat && sent.length === 0) return false;
    const failable = batch.state === "inDoubt" ? "inDoubt" : "reserved";
    for (const { seq, providerId } of sent) this.accept(seq, providerId);
    for (const { seq, outcome } of isCurrent ? results : []) {
      const person = this.people[seq - 1];
      if (outcome !== "failed" || person?.batch !== batch.number) continue;
      if (person.status === failable) person.status = "failed";
    }
    const end = batch.ends.get(token);
    if (end === null || end === "expired") batch.ends.set(token, "answered");
    return true;
  }

  accept(seq: number, providerId: string | null): void {
    const person = this.people[seq - 1];
    if (person === undefined || person.status === "sent") return;
    Object.assign(person, { status: "sent", providerId, bound: null });
  }

  #attemptEnded(batch: Batch, outcome: Exclude<AttemptOutcome, { kind: "answered" }>): void {
    const after = outcome.kind === "rejected" ? null : outcome.retryAfterSeconds;
    const delay = backoffMilliseconds(batch.unknown + 1, after, 0);
    if (outcome.kind === "unknown") return this.#unknown(batch, outcome.repeat ? delay : null);
    if (outcome.kind === "deferred") return this.#deferred(batch, delay, outcome.pause !== null);
    if (batch.unknown > 0) return this.#unknown(batch, delay);
    if (batch.members.length > 1) {
      return this.#dissolve(batch, Math.ceil(batch.members.length / 2));
    }
    for (const person of this.#open(batch)) person.status = "failed";
    batch.state = "dissolved";
  }

  #deferred(batch: Batch, delay: number, pauses: boolean): void {
    if (this.state === "cancelled" || (pauses && batch.unknown === 0)) {
      this.#giveUp(batch, this.settings.batchSize);
    } else {
      batch.state = "waiting";
      batch.repeatAt = this.now + delay;
    }
    if (pauses && this.state === "sending") this.state = "paused";
  }

  replay(status: "failed" | "inDoubt"): boolean {
    if (!["sending", "paused", "finished"].includes(this.state)) return false;
    const before = this.of("pending").length + this.of("reserved").length;
    const people = this.of(status);
    for (const batch of this.batches.values()) {
      const members = people.filter((person) => person.batch === batch.number);
      const isWhole = members.length === batch.members.length && status === "inDoubt";
      if (isWhole && batch.state === "inDoubt" && batch.windowUntil > this.now) {
        for (const person of members) person.status = "reserved";
        Object.assign(batch, { state: "waiting", unknown: 1, repeatAt: this.now });
      } else {
        // A doubt stays one where nobody may mail it, since it may have been mailed.
        const able = members.filter((one) => status === "failed" || !one.suppressed);
        this.#putBack(able, this.settings.batchSize);
      }
    }
    const after = this.of("pending").length + this.of("reserved").length;
    if (after > before && this.state === "finished") this.state = "sending";
    return true;
  }

  resolve(as: "sent" | "failed"): void {
    for (const person of this.of("inDoubt")) {
      if (as === "sent") this.accept(person.seq, null);
      else person.status = "failed";
    }
  }
}
