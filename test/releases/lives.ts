/**
 * Ledgers with a past: between them they have rows in every table, batches and recipients in every
 * state, and a campaign in every state. A release is frozen with them, so that every later one has
 * to open what this one has written.
 */
import type { Draft } from "../../src/domain/draft.ts";
import type { Enrolment } from "../../src/domain/enrolment.ts";
import type {
  Address,
  CampaignId,
  DispatchNumber,
  Instant,
  RecipientId,
  Seq,
} from "../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type { ReserveAnswer } from "../../src/domain/reservation.ts";
import type { Result } from "../../src/domain/result.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../src/domain/settings.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import type { Storage } from "../../src/ledger/sql.ts";

type Grant = Extract<ReserveAnswer, { granted: true }>;

export const DRAWN = { contentId: "content-of-the-past", linkSecret: "cd".repeat(32) };
const START: Instant = 1_795_000_000_000;
const CONTENT: Draft["content"] = {
  from: "Läden <news@shop.example>",
  replyTo: "answers@shop.example",
  subject: "Hallo {{ firstName | default: 'du' }}",
  html: "<p>Grüße, {{ firstName }} — {{ unsubscribeUrl }}</p>",
  text: null,
  headers: { "X-Season": "spring" },
  tags: { season: "spring" },
  unsubscribe: true,
};

const UNKNOWN: AttemptOutcome = {
  kind: "unknown",
  reason: "no answer",
  retryAfterSeconds: null,
  repeat: true,
};

/** A ledger and its clock. */
export class Life {
  readonly ledger: Ledger;
  now: Instant = START;

  constructor(storage: Storage) {
    this.ledger = new Ledger(storage, START);
  }

  create(delivery: Draft["delivery"], settings: Partial<Settings> = {}): void {
    const content = delivery === "managed" ? CONTENT : null;
    const draft = {
      name: "Früh",
      delivery,
      content,
      settings: { ...DEFAULT_SETTINGS, ...settings },
    };
    done(this.ledger.create("past" as CampaignId, draft, this.now));
  }

  enrol(from: number, to: number, suppressed: readonly number[] = []): void {
    const page = Array.from({ length: to - from + 1 }, (_, at) => person(from + at));
    const known = suppressed.map((each) => suppression(each, this.now));
    done(this.ledger.enrol(page, known, this.now));
  }

  start(at: Instant | null = null): void {
    done(this.ledger.start(at, "https://mail.shop.example", DRAWN, this.now));
  }

  /** What one alarm does, with a queue that takes everything. */
  alarm(): void {
    this.now += 100;
    this.ledger.tick(DRAWN, this.now);
    this.ledger.dispatchesSent(this.ledger.dueDispatches(this.now), this.now);
  }

  grant(dispatch: number, claim = `claim-${dispatch}`): Grant {
    this.now += 10;
    const request = { by: "dispatch", dispatch: dispatch as DispatchNumber, claim } as const;
    return grantIn(done(this.ledger.reserve(request, [], this.now)));
  }

  report({ batch: number, token }: Grant, outcome: AttemptOutcome): void {
    this.now += 10;
    done(this.ledger.report({ batch: { number }, token, outcome }, 0, this.now));
  }

  /** Reserves and reports in one go. */
  attempt(dispatch: number, outcome: (grant: Grant) => AttemptOutcome): void {
    const grant = this.grant(dispatch);
    this.report(grant, outcome(grant));
  }
}

function done<T>(answer: Result<T, unknown>): T {
  if (!answer.ok) throw new Error(`refused: ${JSON.stringify(answer.refusal)}`);
  return answer.value;
}

function grantIn(answer: ReserveAnswer): Grant {
  if (!answer.granted) throw new Error(`not granted: ${answer.reason}`);
  return answer;
}

const addressOf = (number: number) => `p${number}@mail.example` as Address;

function person(number: number): Enrolment {
  const id = `p${number}` as RecipientId;
  const email = `P${number}@Mail.example`;
  return {
    line: number,
    id,
    address: addressOf(number),
    email,
    data: { firstName: `Zoë ${number}` },
  };
}

const suppression = (number: number, at: Instant) =>
  ({ address: addressOf(number), reason: "unsubscribe", at }) as const;

/** The provider took all of them; `failed` of each hundred places is refused. */
const sent = ({ members }: Grant, failed: readonly number[] = []): AttemptOutcome => ({
  kind: "answered",
  results: members.map(({ seq }, at) =>
    failed.includes(at)
      ? { seq, outcome: "failed", reason: "mailbox unknown" }
      : { seq, outcome: "sent", providerId: `mail-${seq}` },
  ),
});

const unknown = (): AttemptOutcome => UNKNOWN;

const deferred = (): AttemptOutcome => ({
  kind: "deferred",
  reason: "too many requests",
  retryAfterSeconds: 40,
  pause: null,
});

/** In the middle of its work, with one of everything that can happen to a batch. */
function busy(storage: Storage): Life {
  const life = new Life(storage);
  life.create("managed", { batchSize: 3, pauseAtFailureRate: 1, leaseSeconds: 60 });
  life.enrol(1, 60, [4]);
  life.enrol(5, 5); // A duplicate.
  life.start();
  life.alarm();
  life.attempt(1, (grant) => sent(grant));
  life.attempt(2, (grant) => sent(grant, [1]));
  life.attempt(3, unknown);
  life.attempt(4, deferred);
  life.attempt(5, () => ({ kind: "rejected", reason: "bad content", faults: [] }));
  life.attempt(6, () => ({
    kind: "unknown",
    reason: "drifted",
    retryAfterSeconds: null,
    repeat: false,
  }));
  life.attempt(7, (grant) => sent(grant));
  const half = life.grant(8);
  life.attempt(9, unknown);
  life.grant(10);
  fates(life, [1, 2, 3]);
  proveAcceptance(life, half);
  // Of nobody yet, of somebody whose batch may have been accepted, and of somebody who waits.
  life.ledger.suppress(
    [99, 9, 50].map((each) => suppression(each, life.now)),
    life.now,
  );
  for (const dispatch of [3, null]) {
    const letter = { messageId: `m-${dispatch}`, error: "boom", stack: null, attempts: 6 };
    done(
      life.ledger.recordDeadLetter({ ...letter, dispatch: dispatch as DispatchNumber }, life.now),
    );
  }
  done(life.ledger.replay({ recipients: "failed" }, life.now));
  life.alarm();
  return life;
}

function fates(life: Life, seqs: readonly number[]): void {
  const events = (["delivered", "bounced", "complained"] as const).map((fate, at) => ({
    seq: seqs[at] as Seq,
    providerId: `mail-${seqs[at]}`,
    fate,
    at: life.now,
    acceptedAt: life.now,
    addresses: [],
  }));
  life.ledger.recordFeedback(events, life.now);
}

/** A webhook comes for one of a batch that nobody has reported yet. */
function proveAcceptance(life: Life, { members }: Grant): void {
  const seq = members[0]?.seq;
  if (seq === undefined) throw new Error("a batch has members");
  const event = { seq, providerId: `mail-${seq}`, fate: "delivered", at: life.now } as const;
  life.ledger.recordFeedback([{ ...event, acceptedAt: life.now, addresses: [] }], life.now);
}

function external(storage: Storage): Life {
  const life = new Life(storage);
  life.create("external", { batchSize: 10, idempotencyWindowSeconds: 0 });
  life.enrol(1, 12);
  life.start();
  const ask = (reservationId: string, claim: string | null) => {
    life.now += 10;
    const request = { by: "limit", reservationId, limit: 4, claim } as const;
    return grantIn(done(life.ledger.reserve(request, [], life.now)));
  };
  const first = ask("message-1", "claim-1");
  const results = first.members.slice(0, 2).map(({ id }) => ({
    id,
    outcome: "sent" as const,
    providerId: `mail-${id}`,
  }));
  const batch = { reservationId: "message-1" };
  done(
    life.ledger.report(
      { batch, token: first.token, outcome: { kind: "results", results } },
      0,
      life.now,
    ),
  );
  life.report(ask("message-2", null), UNKNOWN);
  ask("message-3", "claim-3");
  return life;
}

function small(storage: Storage, goOn: (life: Life) => void): Life {
  const life = new Life(storage);
  life.create("managed", { batchSize: 2 });
  life.enrol(1, 6, [6]);
  goOn(life);
  return life;
}

function sending(storage: Storage, goOn: (life: Life) => void): Life {
  return small(storage, (life) => {
    life.start();
    life.alarm();
    life.attempt(1, (grant) => sent(grant));
    goOn(life);
  });
}

/** By name: makes a ledger in an empty storage, and gives it with its clock. */
export const LIVES: Readonly<Record<string, (storage: Storage) => Life>> = {
  busy,
  external,
  draft: (storage) => small(storage, () => undefined),
  scheduled: (storage) => small(storage, (life) => life.start(life.now + 3_600_000)),
  paused: (storage) =>
    sending(storage, (life) => {
      life.attempt(2, unknown);
      done(life.ledger.pause("providerQuota", "the quota of the day", life.now));
    }),
  cancelled: (storage) =>
    sending(storage, (life) => {
      life.attempt(2, unknown);
      done(life.ledger.cancel(life.now));
    }),
  finished: (storage) =>
    sending(storage, (life) => {
      life.attempt(2, (grant) => sent(grant, [0]));
      life.attempt(3, (grant) => sent(grant));
    }),
};
