/** Honest doubt (G3): repeated under one key while that is remembered, and never sent after. */
import { describe, expect } from "vitest";
import { SWEEP_AT_MOST } from "../../../src/domain/limits.ts";
import { deferredFor, idsOf, sentTo, UNKNOWN, type ContractTest, type Rig } from "../rig.ts";

const HOUR = 3600;

export function doubtGroup(test: ContractTest): void {
  describe("sweep", () => {
    test("an expired lease is an unknown attempt, and the batch is dispatched again", (rig) => {
      rig.sending(2);
      rig.grant(1);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 120_000);
      rig.advance(119);
      expect(rig.alarm()).toEqual([]);
      rig.advance(1);
      expect(rig.alarm()).toEqual([1]);
      expect(rig.story("r1").attempts).toMatchObject([{ token: 1, outcome: "expired" }]);
    });

    test("C08: accepted, the report lost, the window over: in doubt, and not sent", (rig) => {
      rig.sending(2);
      rig.grant(1);
      rig.advance(20 * HOUR);
      rig.alarm();
      expect(rig.status()).toMatchObject({ state: "finished", stats: { inDoubt: 2 } });
      expect(rig.refusal(1, "b")).toBe("finished");
      expect(rig.story("r1")).toMatchObject({ status: "inDoubt", batch: 1 });
      expect(rig.story("r1").reason).toContain("the idempotency window is over");
      expect(rig.eventTypes().slice(-2)).toEqual(["inDoubt", "finished"]);
    });

    test("C08: the window closes on a batch that waits, in its own second", (rig) => {
      rig.sending(1, { idempotencyWindowSeconds: 600 });
      rig.told(rig.grant(1), UNKNOWN);
      rig.advance(10);
      rig.alarm();
      expect(rig.ledger.outlook(rig.now)?.work).toBeLessThanOrEqual(rig.now + 590_000);
      rig.pause();
      rig.advance(589);
      rig.alarm();
      expect(rig.stats()).toEqual({ reserved: 1 });
      rig.advance(1);
      rig.alarm();
      expect(rig.status()).toMatchObject({ state: "finished", stats: { inDoubt: 1 } });
    });

    test("a consumer that asks after the window is told settled, not given the batch", (rig) => {
      rig.sending(2, { idempotencyWindowSeconds: 600, batchSize: 1 });
      rig.told(rig.grant(1), UNKNOWN);
      rig.advance(600);
      expect(rig.refusal(1, "b")).toBe("settled");
      expect(rig.stats()).toEqual({ inDoubt: 1, remaining: 1 });
    });

    test("a wait that the provider asked for beyond the window ends with it", (rig) => {
      rig.sending(1, { idempotencyWindowSeconds: 600 });
      rig.told(rig.grant(1), { ...UNKNOWN, retryAfterSeconds: 7200 } as typeof UNKNOWN);
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 600_000);
      rig.advance(600);
      rig.alarm();
      expect(rig.stats()).toEqual({ inDoubt: 1 });
    });

    test("the same after a pause and a resume in between", (rig) => {
      rig.sending(1, { idempotencyWindowSeconds: 600 });
      rig.told(rig.grant(1), { ...UNKNOWN, retryAfterSeconds: 7200 } as typeof UNKNOWN);
      rig.pause();
      rig.resume();
      expect(rig.ledger.outlook(rig.now)?.work).toBe(rig.now + 600_000);
      rig.advance(600);
      rig.alarm();
      expect(rig.stats()).toEqual({ inDoubt: 1 });
    });

    test("a bounded number of batches is swept at a time, and the rest is due at once", (rig) => {
      const count = SWEEP_AT_MOST + 5;
      rig.external(count);
      for (let number = 1; number <= count; number += 1) {
        const request = {
          by: "limit",
          reservationId: `m${number}`,
          limit: 1,
          claim: null,
        } as const;
        rig.ledger.reserve(request, [], rig.now);
      }
      rig.advance(120);
      expect(rig.ledger.tick({ contentId: "c", linkSecret: "s" }, rig.now)).toBe(true);
      expect(rig.ledger.outlook(rig.now)?.work).toBeLessThanOrEqual(rig.now);
      expect(rig.ledger.tick({ contentId: "c", linkSecret: "s" }, rig.now)).toBe(false);
      expect(rig.ledger.outlook(rig.now)?.work).toBeGreaterThan(rig.now);
    });
  });

  unknownGroup(test);
  windowGroup(test);
}

function unknownGroup(test: ContractTest): void {
  describe("unknown attempts", () => {
    test("C53: a key used with another body is in doubt at once and never repeated", (rig) => {
      rig.sending(2);
      const drifted = { ...UNKNOWN, reason: "409: other body", repeat: false } as typeof UNKNOWN;
      rig.told(rig.grant(1), drifted);
      expect(rig.status()).toMatchObject({ state: "finished", stats: { inDoubt: 2 } });
      expect(rig.story("r1").reason).toBe("409: other body");
    });

    test("maxAttempts bounds unknown attempts, expired ones among them", (rig) => {
      rig.sending(1, { maxAttempts: 3 });
      rig.told(rig.grant(1, "a"), UNKNOWN);
      rig.advance(30);
      rig.grant(1, "b");
      rig.advance(120);
      rig.alarm();
      rig.told(rig.grant(1, "c"), UNKNOWN);
      expect(rig.stats()).toEqual({ inDoubt: 1 });
      expect(rig.story("r1").reason).toBe("3 attempts without an answer, the last: no answer");
      expect(rig.story("r1").attempts).toHaveLength(3);
    });

    test("C02, G3: unknown, then sent under the same key: one mail with the provider's id", (rig) => {
      rig.sending(2);
      rig.told(rig.grant(1), UNKNOWN);
      rig.advance(10);
      const again = rig.grant(1, "b");
      rig.told(again, sentTo(again));
      expect(rig.status().state).toBe("finished");
      expect(rig.story("r2")).toMatchObject({ providerId: "mail-2", idempotencyKey: "spring:1" });
    });

    test("a late sent settles a doubt", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1);
      rig.advance(21 * HOUR);
      rig.alarm();
      expect(rig.stats()).toEqual({ inDoubt: 2 });
      rig.told(grant, sentTo(grant, ["r1"]));
      expect(rig.stats()).toEqual({ inDoubt: 1, sent: 1 });
      rig.told(grant, sentTo(grant));
      expect(rig.stats()).toEqual({ sent: 2 });
      expect(rig.refusal(1)).toBe("finished");
    });

    test("with ten batches in trouble no fresh one is started, and after them it goes on", (rig) => {
      rig.sending(30, { batchSize: 1 });
      for (let dispatch = 1; dispatch <= 10; dispatch += 1) rig.told(rig.grant(dispatch), UNKNOWN);
      expect(rig.refusal(11)).toBe("nothingDue");
      expect(rig.stats()).toEqual({ reserved: 10, remaining: 20 });
      rig.advance(60);
      settle(rig);
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 30 } });
    });
  });
}

function windowGroup(test: ContractTest): void {
  describe("a window of 0: the provider keeps no keys", () => {
    test("G3: an expired lease is in doubt at once", (rig) => {
      rig.sending(2, { idempotencyWindowSeconds: 0 });
      rig.grant(1);
      rig.advance(120);
      rig.alarm();
      expect(rig.status()).toMatchObject({ state: "finished", stats: { inDoubt: 2 } });
    });

    test("G3: an unknown attempt is in doubt at once", (rig) => {
      rig.sending(2, { idempotencyWindowSeconds: 0 });
      rig.told(rig.grant(1), UNKNOWN);
      expect(rig.stats()).toEqual({ inDoubt: 2 });
    });

    test("what was certainly not accepted is still sent, under a new key", (rig) => {
      rig.sending(2, { idempotencyWindowSeconds: 0 });
      rig.told(rig.grant(1), deferredFor(30));
      rig.advance(30);
      rig.alarm();
      const next = rig.grant(2);
      expect(idsOf(next)).toEqual(["r1", "r2"]);
      rig.told(next, sentTo(next));
      expect(rig.status().state).toBe("finished");
    });
  });

  describe("a clean batch and its window", () => {
    test("a deferral far beyond the window puts everybody back, in doubt is nobody", (rig) => {
      rig.sending(2, { idempotencyWindowSeconds: 600 });
      rig.told(rig.grant(1), deferredFor(3600));
      rig.advance(600);
      expect(rig.alarm()).toEqual([]);
      expect(rig.stats()).toEqual({ reserved: 2 });
      rig.advance(3000);
      rig.alarm();
      expect(rig.stats()).toEqual({ remaining: 2 });
      expect(idsOf(rig.grant(2))).toEqual(["r1", "r2"]);
    });

    test("a clean batch whose pause outlives its window is put back", (rig) => {
      rig.sending(2, { idempotencyWindowSeconds: 600 });
      rig.told(rig.grant(1), deferredFor(1));
      rig.pause();
      rig.advance(600);
      rig.alarm();
      expect(rig.stats()).toEqual({ remaining: 2 });
      expect(rig.status().state).toBe("paused");
    });
  });
}

/** Lets the clock run and the consumers send until nothing is open. */
export function settle(rig: Rig): void {
  for (let round = 0; round < 200 && rig.status().state === "sending"; round += 1) {
    const dispatches = new Set(rig.alarm());
    for (const dispatch of dispatches) {
      const answer = rig.reserve(dispatch, `settle-${round}`);
      if (answer.granted) rig.told(answer, sentTo(answer));
    }
    const deadline = rig.ledger.outlook(rig.now)?.work ?? null;
    if (deadline !== null) rig.now = Math.max(rig.now, deadline);
  }
}
