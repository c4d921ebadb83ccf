/** Lists, stories and events: complete, bounded, and in a stated order. */
import { describe, expect } from "vitest";
import type { Address } from "../../../src/domain/ids.ts";
import type { RecipientStatus } from "../../../src/domain/recipient.ts";
import { MAX_EVENTS } from "../../../src/domain/limits.ts";
import { failedFor, people, sentTo, START, type ContractTest, type Rig } from "../rig.ts";

function everyPage(rig: Rig, status: RecipientStatus | null, limit: number): string[] {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page = rig.ledger.recipients({ status, limit, cursor }, rig.now);
    ids.push(...(page?.items ?? []).map((item) => item.id));
    cursor = page?.cursor ?? null;
  } while (cursor !== null);
  return ids;
}

export function lookingGroup(test: ContractTest): void {
  describe("lists", () => {
    test("all recipients in the order of enrolment, page by page, nobody twice", (rig) => {
      rig.create();
      rig.enrol(people(25));
      const all = people(25).map(({ id }) => id as string);
      for (const limit of [1, 7, 25, 100]) expect(everyPage(rig, null, limit)).toEqual(all);
    });

    test("by a status without an order of its own", (rig) => {
      rig.sending(10, { batchSize: 3 });
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant));
      rig.grant(2);
      expect(everyPage(rig, "sent", 2)).toEqual(["r1", "r2", "r3"]);
      expect(everyPage(rig, "reserved", 2)).toEqual(["r4", "r5", "r6"]);
      expect(everyPage(rig, "pending", 2)).toEqual(["r7", "r8", "r9", "r10"]);
      expect(everyPage(rig, "cancelled", 2)).toEqual([]);
    });

    test("problems: the newest first, page by page, also where times are equal", (rig) => {
      rig.sending(9, { batchSize: 3, pauseAtFailureRate: 1 });
      for (const dispatch of [1, 2, 3]) {
        const grant = rig.grant(dispatch);
        rig.told(grant, failedFor(grant));
        rig.advance(1);
      }
      const newestFirst = ["r9", "r8", "r7", "r6", "r5", "r4", "r3", "r2", "r1"];
      for (const limit of [1, 2, 3, 9, 20]) {
        expect(everyPage(rig, "failed", limit)).toEqual(newestFirst);
      }
    });

    test("by an address: that recipient, or nobody", (rig) => {
      rig.create();
      rig.enrol(people(3));
      const address = "r1@example.org" as Address;
      const query = { status: null, limit: 5, cursor: null };
      const found = rig.ledger.recipients({ ...query, address }, rig.now);
      expect(found).toMatchObject({ items: [{ id: "r1" }], cursor: null });
      const ofStatus = { ...query, status: "sent" as const, address };
      expect(rig.ledger.recipients(ofStatus, rig.now)).toEqual({ items: [], cursor: null });
    });

    test("a cursor of another list is refused", (rig) => {
      rig.create();
      const ask = (status: RecipientStatus | null, cursor: string) => () =>
        rig.ledger.recipients({ status, limit: 5, cursor }, rig.now);
      expect(ask(null, "x")).toThrow(RangeError);
      expect(ask(null, "1.2")).toThrow(RangeError);
      expect(ask("failed", "7")).toThrow(RangeError);
      expect(ask("failed", "1.2.3")).toThrow(RangeError);
    });

    test("who does not exist has no story", (rig) => {
      rig.create();
      expect(rig.statusOf("nobody")).toBeUndefined();
    });

    test("events are numbered without a gap, newest first", (rig) => {
      rig.sending(1);
      rig.pause();
      rig.resume();
      const first = rig.ledger.events(Number.MAX_SAFE_INTEGER, 2, rig.now);
      expect(first?.map(({ number, type }) => [number, type])).toEqual([
        [4, "resumed"],
        [3, "paused"],
      ]);
      expect(rig.ledger.events(3, 9, rig.now)?.map(({ number }) => number)).toEqual([2, 1]);
      expect(first?.[1]?.detail).toMatchObject({ reason: "operator" });
      expect(first?.[0]?.at).toBe(START);
    });

    test("an event is never rewritten, and the oldest go when there are too many", (rig) => {
      rig.create();
      const { storage } = rig;
      expect(() => storage.sql.exec("UPDATE events SET type = 'x'").toArray()).toThrow("once");
      const last = `INSERT INTO events (number, at, type, detail) VALUES (${MAX_EVENTS}, 0, 'x', '{}')`;
      storage.sql.exec(last).toArray();
      rig.start();
      const numbers = rig.ledger.events(Number.MAX_SAFE_INTEGER, 9, rig.now)?.map((e) => e.number);
      expect(numbers).toEqual([MAX_EVENTS + 2, MAX_EVENTS + 1, MAX_EVENTS]);
    });
  });
}
