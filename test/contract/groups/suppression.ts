/** Suppressed means not mailed (G6): wherever the recipient stands when the word comes. */
import { describe, expect } from "vitest";
import { deferredFor, idsOf, REJECTED, sentTo, START, UNKNOWN, type ContractTest } from "../rig.ts";

export function suppressionGroup(test: ContractTest): void {
  describe("suppress", () => {
    test("C60, G6: a pending recipient is suppressed at once and never reserved", (rig) => {
      rig.sending(4, { batchSize: 2 });
      const grant = rig.grant(1);
      rig.suppress("r3");
      expect(rig.stats()).toEqual({ reserved: 2, remaining: 1, suppressed: 1 });
      expect(idsOf(rig.grant(2))).toEqual(["r4"]);
      expect(rig.story("r3")).toMatchObject({
        status: "suppressed",
        reason: "unsubscribe",
        batch: null,
        suppression: { reason: "unsubscribe", at: START },
      });
      expect(idsOf(grant)).toEqual(["r1", "r2"]);
    });

    test("a reserved recipient stays with its batch: it may be with the provider already", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1);
      rig.suppress("r1");
      expect(rig.stats()).toEqual({ reserved: 2 });
      rig.advance(1);
      rig.told(grant, sentTo(grant));
      expect(rig.story("r1")).toMatchObject({
        status: "sent",
        providerId: "mail-1",
        suppression: { reason: "unsubscribe", at: START },
      });
    });

    test("G6: a clean waiting batch with a suppressed member is given up for new ones", (rig) => {
      rig.sending(3);
      rig.told(rig.grant(1), deferredFor(5));
      rig.suppress("r2");
      rig.advance(5);
      rig.alarm();
      expect(rig.refusal(1, "b")).toBe("settled");
      expect(rig.stats()).toEqual({ remaining: 2, suppressed: 1 });
      rig.alarm();
      const next = rig.grant(2);
      expect(idsOf(next)).toEqual(["r1", "r3"]);
      expect(next.idempotencyKey).toBe("spring:2");
    });

    test("C10: after an unknown attempt the bytes stay: same members, same key", (rig) => {
      rig.sending(100);
      const first = rig.grant(1);
      rig.told(first, UNKNOWN);
      rig.suppress("r5");
      rig.advance(10);
      rig.alarm();
      const second = rig.grant(1, "b");
      expect(second.members).toEqual(first.members);
      expect(second.idempotencyKey).toBe(first.idempotencyKey);
      rig.told(second, sentTo(second));
      expect(rig.stats()).toEqual({ sent: 100 });
      const { attempts, suppression: withheld } = rig.story("r5");
      expect(attempts[0]?.startedAt).toBeLessThanOrEqual(withheld?.at ?? 0);
    });

    test("G6: who is suppressed while reserved is withheld when the batch is put back", (rig) => {
      rig.sending(4);
      const grant = rig.grant(1);
      rig.suppress("r2", "complaint");
      rig.told(grant, REJECTED);
      expect(rig.stats()).toEqual({ remaining: 3, suppressed: 1 });
      expect(rig.story("r2")).toMatchObject({ status: "suppressed", reason: "complaint" });
    });

    test("who was put back and waits is suppressed like any other", (rig) => {
      rig.sending(4);
      rig.told(rig.grant(1), REJECTED);
      rig.suppress("r1");
      rig.alarm();
      expect(idsOf(rig.grant(2))).toEqual(["r2", "r3"]);
    });

    test("the first suppression is kept, another and unknown addresses change nothing", (rig) => {
      rig.sending(2);
      rig.suppress("r1");
      const { version } = rig.status();
      rig.advance(5);
      rig.suppress("r1", "complaint");
      rig.suppress("stranger");
      expect(rig.status().version).toBe(version);
      expect(rig.story("r1").suppression).toEqual({ reason: "unsubscribe", at: START });
    });

    test("settled recipients keep their end and remember the suppression", (rig) => {
      rig.sending(3, { batchSize: 1 });
      const sent = rig.grant(1);
      rig.told(sent, sentTo(sent));
      rig.told(rig.grant(2), REJECTED);
      rig.suppress("r1");
      rig.suppress("r2");
      expect(rig.statusOf("r1")).toBe("sent");
      expect(rig.statusOf("r2")).toBe("failed");
      rig.ledger.replay({ recipients: "failed" }, rig.now);
      expect(rig.statusOf("r2")).toBe("suppressed");
      expect(rig.stats()).toEqual({ sent: 1, remaining: 1, suppressed: 1 });
    });

    test("the last one pending suppressed: the campaign is finished", (rig) => {
      rig.sending(1);
      rig.suppress("r1");
      expect(rig.status()).toMatchObject({ state: "finished", stats: { suppressed: 1 } });
    });
  });
}
