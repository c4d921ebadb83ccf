/** A ledger under test with a clock of its own, and the few moves that every test makes. */
import { expect, it } from "vitest";
import type { Draft } from "../../src/domain/draft.ts";
import type { Enrolment } from "../../src/domain/enrolment.ts";
import type {
  Address,
  BatchNumber,
  CampaignId,
  DispatchNumber,
  Instant,
  RecipientId,
  Token,
} from "../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type {
  ReportRefusal,
  ReserveAnswer,
  ReserveRefusalReason,
} from "../../src/domain/reservation.ts";
import type { RecipientStatus } from "../../src/domain/recipient.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../src/domain/settings.ts";
import type { DeliveryStatus, Stats } from "../../src/domain/status.ts";
import type { SuppressionEntry, SuppressionReason } from "../../src/domain/suppression.ts";
import type { Result } from "../../src/domain/result.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Storage } from "../../src/ledger/sql.ts";
import { asTheyStand, checkedLedger, DRAWN } from "./checked-ledger.ts";

type Answered = Extract<AttemptOutcome, { kind: "answered" }>;
export type Grant = Extract<ReserveAnswer, { granted: true }>;

/** Runs a body with the storage of a ledger that nobody has used yet. */
export type Within = (body: (storage: Storage) => void) => Promise<void>;
export type ContractTest = (name: string, body: (rig: Rig) => void) => void;

export function contractTest(within: Within): ContractTest {
  return (name, body) => {
    it(name, () => within((storage) => body(new Rig(storage))));
  };
}

export const START: Instant = 1_790_000_000_000;
export const CAMPAIGN = "spring" as CampaignId;

export function draftOf(delivery: Draft["delivery"], settings: Partial<Settings> = {}): Draft {
  const content = {
    from: "news@example.org",
    replyTo: null,
    subject: "Hello",
    html: "<p>Hello</p>",
    text: null,
    headers: {},
    tags: {},
    unsubscribe: true,
  };
  return {
    name: "Spring",
    delivery,
    content: delivery === "managed" ? content : null,
    settings: { ...DEFAULT_SETTINGS, ...settings },
  };
}

/** `r7` lives at `r7@example.org`, unless another address is given. */
export function person(id: string, address = `${id}@example.org`, line = 1): Enrolment {
  return {
    line,
    id: id as RecipientId,
    address: address as Address,
    email: address,
    data: { name: id },
  };
}

export function people(count: number, from = 1): Enrolment[] {
  return Array.from({ length: count }, (_, index) =>
    person(`r${from + index}`, undefined, index + 1),
  );
}

export function suppression(
  id: string,
  reason: SuppressionReason = "unsubscribe",
  at: Instant = START,
): SuppressionEntry {
  return { address: `${id}@example.org` as Address, reason, at };
}

export class Rig {
  readonly storage: Storage;
  readonly ledger: Ledger;
  now: Instant;

  constructor(storage: Storage, openedAt: Instant = START) {
    this.storage = storage;
    this.now = openedAt;
    this.ledger = checkedLedger(storage, openedAt);
  }

  /** The same rows with nothing in memory: what is left after the object was evicted. */
  reopened(): Rig {
    return new Rig(this.storage, this.now);
  }

  advance(seconds: number): void {
    this.now += seconds * 1000;
  }

  create(settings: Partial<Settings> = {}, delivery: Draft["delivery"] = "managed"): void {
    const answer = this.ledger.create(CAMPAIGN, draftOf(delivery, settings), this.now);
    expect(answer).toEqual({ ok: true, value: { created: true } });
  }

  enrol(page: readonly Enrolment[], known: readonly SuppressionEntry[] = []): void {
    expect(this.ledger.enrol(page, known, this.now).ok).toBe(true);
  }

  start(at: Instant | null = null): DeliveryStatus {
    return taken(this.ledger.start(at, "https://mail.example.org", DRAWN, this.now));
  }

  /** A campaign that sends to r1 … rN, with its first dispatches on the queue. */
  sending(count: number, settings: Partial<Settings> = {}): void {
    this.create(settings);
    this.enrol(people(count));
    this.start();
    this.alarm();
  }

  /** An external campaign that has begun, with r1 … rN enrolled. */
  external(count: number, settings: Partial<Settings> = {}): void {
    this.create(settings, "external");
    if (count > 0) this.enrol(people(count));
    this.start();
  }

  pause(): DeliveryStatus {
    return taken(this.ledger.pause("operator", "asked for", this.now));
  }

  resume(): DeliveryStatus {
    return taken(this.ledger.resume(DRAWN, this.now));
  }

  cancel(): DeliveryStatus {
    return taken(this.ledger.cancel(this.now));
  }

  /** What one alarm does, with a queue that takes everything. @returns what was put on the queue */
  alarm(): DispatchNumber[] {
    const sent: DispatchNumber[] = [];
    for (let more = true; more;) {
      more = this.ledger.tick(DRAWN, this.now);
      const due = this.ledger.dueDispatches(this.now);
      if (due.length > 0) this.ledger.dispatchesSent(due, this.now);
      sent.push(...due);
      more ||= due.length > 0;
    }
    return sent;
  }

  reserve(dispatch: number, claim = "consumer-1"): ReserveAnswer {
    const request = { by: "dispatch", dispatch: dispatch as DispatchNumber, claim } as const;
    return taken(this.ledger.reserve(request, [], this.now));
  }

  grant(dispatch: number, claim?: string): Grant {
    return grantIn(this.reserve(dispatch, claim));
  }

  refusal(dispatch: number, claim?: string): ReserveRefusalReason {
    return refusalIn(this.reserve(dispatch, claim));
  }

  report(
    batch: number,
    token: number,
    outcome: AttemptOutcome,
    chance = 0,
  ): Result<DeliveryStatus, ReportRefusal> {
    const request = {
      batch: { number: batch as BatchNumber },
      token: token as Token,
      outcome,
    };
    return this.ledger.report(request, chance, this.now);
  }

  /** A report that has to be taken. */
  told(grant: Grant, outcome: AttemptOutcome, chance = 0): DeliveryStatus {
    return taken(this.report(grant.batch, grant.token, outcome, chance));
  }

  status(): DeliveryStatus {
    const status = this.ledger.status(this.now);
    expect(status).not.toBeNull();
    return status as DeliveryStatus;
  }

  /** Those of the statistics that are not zero, without the total. */
  stats(): Partial<Stats> {
    return Object.fromEntries(
      Object.entries(this.status().stats).filter(([name, count]) => name !== "total" && count > 0),
    );
  }

  statusOf(id: string): RecipientStatus | undefined {
    return this.ledger.recipient(id as RecipientId, this.now)?.status;
  }

  story(id: string): NonNullable<ReturnType<Ledger["recipient"]>> {
    const story = this.ledger.recipient(id as RecipientId, this.now);
    expect(story).not.toBeNull();
    return story as NonNullable<typeof story>;
  }

  suppress(id: string, reason: SuppressionReason = "unsubscribe"): void {
    this.ledger.suppress([suppression(id, reason, this.now)], this.now);
  }

  eventTypes(): string[] {
    return (this.ledger.events(Number.MAX_SAFE_INTEGER, 1000, this.now) ?? [])
      .map((event) => event.type)
      .toReversed();
  }

  /** Everything with each recipient's row where it stands, to show that a step has changed nothing. */
  standing(): unknown {
    return asTheyStand(this.ledger, this.storage, this.now, () => this.rows());
  }

  /** Everything on disk. */
  rows(): unknown {
    const tables = this.storage.sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .toArray()
      .map((row) => String(row["name"]))
      .filter((name) => !name.startsWith("_cf_"));
    return tables.map((name) => [
      name,
      this.storage.sql.exec(`SELECT * FROM ${name} ORDER BY 1, 2`).toArray(),
    ]);
  }
}

export function taken<T>(answer: Result<T, unknown>): T {
  if (!answer.ok) throw new Error(`refused: ${JSON.stringify(answer.refusal)}`);
  return answer.value;
}

export function refusalOf(answer: Result<unknown, unknown>): unknown {
  if (answer.ok) throw new Error(`not refused: ${JSON.stringify(answer.value)}`);
  return answer.refusal;
}

export function grantIn(answer: ReserveAnswer): Grant {
  if (!answer.granted) throw new Error(`not granted: ${answer.reason}`);
  return answer;
}

export function refusalIn(answer: ReserveAnswer): ReserveRefusalReason {
  if (answer.granted) throw new Error(`granted: ${JSON.stringify(answer)}`);
  return answer.reason;
}

export function idsOf(grant: Grant): string[] {
  return grant.members.map((member) => member.id);
}

/** The provider took all of them, or only those named. */
export function sentTo(grant: Grant, ids: readonly string[] = idsOf(grant)): Answered {
  const results = grant.members
    .filter((member) => ids.includes(member.id))
    .map(({ seq }) => ({ seq, outcome: "sent", providerId: `mail-${seq}` }) as const);
  return { kind: "answered", results };
}

export function failedFor(grant: Grant, ids: readonly string[] = idsOf(grant)): Answered {
  const results = grant.members
    .filter((member) => ids.includes(member.id))
    .map(({ seq }) => ({ seq, outcome: "failed", reason: "mailbox unknown" }) as const);
  return { kind: "answered", results };
}

export const UNKNOWN: AttemptOutcome = {
  kind: "unknown",
  reason: "no answer",
  retryAfterSeconds: null,
  repeat: true,
};

export const REJECTED: AttemptOutcome = { kind: "rejected", reason: "bad content", faults: [] };

export function deferredFor(retryAfterSeconds: number | null): AttemptOutcome {
  return { kind: "deferred", reason: "too many requests", retryAfterSeconds, pause: null };
}
