/**
 * Crash atomicity (G7): a storage that fails at its k-th statement, for every k, leaves what was
 * there before, and the same call asked again does what it would have done.
 */
import { describe, expect } from "vitest";
import type { SqlValue, Storage } from "../../../src/ledger/sql.ts";
import { Ledger } from "../../../src/ledger/ledger.ts";
import { undone } from "../../support/undone.ts";
import { checkLedger, DRAWN } from "../checked-ledger.ts";
import {
  CAMPAIGN,
  deferredFor,
  draftOf,
  people,
  person,
  REJECTED,
  sentTo,
  UNKNOWN,
  type ContractTest,
  type Rig,
} from "../rig.ts";
import type { AttemptOutcome } from "../../../src/domain/outcome.ts";
import type { BatchNumber, DispatchNumber, Token } from "../../../src/domain/ids.ts";

class Crash extends Error {}

/** Runs statements until `left` of them have run, and throws at the next. */
function crashingAfter(storage: Storage, statements: number): Storage {
  let left = statements;
  return {
    sql: {
      exec: (query: string, ...bindings: SqlValue[]) => {
        if (left === 0) throw new Crash("the process is gone");
        left -= 1;
        return storage.sql.exec(query, ...bindings);
      },
    },
    transactionSync: (closure) => storage.transactionSync(closure),
  };
}

/** What is on disk after `work`; then all of it is undone. */
function rowsAfter(rig: Rig, work: () => void): unknown {
  return undone(rig.storage, () => {
    work();
    return rig.rows();
  });
}

/**
 * Crashes the call at every statement it makes: all of it is on disk, or nothing. Then it is asked
 * again and goes through. @returns how many crashes left nothing
 */
function crashEverywhere(rig: Rig, call: (ledger: Ledger) => unknown): number {
  const before = rig.rows();
  const done = rowsAfter(rig, () => call(new Ledger(rig.storage)));
  expect(done, "the call changes something").not.toEqual(before);
  let lost = 0;
  for (let statements = 0, crashed = true; crashed; statements += 1) {
    crashed = false;
    const left = rowsAfter(rig, () => {
      try {
        call(new Ledger(crashingAfter(rig.storage, statements)));
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        crashed = true;
      }
    });
    const isLost = JSON.stringify(left) === JSON.stringify(before);
    if (isLost) lost += 1;
    else expect(left, `a crash at statement ${statements + 1} leaves no half`).toEqual(done);
  }
  call(new Ledger(rig.storage));
  expect(rig.rows()).toEqual(done);
  checkLedger(new Ledger(rig.storage), rig.storage, rig.now);
  return lost;
}

export function crashGroup(test: ContractTest): void {
  describe("G7: a crash at any statement", () => {
    test("of create leaves no campaign", (rig) => {
      // The tables may stay: a ledger without a campaign answers as if there were none.
      for (let statements = 0; ; statements += 1) {
        const ledger = () => new Ledger(crashingAfter(rig.storage, statements));
        try {
          ledger().create(CAMPAIGN, draftOf("managed"), rig.now);
          break;
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
        }
        expect(new Ledger(rig.storage).status(rig.now)).toBeNull();
      }
      expect(new Ledger(rig.storage).status(rig.now)?.state).toBe("draft");
    });

    test("of enrol", (rig) => {
      rig.create();
      rig.enrol(people(3));
      rig.suppress("r5");
      const page = [...people(6), person("x", "r1@example.org")];
      expect(crashEverywhere(rig, (ledger) => ledger.enrol(page, [], rig.now))).toBeGreaterThan(4);
    });

    test("of start, and of a start with nobody", (rig) => {
      rig.create();
      const start = (ledger: Ledger) => ledger.start(null, "https://x", DRAWN, rig.now);
      expect(crashEverywhere(rig, start)).toBeGreaterThan(4);
    });

    for (const [name, before, dispatch] of RESERVES) {
      test(`of reserve: ${name}`, (rig) => {
        before(rig);
        const request = {
          by: "dispatch",
          dispatch: dispatch as DispatchNumber,
          claim: "z",
        } as const;
        const reserve = (ledger: Ledger) => ledger.reserve(request, [], rig.now);
        expect(crashEverywhere(rig, reserve)).toBeGreaterThan(4);
      });
    }

    test("of an external reserve", (rig) => {
      rig.external(2);
      const recipients = [person("r1"), person("new"), person("y", "r2@example.org")];
      const request = { by: "recipients", reservationId: "m", recipients, claim: null } as const;
      const reserve = (ledger: Ledger) => ledger.reserve(request, [], rig.now);
      expect(crashEverywhere(rig, reserve)).toBeGreaterThan(4);
    });

    for (const [name, outcome] of OUTCOMES) {
      test(`of report: ${name}`, (rig) => {
        rig.sending(4);
        const grant = rig.grant(1);
        rig.suppress("r2");
        const request = {
          batch: { number: 1 as BatchNumber },
          token: 1 as Token,
          outcome: outcome ?? sentTo(grant),
        };
        const tell = (ledger: Ledger) => ledger.report(request, 0, rig.now);
        expect(crashEverywhere(rig, tell)).toBeGreaterThan(4);
      });
    }

    test("of the report that accepts a whole batch, and of one that has it written down", (rig) => {
      rig.sending(4, { batchSize: 2 });
      const whole = sentTo(rig.grant(1));
      const part = sentTo(rig.grant(2), ["r3"]);
      for (const [batch, outcome] of [whole, part].entries()) {
        const number = (batch + 1) as BatchNumber;
        const request = { batch: { number }, token: 1 as Token, outcome };
        const tell = (ledger: Ledger) => ledger.report(request, 0, rig.now);
        expect(crashEverywhere(rig, tell)).toBeGreaterThan(4);
      }
      expect(rig.stats()).toEqual({ sent: 3, reserved: 1 });
    });

    test("of a look that has batches written down", (rig) => {
      rig.sending(4, { batchSize: 2 });
      rig.grant(1);
      rig.grant(2);
      const query = { status: null, limit: 9, cursor: null };
      const look = (ledger: Ledger) => ledger.recipients(query, rig.now);
      expect(crashEverywhere(rig, look)).toBeGreaterThan(4);
    });

    test("of the alarm: sweep, doubt, recall and refill", (rig) => {
      rig.sending(12, { batchSize: 2, maxAttempts: 2 });
      rig.told(rig.grant(1), UNKNOWN);
      rig.advance(5);
      rig.grant(1, "again");
      rig.grant(2);
      rig.told(rig.grant(3), deferredFor(5));
      rig.told(rig.grant(4), REJECTED);
      rig.advance(200);
      const tick = (ledger: Ledger) => ledger.tick(DRAWN, rig.now);
      expect(crashEverywhere(rig, tick)).toBeGreaterThan(10);
    });

    test("of suppress, pause, resume and cancel", (rig) => {
      rig.sending(6, { batchSize: 2 });
      rig.told(rig.grant(1), UNKNOWN);
      rig.told(rig.grant(2), deferredFor(50));
      const entries = ["r1", "r5"].map((id) => ({
        address: `${id}@example.org` as never,
        reason: "complaint" as const,
        at: rig.now,
      }));
      crashEverywhere(rig, (ledger) => ledger.suppress(entries, rig.now));
      crashEverywhere(rig, (ledger) => ledger.pause("operator", "x", rig.now));
      crashEverywhere(rig, (ledger) => ledger.resume(DRAWN, rig.now));
      crashEverywhere(rig, (ledger) => ledger.cancel(rig.now));
      expect(rig.stats()).toEqual({ inDoubt: 2, cancelled: 3, suppressed: 1 });
    });

    test("of replay and resolve", (rig) => {
      rig.sending(4, { batchSize: 2, maxAttempts: 1 });
      rig.told(rig.grant(1), UNKNOWN);
      const failed = { seq: 3, reason: "x" } as never;
      rig.told(rig.grant(2), { kind: "rejected", reason: "x", faults: [failed] });
      const ids = ["r1"] as never;
      crashEverywhere(rig, (ledger) => ledger.resolve({ ids, as: "failed" }, rig.now));
      const request = { recipients: "failed" } as const;
      crashEverywhere(rig, (ledger) => ledger.replay(request, rig.now));
      expect(rig.stats()).toEqual({ inDoubt: 1, remaining: 3 });
    });
  });
}

const OUTCOMES: readonly (readonly [string, AttemptOutcome | null])[] = [
  ["sent", null],
  ["rejected", REJECTED],
  ["deferred with a pause", { ...deferredFor(5), pause: "providerAuth" } as AttemptOutcome],
  ["unknown", UNKNOWN],
  ["unknown, not to be repeated", { ...UNKNOWN, repeat: false } as AttemptOutcome],
];

const RESERVES: readonly (readonly [string, (rig: Rig) => void, number])[] = [
  ["a fresh batch", (rig) => rig.sending(3), 1],
  [
    "an expired lease",
    (rig) => {
      rig.sending(3);
      rig.grant(1);
      rig.advance(120);
    },
    1,
  ],
  [
    "a batch to dissolve",
    (rig) => {
      rig.sending(3);
      rig.told(rig.grant(1), deferredFor(5));
      rig.suppress("r1");
      rig.advance(5);
    },
    1,
  ],
  [
    "a window that is over",
    (rig) => {
      rig.sending(3);
      rig.grant(1);
      rig.advance(20 * 3600);
    },
    1,
  ],
];
