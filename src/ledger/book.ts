/**
 * One transaction's view of a campaign: its row and its counters, read once and written once.
 *
 * Whoever moves recipients says so with `move`, so the counters and the rows change in the same
 * transaction or not at all; the CHECK on `counters` refuses a sum that doesn't add up (SPEC G5).
 * Closing the book is also where a campaign finishes: there is no other place that could forget it.
 */
import { duplicatesLevel, type AlertDetail } from "../domain/alert.ts";
import { campaignAfter, type PauseReason } from "../domain/campaign.ts";
import { FEEDBACK_COUNTER, type Fate } from "../domain/feedback.ts";
import type { EventType } from "../domain/history.ts";
import { FAILURE_RATE_SAMPLE, MAX_EVENTS, MAX_REASON_CHARACTERS } from "../domain/limits.ts";
import { measured, readMeasures } from "../domain/measures.ts";
import type { AttemptOutcome } from "../domain/outcome.ts";
import { recordAccepted } from "../domain/rate.ts";
import type { Instant } from "../domain/ids.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import { assert } from "../domain/result.ts";
import type { Settings } from "../domain/settings.ts";
import { addAlert } from "./alerts.ts";
import type { CampaignRow, CountersRow } from "./rows.ts";
import { maybeOne, one, run, statement, transaction, type Storage } from "./sql.ts";

const campaignRow = statement<CampaignRow>(
  "book.campaign",
  `SELECT id, name, delivery, settings, state, pause_reason, pause_detail, paused_at, created_at,
    scheduled_at, started_at, finished_at, enrolment_closed FROM campaign WHERE one = 1`,
);
const countersRow = statement<CountersRow>(
  "book.counters",
  `SELECT total, pending, reserved, sent, failed, suppressed, in_doubt, cancelled, delivered,
    delayed, bounced, complained, duplicates_prevented, dead_letters, version, next_seq,
    next_number, heard_at, grants, witnessed, decisions, decisions_witnessed, restored, list_number,
    breaker_sent, breaker_failed, recent, measures FROM counters WHERE one = 1`,
);
const writeCampaign = statement<never, Omit<CampaignRow, "id" | "delivery" | "created_at">>(
  "book.writeCampaign",
  `UPDATE campaign SET name = :name, settings = :settings, state = :state,
    pause_reason = :pause_reason, pause_detail = :pause_detail, paused_at = :paused_at,
    scheduled_at = :scheduled_at, started_at = :started_at, finished_at = :finished_at,
    enrolment_closed = :enrolment_closed WHERE one = 1`,
);
const writeCounters = statement<never, CountersRow>(
  "book.writeCounters",
  `UPDATE counters SET total = :total, pending = :pending, reserved = :reserved, sent = :sent,
    failed = :failed, suppressed = :suppressed, in_doubt = :in_doubt, cancelled = :cancelled,
    delivered = :delivered, delayed = :delayed, bounced = :bounced, complained = :complained,
    duplicates_prevented = :duplicates_prevented, dead_letters = :dead_letters,
    version = :version, next_seq = :next_seq, next_number = :next_number, heard_at = :heard_at,
    grants = :grants, witnessed = :witnessed, decisions = :decisions,
    decisions_witnessed = :decisions_witnessed, restored = :restored, list_number = :list_number,
    breaker_sent = :breaker_sent, breaker_failed = :breaker_failed, recent = :recent,
    measures = :measures WHERE one = 1`,
);
const addEvent = statement<{ number: number }, { at: number; type: string; detail: string }>(
  "book.addEvent",
  "INSERT INTO events (at, type, detail) VALUES (:at, :type, :detail) RETURNING number",
);
const dropEvents = statement<never, { upTo: number }>(
  "book.dropEvents",
  "DELETE FROM events WHERE number <= :upTo",
);
const deleteDispatches = statement("book.dropDispatches", "DELETE FROM dispatches");

const COUNTER_OF = {
  pending: "pending",
  reserved: "reserved",
  sent: "sent",
  failed: "failed",
  suppressed: "suppressed",
  inDoubt: "in_doubt",
  cancelled: "cancelled",
} as const satisfies Record<RecipientStatus, keyof CountersRow>;

export class Book {
  readonly storage: Storage;
  readonly now: Instant;
  readonly campaign: CampaignRow;
  readonly counters: CountersRow;
  readonly settings: Settings;
  readonly #before: {
    readonly campaign: string;
    readonly counters: string;
    readonly visible: string;
    readonly duplicates: number;
  };

  constructor(storage: Storage, now: Instant, campaign: CampaignRow) {
    this.storage = storage;
    this.now = now;
    this.campaign = campaign;
    this.counters = one(storage, countersRow, {});
    this.settings = JSON.parse(campaign.settings) as Settings;
    this.#before = {
      campaign: JSON.stringify(campaign),
      counters: JSON.stringify(this.counters),
      visible: visible(this.counters),
      duplicates: this.counters.duplicates_prevented,
    };
  }

  /** Tells the counters that `count` rows have changed their status. */
  move(from: RecipientStatus, to: RecipientStatus, count: number): void {
    this.counters[COUNTER_OF[from]] -= count;
    this.counters[COUNTER_OF[to]] += count;
  }

  /** Tells the counters that `count` rows are new. */
  add(status: RecipientStatus, count: number): void {
    this.counters[COUNTER_OF[status]] += count;
    this.counters.total += count;
  }

  /** Tells the counters that a mail's fate has become known or has climbed. */
  climb(from: Fate | null, to: Fate): void {
    const before = from === null ? null : FEEDBACK_COUNTER[from];
    const after = FEEDBACK_COUNTER[to];
    if (before !== null) this.counters[before] -= 1;
    if (after !== null) this.counters[after] += 1;
  }

  /** Counts mails the provider has accepted just now, for the rate. */
  accepted(count: number): void {
    this.counters.recent = recordAccepted(this.counters.recent, this.now, count);
  }

  /** Measures an attempt that has ended; `callMilliseconds` null: no call was made. */
  measure(outcome: AttemptOutcome["kind"] | "expired", callMilliseconds: number | null): void {
    const before = readMeasures(this.counters.measures);
    const after = measured(before, outcome, callMilliseconds, this.now);
    this.counters.measures = JSON.stringify(after);
  }

  event(type: EventType, detail: Readonly<Record<string, unknown>> = {}): void {
    const params = { at: this.now, type, detail: JSON.stringify(detail) };
    const { number } = one(this.storage, addEvent, params);
    if (number > MAX_EVENTS) run(this.storage, dropEvents, { upTo: number - MAX_EVENTS });
  }

  /** Tells the operator of a fact, once under this name. */
  alert(fact: string, detail: AlertDetail): void {
    addAlert(this.storage, this.now, fact, detail);
  }

  /**
   * Counts a decision that holds mails back, so that a backup of before is noticed (SPEC R-restore).
   * A ledger that is known to be one counts none: it must not catch up with what it has forgotten.
   */
  decided(): void {
    if (this.counters.restored === 0) this.counters.decisions += 1;
  }

  /** Stops the campaign, from this transaction on; false where it is not sending or scheduled. */
  pause(reason: PauseReason, detail: string): boolean {
    const isNew = this.stop(reason, detail);
    if (isNew) this.decided();
    return isNew;
  }

  /** The same, where it is no decision of this ledger's own. */
  stop(reason: PauseReason, detail: string): boolean {
    const next = campaignAfter(this.campaign.state, "pause");
    if (!next.ok || this.campaign.state === "paused") return false;
    this.campaign.state = "paused";
    this.campaign.pause_reason = reason;
    this.campaign.pause_detail = detail.slice(0, MAX_REASON_CHARACTERS);
    this.campaign.paused_at = this.now;
    const { reserved, pending } = this.counters;
    this.event("paused", { reason, detail, reserved });
    if (reason === "operator") return true;
    const shown = this.campaign.pause_detail;
    const alert = { type: "paused", reason, detail: shown, reserved, remaining: pending } as const;
    this.alert(`paused:${this.now}`, alert);
    return true;
  }

  clearPause(): void {
    this.campaign.pause_reason = null;
    this.campaign.pause_detail = null;
    this.campaign.paused_at = null;
  }

  /** Whether nothing is left that could happen by itself (SPEC G2). */
  #isDone(): boolean {
    const { state, delivery, enrolment_closed, started_at } = this.campaign;
    if ((state !== "sending" && state !== "paused") || started_at === null) return false;
    if (this.counters.pending > 0 || this.counters.reserved > 0) return false;
    return delivery === "managed" || enrolment_closed === 1;
  }

  #finish(): void {
    // One may begin with nobody to mail: the schema has to see that it was sending in between.
    run(this.storage, writeCampaign, this.campaign);
    this.campaign.state = "finished";
    this.campaign.finished_at = this.now;
    this.clearPause();
    dropDispatches(this.storage);
    const { total, sent, failed, suppressed, in_doubt, cancelled } = this.counters;
    const numbers = { total, sent, failed, suppressed, inDoubt: in_doubt, cancelled };
    this.event("finished", numbers);
    this.alert(`finished:${this.now}`, { type: "finished", ...numbers });
  }

  /** Pauses at too many failures among those settled since the last resume. */
  #breakAtFailures(): void {
    const failed = this.counters.failed - this.counters.breaker_failed;
    const settled = failed + this.counters.sent - this.counters.breaker_sent;
    if (this.campaign.state !== "sending" || failed <= 0 || settled < FAILURE_RATE_SAMPLE) return;
    if (failed / settled <= this.settings.pauseAtFailureRate) return;
    this.pause("failureRate", `${failed} of the last ${settled} settled recipients failed`);
  }

  #tellOfDuplicates(): void {
    const { duplicates_prevented: duplicatesPrevented } = this.counters;
    const level = duplicatesLevel(duplicatesPrevented);
    if (level === duplicatesLevel(this.#before.duplicates)) return;
    this.alert(`duplicatesPrevented:${level}`, {
      type: "duplicatesPrevented",
      duplicatesPrevented,
    });
  }

  /** Remembers that a consumer has asked, to the second: most asks then write nothing. */
  heard(): void {
    if (this.now - this.counters.heard_at >= 1000) this.counters.heard_at = this.now;
  }

  /** Writes what has changed; every change of the status has a version of its own. */
  close(): void {
    this.#breakAtFailures();
    this.#tellOfDuplicates();
    if (this.#isDone()) this.#finish();
    const campaign = JSON.stringify(this.campaign);
    const counters = JSON.stringify(this.counters);
    const ofCampaign = campaign !== this.#before.campaign;
    if (ofCampaign) run(this.storage, writeCampaign, this.campaign);
    if (ofCampaign || visible(this.counters) !== this.#before.visible) this.counters.version += 1;
    else if (counters === this.#before.counters) return;
    run(this.storage, writeCounters, this.counters);
  }
}

/** How parts of the ledger come to a book; null where there is no campaign. */
export type BookAccess = {
  read<T>(now: Instant, look: (book: Book) => T): T | null;
  write<T>(now: Instant, work: (book: Book) => T): T | null;
};

/** What of the counters a status shows. */
function visible(counters: CountersRow): string {
  return JSON.stringify({
    ...counters,
    next_seq: 0,
    next_number: 0,
    heard_at: 0,
    grants: 0,
    witnessed: 0,
    decisions: 0,
    decisions_witnessed: 0,
    restored: 0,
    list_number: 0,
    measures: "",
  });
}

/** At the end of a campaign: whatever is still ordered, there is nobody left to mail. */
export function dropDispatches(storage: Storage): void {
  run(storage, deleteDispatches, {});
}

/** Reads without the right to change anything; null where there is no campaign. */
export function readBook(storage: Storage, now: Instant): Book | null {
  const campaign = maybeOne(storage, campaignRow, {});
  return campaign === null ? null : new Book(storage, now, campaign);
}

/** Runs `work` on the campaign in one transaction; null where there is no campaign. */
export function withBook<T>(storage: Storage, now: Instant, work: (book: Book) => T): T | null {
  assert(Number.isInteger(now), "now is whole milliseconds");
  return transaction(storage, () => {
    const book = readBook(storage, now);
    if (book === null) return null;
    const answer = work(book);
    book.close();
    return answer;
  });
}
