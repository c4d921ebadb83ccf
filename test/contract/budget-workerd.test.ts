/**
 * What the platform bills, as counts: rows written and bytes kept for each recipient, and rows read
 * that must not grow with the campaign. Only the real SqlStorage counts them. What else is billed is
 * counted by test/integration/budget.test.ts.
 */
import { describe, expect, it } from "vitest";
import type { Enrolment } from "../../src/domain/enrolment.ts";
import type { FeedbackEvent } from "../../src/domain/feedback.ts";
import type { Address, DispatchNumber, Seq, Token } from "../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type { SqlRow, SqlValue, Storage } from "../../src/ledger/sql.ts";
import { DISPATCH_WINDOW } from "../../src/domain/limits.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import recorded from "../bench/recorded-counts.json" with { type: "json" };
import { DRAWN } from "./checked-ledger.ts";
import {
  CAMPAIGN,
  draftOf,
  grantIn,
  people,
  person,
  sentTo,
  START,
  taken,
  type Grant,
} from "./rig.ts";
import { withinObject } from "./within-object.ts";

const within = withinObject("budget");
const PAGE = 1000;

type Counted = { readonly storage: Storage; readonly rows: { read: number; written: number } };

/** A storage that adds up what each statement has read and written. */
function counted(storage: DurableObjectStorage): Counted {
  const rows = { read: 0, written: 0 };
  const exec = (query: string, ...bindings: SqlValue[]) => {
    const cursor = storage.sql.exec(query, ...bindings);
    const result = cursor.toArray() as SqlRow[];
    rows.read += cursor.rowsRead;
    rows.written += cursor.rowsWritten;
    return { toArray: () => result };
  };
  const transactionSync = <T>(closure: () => T): T => storage.transactionSync(closure);
  return { storage: { sql: { exec }, transactionSync }, rows };
}

type Costs = { read: number; written: number };

function costOf({ rows }: Counted, work: () => void): Costs {
  const before = { ...rows };
  work();
  return { read: rows.read - before.read, written: rows.written - before.written };
}

function campaignOf(count: number, { storage }: Counted): Ledger {
  const ledger = new Ledger(storage);
  taken(ledger.create(CAMPAIGN, draftOf("managed"), START));
  for (let from = 1; from <= count; from += PAGE) {
    taken(ledger.enrol(people(Math.min(PAGE, count - from + 1), from), [], START));
  }
  return ledger;
}

function begin(ledger: Ledger): DispatchNumber[] {
  taken(ledger.start(null, "https://mail.example.org", DRAWN, START));
  return alarm(ledger);
}

function alarm(ledger: Ledger): DispatchNumber[] {
  ledger.tick(DRAWN, START);
  const due = ledger.dueDispatches(START);
  ledger.dispatchesSent(due, START);
  return due;
}

function reserve(ledger: Ledger, dispatch: DispatchNumber): Grant {
  const request = { by: "dispatch", dispatch, claim: "a" } as const;
  return grantIn(taken(ledger.reserve(request, [], START)));
}

function tell(ledger: Ledger, grant: Grant, outcome: AttemptOutcome = sentTo(grant)): void {
  const request = { batch: { number: grant.batch }, token: 1 as Token, outcome };
  taken(ledger.report(request, 0, START));
}

/** As an audience is: ids and addresses of usual length, in no order. */
function uploaded(at: number): Enrolment {
  const mixed = ((at + 1) * 7_919) % 1_000_003;
  const id = `u_${String(mixed).padStart(8, "0")}`;
  return { ...person(id, `${mixed}.somebody@example.org`, 1), data: { firstName: "Ada" } };
}

function pagesOf<Item>(items: readonly Item[]): Item[][] {
  const pages = Array.from({ length: Math.ceil(items.length / PAGE) }, (_, at) => at * PAGE);
  return pages.map((from) => items.slice(from, from + PAGE));
}

const uuidOf = (seq: number): string =>
  `${String(seq).padStart(8, "0")}-6a1f-4c55-9d3e-0f1e2d3c4b5a`;

function acceptedByUuid({ members }: Grant): AttemptOutcome {
  const results = members.map(({ seq }) => ({
    seq,
    outcome: "sent" as const,
    providerId: uuidOf(seq),
  }));
  return { kind: "answered", results };
}

function delivered(at: number): FeedbackEvent {
  const seq = (at + 1) as Seq;
  const fate = "delivered" as const;
  return { seq, providerId: uuidOf(seq), fate, at: null, acceptedAt: null, addresses: [] };
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

describe("budget", () => {
  it("from enrol to sent: rows written for each recipient", () =>
    within((real) => {
      const count = 2000;
      const storage = counted(real);
      const ledger = campaignOf(count, storage);
      expect(storage.rows.written / count, "enrol").toBeLessThanOrEqual(3.02);
      for (let queue = begin(ledger); queue.length > 0; queue = alarm(ledger)) {
        for (const dispatch of queue) tell(ledger, reserve(ledger, dispatch));
      }
      expect(ledger.status(START)).toMatchObject({ state: "finished", stats: { sent: count } });
      // Its row, its unique id, its unique address, its acceptance, and a share of its batch.
      const perRecipient = storage.rows.written / count;
      expect(perRecipient).toBeLessThanOrEqual(4.2);
    }));

  it("whoever looks meanwhile costs each row at most once more", () =>
    within((real) => {
      const count = 2000;
      const storage = counted(real);
      const ledger = campaignOf(count, storage);
      for (let queue = begin(ledger); queue.length > 0; queue = alarm(ledger)) {
        for (const dispatch of queue) {
          const grant = reserve(ledger, dispatch);
          for (let looks = 0; looks < 3; looks += 1) {
            ledger.recipients({ status: "reserved", limit: 10, cursor: null }, START);
          }
          tell(ledger, grant);
        }
      }
      expect(storage.rows.written / count).toBeLessThanOrEqual(5.2);
    }));

  it("bytes kept for each recipient beside its own data, at the end", () =>
    within((real) => {
      const list = Array.from({ length: 20_000 }, (_, at) => uploaded(at));
      const ledger = new Ledger(real);
      taken(ledger.create(CAMPAIGN, draftOf("managed"), START));
      for (const page of pagesOf(list)) taken(ledger.enrol(page, [], START));
      for (let queue = begin(ledger); queue.length > 0; queue = alarm(ledger)) {
        for (const dispatch of queue) {
          const grant = reserve(ledger, dispatch);
          tell(ledger, grant, acceptedByUuid(grant));
        }
      }
      for (const page of pagesOf(list.map((_, at) => at))) {
        ledger.recordFeedback(page.map(delivered), START);
      }
      expect(ledger.status(START)).toMatchObject({
        state: "finished",
        feedback: { delivered: list.length },
      });
      const own = list.reduce((sum, { id, address, data }) => {
        return sum + bytesOf(id) + bytesOf(address) + bytesOf(JSON.stringify(data));
      }, 0);
      const beside = (real.sql.databaseSize - own) / list.length;
      expect(beside).toBeLessThanOrEqual(250);
    }));

  it("what the guide reckons with: a suppression that is told, and a dispatch that goes back", () =>
    within((real) => {
      const storage = counted(real);
      const ledger = campaignOf(5000, storage);
      const [dispatch] = begin(ledger);
      if (dispatch === undefined) throw new Error("a dispatch is out");
      const address = "nobody.of.these@example.org" as Address;
      const entry = { address, reason: "hardBounce", at: START } as const;
      const told = costOf(storage, () => ledger.suppress([entry], START));
      expect(told.written).toBe(recorded.aSuppression.rowsWritten);
      expect(costOf(storage, () => ledger.suppress([entry], START)).written).toBe(0);
      const later = START + 25_000;
      const gone = costOf(storage, () => {
        ledger.decline(dispatch, START);
        ledger.postpone({ dispatches: [dispatch], at: later, room: DISPATCH_WINDOW }, START);
        ledger.dispatchesSent(ledger.dueDispatches(later), later);
      });
      expect(gone.written).toBe(recorded.aPostponement.rowsWritten);
    }));

  it("a status reads two rows, however large the campaign", () =>
    within((real) => {
      const storage = counted(real);
      const ledger = campaignOf(5000, storage);
      begin(ledger);
      const cost = costOf(storage, () => ledger.status(START));
      expect(cost).toEqual({ read: 2, written: 0 });
    }));

  it("each step costs the same at 10,000 and at 100,000 recipients", async () => {
    const small = await costsAt(10_000);
    expect(await costsAt(100_000)).toEqual(small);
    // For a batch of a hundred. Reading a row costs a thousandth of writing one.
    expect(small.reserve.read).toBeLessThanOrEqual(130);
    expect(small.reserve.written).toBeLessThanOrEqual(6);
    expect(small.report.read).toBeLessThanOrEqual(850);
    expect(small.report.written).toBeLessThanOrEqual(104);
    expect(small.again).toEqual({ read: expect.any(Number), written: 0 });
    expect(small.again.read).toBeLessThanOrEqual(320);
    expect(small.refused.read).toBeLessThanOrEqual(10);
    expect(small.alarm.read).toBeLessThanOrEqual(60);
  });
});

type Step = "reserve" | "again" | "refused" | "report" | "alarm" | "status";

/** What each step costs in the middle of a campaign of so many. */
async function costsAt(count: number): Promise<Record<Step, Costs>> {
  const costs: Partial<Record<Step, Costs>> = {};
  await within((real) => {
    const storage = counted(real);
    const ledger = campaignOf(count, storage);
    const [first, second] = begin(ledger);
    if (first === undefined || second === undefined) throw new Error("two dispatches are out");
    tell(ledger, reserve(ledger, first));
    let grant: Grant | null = null;
    costs.reserve = costOf(storage, () => {
      grant = reserve(ledger, second);
    });
    costs.again = costOf(storage, () => reserve(ledger, second));
    const other = { by: "dispatch", dispatch: first, claim: "b" } as const;
    costs.refused = costOf(storage, () => ledger.reserve(other, [], START));
    costs.report = costOf(storage, () => {
      if (grant !== null) tell(ledger, grant);
    });
    costs.alarm = costOf(storage, () => ledger.tick(DRAWN, START));
    costs.status = costOf(storage, () => ledger.status(START));
  });
  return costs as Record<Step, Costs>;
}
