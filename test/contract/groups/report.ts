/** What a consumer tells about its attempt, and what of it is believed. */
import { describe, expect } from "vitest";
import type { Seq } from "../../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../../src/domain/outcome.ts";
import {
  deferredFor,
  failedFor,
  idsOf,
  REJECTED,
  refusalOf,
  sentTo,
  START,
  UNKNOWN,
  type ContractTest,
  type Rig,
} from "../rig.ts";

export function reportGroup(test: ContractTest): void {
  describe("report: answered", () => {
    test("each member gets its own end, with the provider's id or the reason", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      const [one, two, three] = grant.members;
      const status = rig.told(grant, {
        kind: "answered",
        results: [
          { seq: one?.seq as Seq, outcome: "sent", providerId: "m1" },
          { seq: two?.seq as Seq, outcome: "failed", reason: "no such mailbox" },
          { seq: three?.seq as Seq, outcome: "sent", providerId: "m3" },
        ],
      });
      expect(status).toMatchObject({ state: "finished", stats: { sent: 2, failed: 1 } });
      expect(rig.story("r1")).toMatchObject({ status: "sent", providerId: "m1", reason: null });
      expect(rig.story("r2")).toMatchObject({ status: "failed", reason: "no such mailbox" });
      expect(rig.story("r1")).toMatchObject({
        idempotencyKey: "spring:1",
        attempts: [{ token: 1, startedAt: START, endedAt: START, outcome: "answered" }],
      });
    });

    test("a part of the answer settles a part, and the rest stays with the batch", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant, ["r2"]));
      expect(rig.stats()).toEqual({ sent: 1, reserved: 2 });
      rig.advance(120);
      rig.alarm();
      const again = rig.grant(1, "b");
      expect(again.members).toEqual(grant.members);
      rig.told(again, sentTo(again));
      expect(rig.stats()).toEqual({ sent: 3 });
      expect(rig.story("r2").providerId).toBe("mail-2");
    });

    test("a report that names a stranger is refused whole", (rig) => {
      rig.sending(4, { batchSize: 2 });
      const grant = rig.grant(1);
      rig.grant(2);
      const before = rig.rows();
      const results = [1, 3].map(
        (seq) => ({ seq: seq as Seq, outcome: "sent", providerId: "m" }) as const,
      );
      const answer = rig.report(grant.batch, grant.token, { kind: "answered", results });
      expect(refusalOf(answer)).toEqual({ code: "notInBatch", ids: ["r3"] });
      const faults = [{ seq: 4 as Seq, reason: "x" }];
      const other = rig.report(1, 1, { kind: "rejected", reason: "x", faults });
      expect(refusalOf(other)).toEqual({ code: "notInBatch", ids: ["r4"] });
      expect(rig.rows()).toEqual(before);
    });

    test("a batch that does not exist is an unknown reservation", (rig) => {
      rig.sending(1);
      expect(refusalOf(rig.report(7, 1, UNKNOWN))).toEqual({ code: "unknownReservation" });
    });

    test("G7: a repeated report of each kind changes nothing", (rig) => {
      rig.sending(8, { batchSize: 2 });
      const outcomes = [UNKNOWN, deferredFor(5), REJECTED];
      for (const [index, outcome] of outcomes.entries()) {
        const grant = rig.grant(index + 1);
        rig.told(grant, outcome);
        const before = rig.rows();
        rig.told(grant, outcome);
        rig.reopened().told(grant, outcome);
        expect(rig.rows()).toEqual(before);
      }
      const last = rig.grant(4);
      rig.told(last, sentTo(last));
      const before = rig.rows();
      rig.told(last, sentTo(last));
      expect(rig.rows()).toEqual(before);
    });

    test("the rate counts what was accepted in the last ten seconds", (rig) => {
      rig.sending(100, { batchSize: 50 });
      rig.advance(20);
      const grant = rig.grant(1);
      expect(rig.told(grant, sentTo(grant))).toMatchObject({
        ratePerSecond: 5,
        expectedFinishAt: rig.now + 10_000,
      });
      rig.advance(10);
      expect(rig.status()).toMatchObject({ ratePerSecond: 0, expectedFinishAt: null });
    });
  });
  rejectedGroup(test);
  deferredGroup(test);
  staleGroup(test);
}

function rejectedGroup(test: ContractTest): void {
  describe("report: rejected", () => {
    test("C28: named members fail, the rest goes back and gets a new key", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      const faults = [{ seq: 2 as Seq, reason: "invalid address" }];
      rig.told(grant, { kind: "rejected", reason: "422", faults });
      expect(rig.stats()).toEqual({ failed: 1, remaining: 2 });
      expect(rig.story("r2")).toMatchObject({ status: "failed", reason: "invalid address" });
      rig.alarm();
      const next = rig.grant(2);
      expect(idsOf(next)).toEqual(["r1", "r3"]);
      expect(next.idempotencyKey).toBe("spring:2");
      expect(rig.refusal(1)).toBe("settled");
    });

    test("C28, G1: an unnamed culprit is found by halving; nobody is mailed twice", (rig) => {
      rig.sending(100);
      const mailed: string[] = [];
      // The provider's own validation: it takes a request whole, or nothing of it.
      sendAll(rig, (ids) => {
        if (ids.includes("r57")) return false;
        mailed.push(...ids);
        return true;
      });
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 99, failed: 1 } });
      expect(rig.story("r57")).toMatchObject({ status: "failed", reason: "bad content" });
      expect(mailed).toHaveLength(99);
      expect(new Set(mailed).size).toBe(99);
    });

    test("C43: one that fails for ever at place 13 of 200: 199 sent, 1 failed", (rig) => {
      rig.sending(200, { batchSize: 50 });
      sendAll(rig, (ids) => !ids.includes("r13"));
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 199, failed: 1 } });
    });

    test("G3: after an attempt of unknown outcome a rejection proves nothing", (rig) => {
      rig.sending(2);
      const first = rig.grant(1);
      rig.told(first, UNKNOWN);
      rig.advance(600);
      rig.alarm();
      const second = rig.grant(1, "b");
      rig.told(second, REJECTED);
      expect(rig.stats()).toEqual({ reserved: 2 });
      rig.advance(600);
      rig.alarm();
      const third = rig.grant(1, "c");
      expect(third).toMatchObject({ token: 3, idempotencyKey: first.idempotencyKey });
      expect(third.members).toEqual(first.members);
    });
  });
}

function deferredGroup(test: ContractTest): void {
  describe("report: deferred and unknown", () => {
    test("C22: a 429 burns no attempt and fails nobody, however often", (rig) => {
      rig.sending(2, { maxAttempts: 1 });
      for (let round = 1; round <= 20; round += 1) {
        const grant = rig.grant(1, `c${round}`);
        expect(grant).toMatchObject({ token: round, idempotencyKey: "spring:1" });
        rig.told(grant, deferredFor(7));
        expect(rig.refusal(1, "early")).toBe("inFlight");
        expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 7000);
        rig.advance(7);
        expect(rig.alarm()).toEqual([1]);
      }
      expect(rig.stats()).toEqual({ reserved: 2 });
    });

    test("C25: a refused key pauses at the first answer and fails nobody", (rig) => {
      rig.sending(4, { batchSize: 2 });
      const outcome: AttemptOutcome = {
        kind: "deferred",
        reason: "401 invalid key",
        retryAfterSeconds: null,
        pause: "providerAuth",
      };
      const status = rig.told(rig.grant(1), outcome);
      expect(status).toMatchObject({
        state: "paused",
        pause: { reason: "providerAuth", detail: "401 invalid key", since: START },
        stats: { failed: 0, reserved: 0, remaining: 4 },
      });
      expect(rig.refusal(2)).toBe("paused");
    });

    test("C52: a quota pauses; the rest stays pending, and resume sends everybody", (rig) => {
      rig.sending(4, { batchSize: 2 });
      const reason = "daily quota reached";
      const first = rig.grant(1);
      rig.told(first, { ...deferredFor(null), reason, pause: "providerQuota" } as AttemptOutcome);
      rig.advance(3600);
      rig.alarm();
      expect(rig.status()).toMatchObject({
        state: "paused",
        pause: { reason: "providerQuota" },
        stats: { failed: 0, remaining: 4 },
      });
      rig.resume();
      // The provider may remember its refusal under the old key, so that one is not used again.
      for (const dispatch of rig.alarm()) {
        const answer = rig.reserve(dispatch);
        if (!answer.granted) continue;
        expect(answer.idempotencyKey).not.toBe(first.idempotencyKey);
        rig.told(answer, sentTo(answer));
      }
      const left = rig.reserve(2);
      if (left.granted) rig.told(left, sentTo(left));
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 4 } });
    });

    test("C52: a quota after an unknown attempt keeps the batch and its key", (rig) => {
      rig.sending(2);
      const first = rig.grant(1);
      rig.told(first, UNKNOWN, 0);
      rig.advance(600);
      rig.alarm();
      const again = rig.grant(1, "b");
      rig.told(again, { ...deferredFor(null), pause: "providerQuota" } as AttemptOutcome);
      expect(rig.status()).toMatchObject({ state: "paused", stats: { reserved: 2 } });
      rig.resume();
      rig.advance(3600);
      rig.alarm();
      expect(rig.grant(1, "c").idempotencyKey).toBe(first.idempotencyKey);
    });

    test("an unknown attempt is repeated with backoff; retry-after wins over it", (rig) => {
      rig.sending(1);
      rig.told(rig.grant(1), UNKNOWN, 0);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 1000);
      rig.advance(600);
      rig.told(rig.grant(1, "b"), UNKNOWN, 0);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 3000);
      rig.advance(600);
      rig.told(rig.grant(1, "c"), { ...UNKNOWN, retryAfterSeconds: 42 } as AttemptOutcome);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 42_000);
    });
  });
}

function staleGroup(test: ContractTest): void {
  describe("report: a stale token", () => {
    test("C09, G1: a late sent is taken from anybody, and nobody is mailed again", (rig) => {
      rig.sending(2);
      const old = rig.grant(1, "a");
      rig.advance(120);
      const current = rig.grant(1, "b");
      expect(rig.told(old, sentTo(old))).toMatchObject({ state: "finished", stats: { sent: 2 } });
      expect(refusalOf(rig.report(1, current.token, UNKNOWN))).toMatchObject({
        code: "staleToken",
      });
      expect(rig.stats()).toEqual({ sent: 2 });
    });

    test("C09: a late failed is refused with nobody changed", (rig) => {
      rig.sending(2);
      const old = rig.grant(1, "a");
      rig.advance(120);
      rig.grant(1, "b");
      const before = rig.ledger.recipients({ status: null, limit: 9, cursor: null }, rig.now);
      for (const outcome of [failedFor(old), UNKNOWN, deferredFor(1), REJECTED]) {
        const answer = rig.report(old.batch, old.token, outcome);
        expect(refusalOf(answer)).toEqual({ code: "staleToken", current: 2 });
      }
      const after = rig.ledger.recipients({ status: null, limit: 9, cursor: null }, rig.now);
      expect(after).toEqual(before);
      expect(rig.grant(1, "b").token).toBe(2);
      expect(rig.status().duplicatesPrevented).toBe(8);
    });

    test("of a mixed late report only the facts are taken", (rig) => {
      rig.sending(2);
      const old = rig.grant(1, "a");
      rig.advance(120);
      rig.grant(1, "b");
      const results = [...sentTo(old, ["r1"]).results, ...failedFor(old, ["r2"]).results];
      rig.told(old, { kind: "answered", results });
      expect(rig.statusOf("r1")).toBe("sent");
      expect(rig.statusOf("r2")).toBe("reserved");
    });

    test("a token that was never given out settles no failure", (rig) => {
      rig.sending(1);
      const grant = rig.grant(1);
      expect(refusalOf(rig.report(1, 9, failedFor(grant)))).toMatchObject({ code: "staleToken" });
      expect(rig.statusOf("r1")).toBe("reserved");
    });

    test("the answer of a lease that ran out, but was given to nobody else, is final", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1);
      rig.advance(120);
      rig.alarm();
      const results = [...sentTo(grant, ["r1"]).results, ...failedFor(grant, ["r2"]).results];
      rig.told(grant, { kind: "answered", results });
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 1, failed: 1 } });
    });
  });
}

/** Sends until the campaign rests; `takes` is the provider's word on a request. */
function sendAll(rig: Rig, takes: (ids: string[]) => boolean): void {
  for (let round = 0; round < 300 && rig.status().state === "sending"; round += 1) {
    for (const dispatch of rig.alarm()) {
      const answer = rig.reserve(dispatch, `round-${round}`);
      if (!answer.granted) continue;
      rig.told(answer, takes(idsOf(answer)) ? sentTo(answer) : REJECTED);
    }
    // The first dispatches went out before the rig was handed over.
    if (round === 0) firstDispatches(rig, takes);
  }
}

function firstDispatches(rig: Rig, takes: (ids: string[]) => boolean): void {
  for (const dispatch of [1, 2, 3, 4]) {
    const answer = rig.reserve(dispatch);
    if (answer.granted) rig.told(answer, takes(idsOf(answer)) ? sentTo(answer) : REJECTED);
  }
}
