/** Replays in the ledger, beside what its contract says of them. */
import { describe, expect, it } from "vitest";
import type { DispatchNumber, RecipientId } from "../../../src/domain/ids.ts";
import { failedFor, type Rig, sentTo, taken, UNKNOWN } from "../../contract/rig.ts";
import { about, doubtRig, FeedbackRig } from "./feedback-rig.ts";

function letterOf(rig: Rig, messageId: string, dispatch: number): void {
  const letter = { messageId, dispatch: dispatch as DispatchNumber, attempts: 6 };
  taken(rig.ledger.recordDeadLetter({ ...letter, error: "x", stack: null }, rig.now));
}

function replayDeadLetters(rig: Rig) {
  return taken(rig.ledger.replay({ recipients: "deadLettered" }, rig.now));
}

function isReplayed(rig: Rig): boolean[] {
  const letters = rig.ledger.deadLetters(99, 9, rig.now) ?? [];
  return letters.map((letter) => letter.replayedAt !== null);
}

describe("replay", () => {
  it("C11: one whose order is out is sent at once, whatever the rest of the queue does", () => {
    const rig = new FeedbackRig();
    rig.sending(400, { batchSize: 100 });
    letterOf(rig, "m3", 3);
    rig.advance(1);
    rig.grant(1);
    expect(rig.alarm()).toEqual([]);
    replayDeadLetters(rig);
    expect(rig.alarm()).toEqual([3]);
    expect(isReplayed(rig)).toEqual([true]);
  });

  it("C11: one whose repeat was dead-lettered is sent at once, under the same key", () => {
    const rig = new FeedbackRig();
    rig.sending(2);
    rig.told(rig.grant(1), UNKNOWN);
    rig.advance(10);
    expect(rig.alarm()).toEqual([1]);
    letterOf(rig, "m1", 1);
    expect(replayDeadLetters(rig).reopened).toBe(2);
    expect(rig.alarm()).toEqual([1]);
    expect(rig.grant(1, "b")).toMatchObject({ idempotencyKey: "spring:1", token: 2 });
  });

  it("stay open while their batch is leased, or in a doubt that the key can't end", () => {
    const rig = new FeedbackRig();
    rig.sending(2);
    rig.grant(1);
    letterOf(rig, "m1", 1);
    expect(replayDeadLetters(rig).reopened).toBe(0);
    expect(isReplayed(rig)).toEqual([false]);
    const doubt = doubtRig();
    letterOf(doubt, "m1", 1);
    expect(replayDeadLetters(doubt)).toMatchObject({ reopened: 0, replayed: 0 });
    expect(isReplayed(doubt)).toEqual([false]);
    expect(doubt.stats()).toEqual({ inDoubt: 4 });
  });

  it("G1: a proved batch is reopened under its key although some of it is settled", () => {
    const rig = new FeedbackRig();
    rig.sending(3, { maxAttempts: 1 });
    rig.told(rig.grant(1), UNKNOWN);
    rig.hear(about(1, "sent"));
    const all = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
    expect(taken(rig.ledger.replay(all, rig.now))).toMatchObject({ reopened: 2, replayed: 0 });
    rig.alarm();
    const grant = rig.grant(1, "b");
    expect(grant).toMatchObject({ idempotencyKey: "spring:1", token: 2 });
    expect(grant.members).toHaveLength(3);
    rig.told(grant, sentTo(grant));
    expect(rig.stats()).toEqual({ sent: 3 });
  });

  it("G3: a doubt whose address was suppressed since stays one: it may have been mailed", () => {
    for (const request of [
      { recipients: "inDoubt", acceptDuplicateRisk: true } as const,
      { ids: ["r1", "r2", "r3", "r4"] as RecipientId[], acceptDuplicateRisk: true },
    ]) {
      const rig = doubtRig();
      rig.suppress("r2", "complaint");
      const report = taken(rig.ledger.replay(request, rig.now));
      const left = "ids" in request ? [{ id: "r2", status: "inDoubt" }] : [];
      expect(report).toMatchObject({ replayed: 3, reopened: 0, left });
      expect(rig.stats()).toEqual({ remaining: 3, inDoubt: 1 });
      const again = taken(rig.ledger.replay(request, rig.now));
      expect(again).toMatchObject({ replayed: 0, reopened: 0 });
      const word = { ids: ["r2"] as RecipientId[], as: "sent" } as const;
      expect(rig.ledger.resolve(word, rig.now).ok).toBe(true);
      expect(rig.stats()).toEqual({ remaining: 3, sent: 1 });
    }
  });

  it("replay of failures takes any number, and leaves out who is suppressed", () => {
    const rig = new FeedbackRig();
    rig.sending(300, { batchSize: 100, pauseAtFailureRate: 1 });
    for (const batch of [1, 2, 3]) {
      const grant = rig.grant(batch);
      rig.told(grant, failedFor(grant));
    }
    rig.suppress("r7");
    const report = taken(rig.ledger.replay({ recipients: "failed" }, rig.now));
    expect(report).toMatchObject({ replayed: 299, reopened: 0, left: [] });
    expect(rig.stats()).toEqual({ remaining: 299, suppressed: 1 });
  });
});
