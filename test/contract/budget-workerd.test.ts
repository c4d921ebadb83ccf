/**
 * What the platform bills, as counts: rows written for each recipient, and rows read that must not
 * grow with the campaign. Only the real SqlStorage counts them.
 */
import { describe, expect, it } from "vitest";
import type { DispatchNumber, Token } from "../../src/domain/ids.ts";
import type { SqlRow, SqlValue, Storage } from "../../src/ledger/sql.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import { DRAWN } from "./checked-ledger.ts";
import { CAMPAIGN, draftOf, grantIn, people, sentTo, START, taken, type Grant } from "./rig.ts";
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

function tell(ledger: Ledger, grant: Grant): void {
  const request = {
    batch: { number: grant.batch },
    token: 1 as Token,
    outcome: sentTo(grant),
  };
  taken(ledger.report(request, 0, START));
}

describe("budget", () => {
  it("from enrol to sent: rows written for each recipient", () =>
    within((real) => {
      const count = 2000;
      const storage = counted(real);
      const ledger = campaignOf(count, storage);
      expect(storage.rows.written / count, "enrol").toBeLessThanOrEqual(3.01);
      for (let queue = begin(ledger); queue.length > 0; queue = alarm(ledger)) {
        for (const dispatch of queue) tell(ledger, reserve(ledger, dispatch));
      }
      expect(ledger.status(START)).toMatchObject({ state: "finished", stats: { sent: count } });
      const perRecipient = storage.rows.written / count;
      expect(perRecipient).toBeLessThanOrEqual(5.2);
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
    expect(small.reserve.read).toBeLessThanOrEqual(1400);
    expect(small.reserve.written).toBeLessThanOrEqual(107);
    expect(small.report.read).toBeLessThanOrEqual(1200);
    expect(small.report.written).toBeLessThanOrEqual(106);
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
