/** Work orders: a bounded window of hints, and nobody lost when every hint is. */
import { describe, expect } from "vitest";
import {
  DISPATCH_QUIET_SECONDS,
  DISPATCH_REFILL,
  DISPATCH_WINDOW,
  SLOT_SIT_OUT_SECONDS,
} from "../../../src/domain/limits.ts";
import type { DispatchNumber } from "../../../src/domain/ids.ts";
import { DRAWN } from "../checked-ledger.ts";
import { deferredFor, people, sentTo, UNKNOWN, type ContractTest, type Rig } from "../rig.ts";
import { settle } from "./doubt.ts";

function dispatches(rig: Rig): { dispatch: number; state: string; sends: number }[] {
  const query = "SELECT dispatch, state, sends FROM dispatches ORDER BY dispatch";
  return rig.storage.sql.exec(query).toArray() as ReturnType<typeof dispatches>;
}

/** A consumer found no slot for it before this time, and then for `room`. */
function postpone(rig: Rig, dispatch: number, at: number, room = 1): void {
  rig.ledger.postpone({ dispatches: [dispatch as DispatchNumber], at, room }, rig.now);
}

export function outboxGroup(test: ContractTest): void {
  describe("outbox", () => {
    test("no more dispatches than there are batches, each put on the queue once", (rig) => {
      rig.create({ batchSize: 100 });
      rig.enrol(people(250));
      rig.start();
      expect(rig.alarm()).toEqual([1, 2, 3]);
      expect(rig.alarm()).toEqual([]);
      expect(dispatches(rig).map(({ state, sends }) => [state, sends])).toEqual([
        ["out", 1],
        ["out", 1],
        ["out", 1],
      ]);
    });

    test("no more than a window is out or open at a time, and it is refilled in one go", (rig) => {
      rig.sending(200, { batchSize: 1 });
      expect(dispatches(rig)).toHaveLength(DISPATCH_WINDOW);
      for (let number = 1; number < DISPATCH_REFILL; number += 1) {
        const grant = rig.grant(number);
        rig.told(grant, sentTo(grant));
        expect(rig.alarm()).toEqual([]);
      }
      const grant = rig.grant(DISPATCH_REFILL);
      expect(rig.alarm()).toEqual([]);
      rig.told(grant, sentTo(grant));
      expect(rig.alarm()).toHaveLength(DISPATCH_REFILL);
    });

    test("open batches count for the window: a slow provider does not fill the queue", (rig) => {
      rig.sending(200, { batchSize: 1 });
      for (let number = 1; number <= DISPATCH_WINDOW; number += 1) rig.grant(number);
      expect(rig.alarm()).toEqual([]);
      expect(dispatches(rig)).toEqual([]);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 120_000);
    });

    test("C26, G2: purged in the middle, everything lost: it still finishes", (rig) => {
      rig.sending(20, { batchSize: 1 });
      for (const number of [1, 2, 3]) {
        const grant = rig.grant(number);
        rig.told(grant, sentTo(grant));
      }
      // The queue is emptied: nobody asks for dispatches 4 to 20 any more.
      rig.advance(DISPATCH_QUIET_SECONDS - 1);
      expect(rig.alarm()).toEqual([]);
      rig.advance(1);
      expect(rig.alarm()).toHaveLength(17);
      rig.advance(2 * DISPATCH_QUIET_SECONDS - 1);
      expect(rig.alarm()).toEqual([]);
      rig.advance(1);
      expect(rig.alarm()).toHaveLength(17);
      expect(dispatches(rig).every(({ sends }) => sends === 3)).toBe(true);
      rig.advance(4 * DISPATCH_QUIET_SECONDS);
      settle(rig);
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 20 } });
    });

    test("while consumers ask for others, a long queue is not taken for a lost one", (rig) => {
      rig.sending(30, { batchSize: 1 });
      for (let number = 1; number <= 10; number += 1) {
        rig.advance(DISPATCH_QUIET_SECONDS - 1);
        expect(rig.alarm()).toEqual([]);
        const grant = rig.grant(number);
        rig.told(grant, sentTo(grant));
      }
    });

    test("consumers that wait for a slot have asked: what they hold is not taken for lost", (rig) => {
      rig.sending(30, { batchSize: 1 });
      for (let number = 1; number <= 10; number += 1) {
        rig.advance(DISPATCH_QUIET_SECONDS - 1);
        expect(rig.alarm()).toEqual([]);
        rig.ledger.decline(number as DispatchNumber, rig.now);
      }
      expect(DISPATCH_QUIET_SECONDS).toBeGreaterThan(SLOT_SIT_OUT_SECONDS);
    });

    test("C26, G2: the process ended with its queue: an opened ledger waits a little only", (rig) => {
      rig.sending(20, { batchSize: 1 });
      rig.advance(200);
      expect(rig.alarm()).toHaveLength(20);
      rig.advance(1);
      const after = rig.reopened();
      expect(after.alarm()).toEqual([]);
      expect(after.ledger.outlook(after.now)?.work).toBe(after.now + 3000);
      after.advance(3);
      expect(after.alarm()).toHaveLength(20);
      // How often the earlier life had to send says nothing of this one.
      expect(dispatches(rig).every(({ sends }) => sends === 1)).toBe(true);
      expect(after.ledger.outlook(after.now)?.work).toBe(after.now + DISPATCH_QUIET_SECONDS * 1000);
    });

    test("the object was evicted and its queue is intact: nothing is sent twice", (rig) => {
      rig.sending(20, { batchSize: 1 });
      rig.advance(1);
      const after = rig.reopened();
      for (let number = 1; number <= 20; number += 1) {
        after.advance(2);
        expect(after.alarm()).toEqual([]);
        const grant = after.grant(number);
        after.told(grant, sentTo(grant));
      }
      expect(after.status()).toMatchObject({ state: "finished", stats: { sent: 20 } });
    });

    test("C23: what the queue refused is sent again, and nothing is doubled", (rig) => {
      rig.create({ batchSize: 1 });
      rig.enrol(people(3));
      rig.start();
      rig.ledger.tick(DRAWN, rig.now);
      const due = rig.ledger.dueDispatches(rig.now);
      rig.ledger.postpone({ dispatches: due, at: rig.now + 2000, room: null }, rig.now);
      expect(rig.ledger.dueDispatches(rig.now)).toEqual([]);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 2000);
      rig.advance(2);
      expect(rig.alarm()).toEqual(due);
      expect(dispatches(rig)).toHaveLength(3);
    });

    test("C23: sent, and the mark that it was sent is lost: twice on the queue, once mailed", (rig) => {
      rig.create();
      rig.enrol(people(2));
      rig.start();
      rig.ledger.tick(DRAWN, rig.now);
      const [first] = rig.ledger.dueDispatches(rig.now);
      expect(rig.reopened().ledger.dueDispatches(rig.now)).toEqual([first]);
      const grant = rig.grant(first as number, "a");
      expect(rig.refusal(first as number, "b")).toBe("inFlight");
      rig.ledger.dispatchesSent([first as DispatchNumber], rig.now);
      rig.told(grant, sentTo(grant));
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 2 } });
    });

    test("what the gate said to those who went back outlives the object that slept", (rig) => {
      rig.sending(20, { batchSize: 1 });
      for (let number = 1; number <= 20; number += 1) postpone(rig, number, rig.now + 20_000, 3);
      const after = rig.reopened();
      expect(after.ledger.outlook(after.now)?.work).toBe(after.now + 20_000);
      after.advance(20);
      expect(after.alarm()).toEqual([1, 2, 3]);
      // Who went back last was told the latest.
      for (const number of [1, 2, 3]) postpone(after, number, after.now + 15_000, 2);
      const again = after.reopened();
      again.advance(14);
      expect(again.alarm()).toEqual([]);
      again.advance(1);
      expect(again.alarm()).toEqual([4, 5]);
    });

    test("a consumer that cannot wait for its slot gives the dispatch back", (rig) => {
      rig.sending(2);
      postpone(rig, 1, rig.now + 30_000);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 30_000);
      rig.advance(30);
      expect(rig.alarm()).toEqual([1]);
      // Given back after it was answered, it stays answered.
      const grant = rig.grant(1);
      postpone(rig, 1, rig.now);
      expect(dispatches(rig)).toEqual([]);
      rig.told(grant, sentTo(grant));
    });

    test("G4: while paused nothing is put on the queue; resume orders it all again", (rig) => {
      rig.sending(6, { batchSize: 2 });
      rig.told(rig.grant(1), deferredFor(1));
      rig.told(rig.grant(2), UNKNOWN);
      rig.pause();
      expect(rig.refusal(3)).toBe("paused");
      rig.advance(50);
      expect(rig.alarm()).toEqual([]);
      expect(rig.ledger.dueDispatches(rig.now)).toEqual([]);
      rig.resume();
      const again = rig.alarm();
      expect(again).toHaveLength(3);
      expect(again).toEqual(expect.arrayContaining([1, 2]));
      settle(rig);
      for (const dispatch of again) {
        const answer = rig.reserve(dispatch, "late");
        if (answer.granted) rig.told(answer, sentTo(answer));
      }
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 6 } });
    });

    test("C01: fifty pauses and resumes in five seconds: each is mailed once", (rig) => {
      rig.sending(90, { batchSize: 3 });
      const mailed: string[] = [];
      const queue: number[] = Array.from({ length: 30 }, (_, index) => index + 1);
      for (let round = 0; round < 50; round += 1) {
        rig.now += 100;
        if (round % 2 === 0) rig.pause();
        else rig.resume();
        queue.push(...rig.alarm());
        const answer = rig.reserve(queue.shift() ?? 1, `round-${round}`);
        if (!answer.granted) continue;
        mailed.push(...answer.members.map((member) => member.id));
        rig.told(answer, sentTo(answer));
      }
      settle(rig);
      rig.advance(DISPATCH_QUIET_SECONDS);
      settle(rig);
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 90 } });
      expect(new Set(mailed).size).toBe(mailed.length);
    });
  });
}
