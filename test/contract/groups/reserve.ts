/** Who may be mailed now: what a managed consumer is granted, and every refusal. */
import { describe, expect } from "vitest";
import type { DispatchNumber } from "../../../src/domain/ids.ts";
import {
  grantIn,
  idsOf,
  people,
  REJECTED,
  refusalOf,
  sentTo,
  START,
  taken,
  UNKNOWN,
  type ContractTest,
} from "../rig.ts";

export function reserveGroup(test: ContractTest): void {
  describe("reserve: grants", () => {
    test("the first grant: members in order, a key of campaign and batch, token 1", (rig) => {
      rig.sending(3, { batchSize: 2, leaseSeconds: 60 });
      const grant = rig.grant(1);
      expect(grant).toMatchObject({
        batch: 1,
        reservationId: "1",
        token: 1,
        idempotencyKey: "spring:1",
        contentId: "content-1",
        expiresAt: START + 60_000,
        leaseMilliseconds: 60_000,
        skipped: [],
      });
      expect(idsOf(grant)).toEqual(["r1", "r2"]);
      expect(idsOf(rig.grant(2))).toEqual(["r3"]);
      expect(rig.stats()).toEqual({ reserved: 3 });
    });

    test("a lost answer: the same claim asked again gets the same grant, and no attempt", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1, "a");
      const before = rig.rows();
      expect(rig.grant(1, "a")).toEqual(grant);
      expect(rig.rows()).toEqual(before);
      expect(rig.reopened().grant(1, "a")).toEqual(grant);
      expect(rig.status().duplicatesPrevented).toBe(0);
    });

    test("the same claim after the lease has run out gets a new lease, never a dead one", (rig) => {
      rig.sending(2);
      const first = rig.grant(1, "a");
      rig.advance(120);
      const again = rig.grant(1, "a");
      expect(again).toMatchObject({ token: 2, leaseMilliseconds: 120_000 });
      expect(again.members).toEqual(first.members);
    });

    test("G1: after the lease: same members, same order, same key, a higher token", (rig) => {
      rig.sending(3);
      const first = rig.grant(1, "a");
      rig.advance(120);
      const second = rig.grant(1, "b");
      expect(second.token).toBe(2);
      expect(second.members).toEqual(first.members);
      expect(second.idempotencyKey).toBe(first.idempotencyKey);
      rig.advance(120);
      rig.alarm();
      const third = rig.grant(1, "c");
      expect(third.token).toBe(3);
      expect(third.members).toEqual(first.members);
      expect(rig.story("r1").attempts.map((attempt) => attempt.outcome)).toEqual([
        "expired",
        "expired",
        null,
      ]);
    });

    test("C05: twenty consumers with the same dispatch: one is granted", (rig) => {
      rig.sending(100);
      const answers = Array.from({ length: 20 }, (_, index) => rig.reserve(1, `c${index}`));
      expect(answers.filter((answer) => answer.granted)).toHaveLength(1);
      expect(rig.status().duplicatesPrevented).toBe(19 * 100);
    });

    test("G1: batches never share a recipient, whatever order the dispatches come in", (rig) => {
      rig.sending(100, { batchSize: 7 });
      const grants = Array.from({ length: 15 }, (_, index) => rig.grant(15 - index));
      const ids = grants.flatMap(idsOf);
      expect(new Set(ids).size).toBe(100);
      expect(ids).toHaveLength(100);
    });
  });

  refusalGroup(test);

  describe("reserve: who was put back", () => {
    test("suppressed recipients are passed over, however many stand in a row", (rig) => {
      rig.create({ batchSize: 2 });
      rig.enrol(people(50));
      for (let number = 2; number < 50; number += 1) rig.suppress(`r${number}`);
      rig.start();
      rig.alarm();
      expect(idsOf(rig.grant(1))).toEqual(["r1", "r50"]);
      expect(rig.stats()).toEqual({ reserved: 2, suppressed: 48 });
    });

    test("those who were put back come first, in groups no larger than their bound", (rig) => {
      rig.sending(12, { batchSize: 8 });
      const grant = rig.grant(1);
      rig.told(grant, REJECTED);
      const groups = [2, 3, 4].map((dispatch) => {
        rig.alarm();
        return idsOf(rig.grant(dispatch));
      });
      expect(groups).toEqual([
        ["r1", "r2", "r3", "r4"],
        ["r5", "r6", "r7", "r8"],
        ["r9", "r10", "r11", "r12"],
      ]);
    });

    test("groups of different bounds are never mixed, the smaller bound goes first", (rig) => {
      rig.sending(12, { batchSize: 8 });
      const one = rig.grant(1);
      rig.told(one, REJECTED);
      rig.alarm();
      const half = rig.grant(2);
      expect(idsOf(half)).toEqual(["r1", "r2", "r3", "r4"]);
      rig.told(half, REJECTED);
      rig.alarm();
      const next: string[][] = [];
      for (let dispatch = 3; rig.status().stats.remaining > 0; dispatch += 1) {
        const answer = rig.reserve(dispatch);
        if (answer.granted) next.push(idsOf(answer));
        rig.alarm();
      }
      expect(next).toEqual([
        ["r1", "r2"],
        ["r3", "r4"],
        ["r5", "r6", "r7", "r8"],
        ["r9", "r10", "r11", "r12"],
      ]);
    });
  });
}

function refusalGroup(test: ContractTest): void {
  describe("reserve: refusals", () => {
    test("C04: another claim while the lease runs is inFlight, with what is left of it", (rig) => {
      rig.sending(2);
      rig.grant(1, "a");
      rig.advance(50);
      expect(rig.reserve(1, "b")).toEqual({
        granted: false,
        reason: "inFlight",
        skipped: [],
        retryAfterSeconds: 70,
      });
      expect(rig.status().duplicatesPrevented).toBe(2);
    });

    test("a waiting batch is inFlight until it is due again", (rig) => {
      rig.sending(2);
      rig.told(rig.grant(1), UNKNOWN);
      expect(rig.reserve(1, "b")).toMatchObject({ reason: "inFlight", retryAfterSeconds: 1 });
      rig.advance(1);
      expect(rig.grant(1, "b").token).toBe(2);
    });

    test("what is over is settled, and counts as prevented duplicates", (rig) => {
      rig.sending(3, { batchSize: 2 });
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant));
      expect(rig.refusal(1)).toBe("settled");
      expect(rig.refusal(1, "again")).toBe("settled");
      expect(rig.status().duplicatesPrevented).toBe(4);
    });

    test("paused, finished, cancelled and not yet started are named", (rig) => {
      rig.create();
      rig.enrol(people(1));
      expect(rig.refusal(1)).toBe("notStarted");
      rig.start(START + 1000);
      expect(rig.refusal(1)).toBe("notStarted");
      rig.pause();
      expect(rig.refusal(1)).toBe("paused");
      rig.resume();
      rig.advance(1);
      rig.alarm();
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant));
      expect(rig.refusal(1)).toBe("finished");
    });

    test("a cancelled campaign grants nothing", (rig) => {
      rig.sending(2, { batchSize: 1 });
      rig.grant(1);
      rig.cancel();
      expect(rig.refusal(1)).toBe("cancelled");
      expect(rig.refusal(2)).toBe("cancelled");
    });

    test("a dispatch that was never given out has nothing due", (rig) => {
      rig.sending(2);
      expect(rig.refusal(99)).toBe("nothingDue");
      expect(rig.stats()).toEqual({ remaining: 2 });
    });

    test("a dispatch with nobody left has nothing due, and asked again neither", (rig) => {
      rig.sending(2, { batchSize: 1 });
      rig.grant(1);
      rig.suppress("r2");
      expect(rig.refusal(2)).toBe("nothingDue");
      expect(rig.refusal(2)).toBe("nothingDue");
      expect(rig.stats()).toEqual({ reserved: 1, suppressed: 1 });
    });

    test("a reservation of one's own is for external campaigns, a dispatch for managed", (rig) => {
      rig.sending(1);
      const request = { by: "limit", reservationId: "x", limit: 1, claim: null } as const;
      const answer = rig.ledger.reserve(request, [], rig.now);
      expect(refusalOf(answer)).toEqual({ code: "wrongDelivery", delivery: "managed" });
    });

    test("a dispatch is no reservation of an external campaign", (rig) => {
      rig.external(1);
      const dispatch = 1 as DispatchNumber;
      const answer = rig.ledger.reserve({ by: "dispatch", dispatch, claim: "a" }, [], rig.now);
      expect(refusalOf(answer)).toEqual({ code: "wrongDelivery", delivery: "external" });
    });

    test("a refusal never says to ask again in less than a second", (rig) => {
      rig.sending(1);
      rig.grant(1, "a");
      rig.now += 119_999;
      const answer = taken(
        rig.ledger.reserve(
          { by: "dispatch", dispatch: 1 as DispatchNumber, claim: "b" },
          [],
          rig.now,
        ),
      );
      expect(answer).toMatchObject({ reason: "inFlight", retryAfterSeconds: 1 });
      rig.now += 1;
      expect(grantIn(rig.reserve(1, "b")).token).toBe(2);
    });
  });
}
