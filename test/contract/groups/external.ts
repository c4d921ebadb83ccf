/** Reservations for consumers of other queues, who bring their own recipients (DESIGN §6). */
import { describe, expect } from "vitest";
import type { RecipientId, Token } from "../../../src/domain/ids.ts";
import type { ExternalOutcome, ReserveAnswer } from "../../../src/domain/reservation.ts";
import {
  deferredFor,
  grantIn,
  idsOf,
  people,
  person,
  refusalIn,
  refusalOf,
  suppression,
  taken,
  UNKNOWN,
  type ContractTest,
  type Grant,
  type Rig,
} from "../rig.ts";

function bring(rig: Rig, reservationId: string, ...names: string[]): ReserveAnswer {
  const recipients = names.map((name) => person(name));
  const request = { by: "recipients", reservationId, recipients, claim: null } as const;
  return taken(rig.ledger.reserve(request, [], rig.now));
}

function next(rig: Rig, reservationId: string, limit = 100): ReserveAnswer {
  const request = { by: "limit", reservationId, limit, claim: null } as const;
  return taken(rig.ledger.reserve(request, [], rig.now));
}

function tell(rig: Rig, reservationId: string, token: number, outcome: unknown) {
  const request = {
    batch: { reservationId },
    token: token as Token,
    outcome: outcome as ExternalOutcome,
  };
  return rig.ledger.report(request, 0, rig.now);
}

function sent(...names: string[]): ExternalOutcome {
  const results = names.map(
    (name) => ({ id: name as RecipientId, outcome: "sent", providerId: `x-${name}` }) as const,
  );
  return { kind: "results", results };
}

const bodyOf = (grant: Grant) => [grant.token, grant.idempotencyKey, idsOf(grant)];

export function externalGroup(test: ContractTest): void {
  describe("external: reserve", () => {
    test("brings its own: unknown ones are enrolled, then reserved, with their data", (rig) => {
      rig.external(0);
      const grant = grantIn(bring(rig, "m1", "a", "b"));
      expect(grant).toMatchObject({
        reservationId: "m1",
        token: 1,
        idempotencyKey: "spring:1",
        contentId: null,
        members: [
          { id: "a", email: "a@example.org", data: { name: "a" } },
          { id: "b", email: "b@example.org", data: { name: "b" } },
        ],
        skipped: [],
      });
      expect(rig.stats()).toEqual({ reserved: 2 });
    });

    test("or asks for whoever is next, a hundred at the most", (rig) => {
      rig.external(250);
      expect(idsOf(grantIn(next(rig, "m1", 2)))).toEqual(["r1", "r2"]);
      expect(grantIn(next(rig, "m2", 5000)).members).toHaveLength(100);
      expect(grantIn(next(rig, "m3")).members).toHaveLength(100);
      expect(grantIn(next(rig, "m4")).members).toHaveLength(48);
      expect(refusalIn(next(rig, "m5"))).toBe("nothingDue");
    });

    test("a limit below 1 is a bug of the caller, and reserves nobody", (rig) => {
      rig.external(3);
      expect(() => next(rig, "m1", -1)).toThrow("limit");
      expect(() => next(rig, "m1", 0)).toThrow("limit");
      expect(rig.stats()).toEqual({ remaining: 3 });
    });

    test("G1: who is not free is skipped, and the reason says where each stands", (rig) => {
      rig.external(0, { maxAttempts: 1 });
      grantIn(bring(rig, "m1", "sent", "failed"));
      taken(tell(rig, "m1", 1, sent("sent")));
      const failed = { id: "failed" as RecipientId, outcome: "failed", reason: "x" } as const;
      taken(tell(rig, "m1", 1, { kind: "results", results: [failed] }));
      grantIn(bring(rig, "m2", "doubt"));
      taken(tell(rig, "m2", 1, UNKNOWN));
      grantIn(bring(rig, "m3", "busy"));
      rig.suppress("gone");
      const request = {
        by: "recipients",
        reservationId: "m4",
        recipients: [
          ...["sent", "failed", "doubt", "busy", "gone", "new"].map((name) => person(name)),
          person("other", "sent@example.org"),
          person("new"),
        ],
        claim: null,
      } as const;
      const grant = grantIn(taken(rig.ledger.reserve(request, [suppression("gone")], rig.now)));
      expect(idsOf(grant)).toEqual(["new"]);
      expect(grant.skipped).toEqual([
        { id: "sent", reason: "sent" },
        { id: "failed", reason: "failed" },
        { id: "doubt", reason: "inDoubt" },
        { id: "busy", reason: "reserved" },
        { id: "gone", reason: "suppressed" },
        { id: "other", reason: "duplicateAddress" },
      ]);
      expect(rig.status().duplicatesPrevented).toBe(2);
    });

    test("the same message again: inFlight, then the same people under a higher token", (rig) => {
      rig.external(0);
      const first = grantIn(bring(rig, "m1", "a", "b"));
      expect(refusalIn(bring(rig, "m1", "a", "b"))).toBe("inFlight");
      rig.advance(120);
      const again = grantIn(bring(rig, "m1", "a", "b"));
      expect(bodyOf(again)).toEqual([2, first.idempotencyKey, ["a", "b"]]);
      taken(tell(rig, "m1", 2, sent("a", "b")));
      const over = bring(rig, "m1", "a", "b");
      expect(over).toMatchObject({ granted: false, reason: "settled" });
      expect(over.skipped).toEqual([
        { id: "a", reason: "sent" },
        { id: "b", reason: "sent" },
      ]);
    });

    test("a repeated reservation leaves out who was settled on the way", (rig) => {
      rig.external(0);
      grantIn(bring(rig, "m1", "a", "b", "c"));
      taken(tell(rig, "m1", 1, sent("b")));
      rig.advance(120);
      const again = grantIn(bring(rig, "m1", "a", "b", "c"));
      expect(idsOf(again)).toEqual(["a", "c"]);
      expect(again.skipped).toEqual([{ id: "b", reason: "sent" }]);
    });

    test("G2: while paused nobody is enrolled, and nobody unknown is said to be settled", (rig) => {
      rig.external(1);
      rig.pause();
      expect(bring(rig, "m1", "r1", "unknown")).toEqual({
        granted: false,
        reason: "paused",
        skipped: [],
        retryAfterSeconds: 30,
      });
      expect(rig.status().stats.total).toBe(1);
      rig.resume();
      expect(idsOf(grantIn(bring(rig, "m1", "r1", "unknown")))).toEqual(["r1", "unknown"]);
    });
  });

  putBackGroup(test);
  reportingGroup(test);
}

function putBackGroup(test: ContractTest): void {
  describe("external: what was certainly not sent comes back to its message", () => {
    test("deferred: the same people under the same key when the wait is over", (rig) => {
      rig.external(0);
      const first = grantIn(bring(rig, "m1", "a"));
      taken(tell(rig, "m1", 1, deferredFor(30)));
      expect(bring(rig, "m1", "a")).toMatchObject({ reason: "inFlight", retryAfterSeconds: 30 });
      rig.advance(30);
      rig.alarm();
      expect(bodyOf(grantIn(bring(rig, "m1", "a")))).toEqual([2, first.idempotencyKey, ["a"]]);
    });

    test("G2: a deferral where the provider keeps no keys is granted again, not settled", (rig) => {
      rig.external(0, { idempotencyWindowSeconds: 0 });
      grantIn(bring(rig, "m1", "a", "b"));
      taken(tell(rig, "m1", 1, deferredFor(30)));
      rig.advance(30);
      rig.alarm();
      const again = grantIn(bring(rig, "m1", "a", "b"));
      expect(idsOf(again)).toEqual(["a", "b"]);
      expect(again.token).toBe(2);
      // The report of the first reservation means nothing for the second.
      expect(refusalOf(tell(rig, "m1", 1, UNKNOWN))).toMatchObject({ code: "staleToken" });
      taken(tell(rig, "m1", 2, sent("a", "b")));
      expect(rig.stats()).toEqual({ sent: 2 });
    });

    test("the same without an alarm in between", (rig) => {
      rig.external(0, { idempotencyWindowSeconds: 0 });
      grantIn(bring(rig, "m1", "a"));
      taken(tell(rig, "m1", 1, deferredFor(30)));
      rig.advance(30);
      expect(grantIn(bring(rig, "m1", "a")).token).toBe(2);
    });

    test("G2, G6: a member suppressed meanwhile is left out, the others are granted", (rig) => {
      rig.external(0);
      grantIn(bring(rig, "m1", "a", "b", "c"));
      taken(tell(rig, "m1", 1, deferredFor(30)));
      rig.suppress("b");
      rig.advance(30);
      const again = grantIn(bring(rig, "m1", "a", "b", "c"));
      expect(idsOf(again)).toEqual(["a", "c"]);
      expect(again.skipped).toEqual([{ id: "b", reason: "suppressed" }]);
    });

    test("whoever is next: what was put back is next", (rig) => {
      rig.external(3, { idempotencyWindowSeconds: 0 });
      grantIn(next(rig, "m1", 2));
      taken(tell(rig, "m1", 1, deferredFor(30)));
      rig.advance(30);
      rig.alarm();
      expect(idsOf(grantIn(next(rig, "m2", 2)))).toEqual(["r1", "r2"]);
      expect(idsOf(grantIn(next(rig, "m1", 2)))).toEqual(["r3"]);
    });
  });
}

function reportingGroup(test: ContractTest): void {
  describe("external: report and finish", () => {
    test("results in parts, by the operator's own ids", (rig) => {
      rig.external(0);
      grantIn(bring(rig, "m1", "a", "b"));
      taken(tell(rig, "m1", 1, sent("a")));
      expect(rig.stats()).toEqual({ sent: 1, reserved: 1 });
      const failed = { id: "b" as RecipientId, outcome: "failed", reason: "550" } as const;
      taken(tell(rig, "m1", 1, { kind: "results", results: [failed] }));
      expect(rig.stats()).toEqual({ sent: 1, failed: 1 });
      expect(rig.story("a")).toMatchObject({ status: "sent", providerId: "x-a" });
    });

    test("strangers and unknown reservations are named by the words of the consumer", (rig) => {
      rig.external(2);
      grantIn(bring(rig, "m1", "a"));
      const before = rig.rows();
      expect(refusalOf(tell(rig, "m1", 1, sent("a", "nobody")))).toEqual({
        code: "notInBatch",
        ids: ["nobody"],
      });
      expect(refusalOf(tell(rig, "m1", 1, sent("a", "r1")))).toEqual({
        code: "notInBatch",
        ids: ["r1"],
      });
      expect(refusalOf(tell(rig, "m9", 1, sent("a")))).toEqual({ code: "unknownReservation" });
      expect(rig.rows()).toEqual(before);
    });

    test("C09: a stale failed is refused, a stale sent is taken", (rig) => {
      rig.external(0);
      grantIn(bring(rig, "m1", "a", "b"));
      rig.advance(120);
      grantIn(bring(rig, "m1", "a", "b"));
      const failed = { id: "b" as RecipientId, outcome: "failed", reason: "550" } as const;
      const late = tell(rig, "m1", 1, { kind: "results", results: [failed] });
      expect(refusalOf(late)).toEqual({ code: "staleToken", current: 2 });
      taken(tell(rig, "m1", 1, sent("a")));
      expect(rig.stats()).toEqual({ sent: 1, reserved: 1 });
    });

    test("finished when the enrolment is closed and nothing is open, not before", (rig) => {
      rig.external(1);
      const grant = grantIn(next(rig, "m1"));
      taken(tell(rig, "m1", 1, sent("r1")));
      expect(grant.members).toHaveLength(1);
      expect(rig.status().state).toBe("sending");
      expect(rig.ledger.outlook(rig.now)?.work).toBeNull();
      rig.enrol(people(1, 2));
      expect(taken(rig.ledger.finish(rig.now)).state).toBe("sending");
      expect(taken(rig.ledger.finish(rig.now)).state).toBe("sending");
      expect(refusalOf(rig.ledger.enrol(people(1, 3), [], rig.now))).toMatchObject({
        code: "wrongState",
      });
      grantIn(next(rig, "m2"));
      expect(taken(tell(rig, "m2", 1, sent("r2"))).state).toBe("finished");
    });

    test("finish on a campaign with nobody left finishes it at once", (rig) => {
      rig.external(0);
      expect(rig.status().state).toBe("sending");
      expect(taken(rig.ledger.finish(rig.now)).state).toBe("finished");
    });

    test("after the close a message with somebody new enrols nobody", (rig) => {
      rig.external(1);
      taken(rig.ledger.finish(rig.now));
      const grant = grantIn(bring(rig, "m1", "r1", "new"));
      expect(idsOf(grant)).toEqual(["r1"]);
      expect(grant.skipped).toEqual([]);
      expect(rig.status().stats.total).toBe(1);
    });

    test("a draft is not finished by command", (rig) => {
      rig.create({}, "external");
      expect(refusalOf(rig.ledger.finish(rig.now))).toEqual({
        code: "wrongState",
        state: "draft",
        command: "finish",
      });
    });

    test("an expired lease of a consumer that never came back is in doubt in the end", (rig) => {
      rig.external(1, { idempotencyWindowSeconds: 600 });
      grantIn(next(rig, "m1"));
      taken(rig.ledger.finish(rig.now));
      rig.advance(600);
      rig.alarm();
      expect(rig.status()).toMatchObject({ state: "finished", stats: { inDoubt: 1 } });
    });
  });
}
