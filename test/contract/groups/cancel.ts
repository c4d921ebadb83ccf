/** Cancelling: whoever was not mailed is cancelled, whoever may have been stays in view (G2). */
import { describe, expect } from "vitest";
import {
  deferredFor,
  failedFor,
  REJECTED,
  refusalOf,
  sentTo,
  START,
  UNKNOWN,
  type ContractTest,
} from "../rig.ts";

export function cancelGroup(test: ContractTest): void {
  describe("cancel", () => {
    test("C42, G2: pending, released, clean, troubled and leased each end where they are", (rig) => {
      rig.sending(12, { batchSize: 2 });
      const sent = rig.grant(1);
      rig.told(sent, sentTo(sent));
      rig.told(rig.grant(2), UNKNOWN); // r3, r4
      rig.told(rig.grant(3), deferredFor(60)); // r5, r6
      rig.told(rig.grant(4), REJECTED); // r7, r8 are put back
      const held = rig.grant(5); // r7
      expect(rig.cancel()).toMatchObject({
        state: "cancelled",
        finishedAt: START,
        stats: { total: 12, sent: 2, inDoubt: 2, reserved: 1, cancelled: 7, remaining: 0 },
      });
      expect(rig.statusOf("r3")).toBe("inDoubt");
      expect(rig.statusOf("r5")).toBe("cancelled");
      expect(rig.statusOf("r8")).toBe("cancelled");
      expect(rig.ledger.dueDispatches(rig.now)).toEqual([]);
      expect(held.members.map(({ id }) => id)).toEqual(["r7"]);
      rig.advance(120);
      rig.alarm();
      expect(rig.stats()).toEqual({ sent: 2, inDoubt: 3, cancelled: 7 });
      expect(rig.ledger.outlook(rig.now)?.work).toBeNull();
    });

    test("what a consumer holds is still settled by its report, whatever it says", (rig) => {
      rig.sending(12, { batchSize: 2 });
      const held = [1, 2, 3, 4, 5].map((dispatch) => rig.grant(dispatch));
      const [answered, rejected, deferred, unknown, mixed] = held;
      rig.cancel();
      for (const [grant, outcome] of [
        [answered, answered && sentTo(answered)],
        [rejected, REJECTED],
        [deferred, deferredFor(5)],
        [unknown, UNKNOWN],
        [mixed, mixed && failedFor(mixed)],
      ] as const) {
        if (grant !== undefined && outcome !== undefined) rig.told(grant, outcome);
      }
      expect(rig.stats()).toEqual({ sent: 2, failed: 2, inDoubt: 2, cancelled: 6 });
      expect(rig.status().state).toBe("cancelled");
    });

    test("a rejection with a named fault fails that one and cancels the rest", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      rig.cancel();
      const seq = grant.members[1]?.seq as (typeof grant.members)[number]["seq"];
      rig.told(grant, { kind: "rejected", reason: "422", faults: [{ seq, reason: "bad" }] });
      expect(rig.stats()).toEqual({ failed: 1, cancelled: 2 });
    });

    test("a deferral after an unknown attempt stays a doubt", (rig) => {
      rig.sending(1);
      rig.told(rig.grant(1), UNKNOWN);
      rig.advance(10);
      const again = rig.grant(1, "b");
      rig.cancel();
      rig.told(again, deferredFor(5));
      expect(rig.stats()).toEqual({ inDoubt: 1 });
    });

    test("a late sent for somebody cancelled is still a fact", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1);
      rig.told(grant, deferredFor(60));
      rig.cancel();
      expect(rig.stats()).toEqual({ cancelled: 2 });
      rig.told(grant, sentTo(grant, ["r1"]));
      expect(rig.stats()).toEqual({ cancelled: 1, sent: 1 });
    });

    test("again is the same as once, and there is no way back", (rig) => {
      rig.sending(2);
      rig.cancel();
      const before = rig.rows();
      rig.cancel();
      expect(rig.rows()).toEqual(before);
      const replay = rig.ledger.replay({ recipients: "failed" }, rig.now);
      expect(refusalOf(replay)).toEqual({
        code: "wrongState",
        state: "cancelled",
        command: "reopen",
      });
    });

    test("a draft, a scheduled and a paused campaign may be cancelled", (rig) => {
      rig.create();
      rig.start(START + 1000);
      rig.pause();
      expect(rig.cancel()).toMatchObject({ state: "cancelled", pause: null });
      rig.advance(5);
      rig.alarm();
      expect(rig.status().startedAt).toBeNull();
    });
  });
}
