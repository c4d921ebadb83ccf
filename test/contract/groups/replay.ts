/** Bringing work back, settling doubts by hand, and what the dead-letter queue left behind. */
import { describe, expect } from "vitest";
import type { DispatchNumber, RecipientId } from "../../../src/domain/ids.ts";
import {
  failedFor,
  idsOf,
  refusalOf,
  sentTo,
  taken,
  UNKNOWN,
  type ContractTest,
  type Rig,
} from "../rig.ts";

const ids = (...names: string[]) => names as RecipientId[];

function letter(rig: Rig, messageId: string, dispatch: number | null) {
  const error = { error: "the consumer threw", stack: "at once", attempts: 6 };
  const number = dispatch as DispatchNumber | null;
  return taken(rig.ledger.recordDeadLetter({ messageId, dispatch: number, ...error }, rig.now));
}

/** r1 and r2 are in doubt; the provider still remembers their key. */
function doubtful(rig: Rig): void {
  rig.sending(2, { maxAttempts: 1 });
  rig.told(rig.grant(1), UNKNOWN);
  expect(rig.stats()).toEqual({ inDoubt: 2 });
}

export function replayGroup(test: ContractTest): void {
  describe("replay", () => {
    test("failures come back under new keys, in a finished campaign too", (rig) => {
      rig.sending(3, { pauseAtFailureRate: 1 });
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant, ["r1"]));
      rig.told(grant, failedFor(grant, ["r2", "r3"]));
      expect(rig.status().state).toBe("finished");
      const report = taken(rig.ledger.replay({ recipients: "failed" }, rig.now));
      expect(report).toMatchObject({ replayed: 2, reopened: 0, left: [] });
      expect(report.status).toMatchObject({ state: "sending", finishedAt: null });
      expect(rig.alarm()).toEqual([2]);
      const again = rig.grant(2);
      expect(idsOf(again)).toEqual(["r2", "r3"]);
      expect(again.idempotencyKey).toBe("spring:2");
      rig.told(again, sentTo(again));
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 3 } });
    });

    test("again, when the answer was lost, brings nobody back twice", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1);
      rig.told(grant, failedFor(grant));
      taken(rig.ledger.replay({ recipients: "failed" }, rig.now));
      const again = taken(rig.ledger.replay({ recipients: "failed" }, rig.now));
      expect(again).toMatchObject({ replayed: 0, reopened: 0 });
      expect(rig.stats()).toEqual({ remaining: 2 });
    });

    test("by ids: failures are replayed, who is settled otherwise is left and named", (rig) => {
      rig.sending(3);
      const grant = rig.grant(1);
      rig.told(grant, sentTo(grant, ["r1"]));
      rig.told(grant, failedFor(grant, ["r2", "r3"]));
      const request = { ids: ids("r1", "r2"), acceptDuplicateRisk: false };
      const report = taken(rig.ledger.replay(request, rig.now));
      expect(report).toMatchObject({ replayed: 1, left: [{ id: "r1", status: "sent" }] });
      expect(rig.stats()).toEqual({ sent: 1, failed: 1, remaining: 1 });
    });

    test("an unknown id refuses the whole, with nothing changed", (rig) => {
      rig.sending(2);
      const grant = rig.grant(1);
      rig.told(grant, failedFor(grant));
      const before = rig.rows();
      const request = { ids: ids("r1", "nobody"), acceptDuplicateRisk: true };
      expect(refusalOf(rig.ledger.replay(request, rig.now))).toEqual({
        code: "unknownRecipients",
        ids: ["nobody"],
      });
      expect(rig.rows()).toEqual(before);
    });

    test("G3: a doubt is not replayed by ids without the risk accepted in words", (rig) => {
      doubtful(rig);
      const before = rig.rows();
      const request = { ids: ids("r1"), acceptDuplicateRisk: false };
      expect(refusalOf(rig.ledger.replay(request, rig.now))).toEqual({
        code: "duplicateRisk",
        inDoubt: 1,
      });
      expect(rig.rows()).toEqual(before);
    });

    test("G1: a doubt is repeated under its own key while the provider remembers it", (rig) => {
      doubtful(rig);
      const request = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
      const report = taken(rig.ledger.replay(request, rig.now));
      expect(report).toMatchObject({ replayed: 0, reopened: 2, status: { state: "sending" } });
      expect(rig.alarm()).toEqual([1]);
      const again = rig.grant(1, "b");
      expect(again).toMatchObject({ idempotencyKey: "spring:1", token: 2 });
      rig.told(again, sentTo(again));
      expect(rig.status()).toMatchObject({ state: "finished", stats: { sent: 2 } });
    });

    test("a doubt whose key has lapsed is replayed under a new one", (rig) => {
      doubtful(rig);
      rig.advance(20 * 3600);
      const request = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
      const report = taken(rig.ledger.replay(request, rig.now));
      expect(report).toMatchObject({ replayed: 2, reopened: 0 });
      rig.alarm();
      expect(rig.grant(2).idempotencyKey).toBe("spring:2");
    });

    test("G1: a batch of which one was settled by hand is never repeated as a whole", (rig) => {
      doubtful(rig);
      taken(rig.ledger.resolve({ ids: ids("r1"), as: "sent" }, rig.now));
      const request = { recipients: "inDoubt", acceptDuplicateRisk: true } as const;
      expect(taken(rig.ledger.replay(request, rig.now))).toMatchObject({
        replayed: 1,
        reopened: 0,
      });
      rig.alarm();
      expect(idsOf(rig.grant(2))).toEqual(["r2"]);
    });

    test("a late sent for somebody replayed keeps him from being mailed again", (rig) => {
      doubtful(rig);
      const grant = { batch: 1, token: 1 };
      rig.advance(20 * 3600);
      taken(rig.ledger.replay({ recipients: "inDoubt", acceptDuplicateRisk: true }, rig.now));
      rig.alarm();
      const results = [{ seq: 1, outcome: "sent", providerId: "late" }] as never;
      taken(rig.report(grant.batch, grant.token, { kind: "answered", results }));
      expect(idsOf(rig.grant(2))).toEqual(["r2"]);
      expect(rig.story("r1")).toMatchObject({ status: "sent", providerId: "late" });
    });

    test("while paused a replay waits for the resume", (rig) => {
      rig.sending(3, { batchSize: 2 });
      const grant = rig.grant(1);
      rig.told(grant, failedFor(grant));
      rig.pause();
      expect(taken(rig.ledger.replay({ recipients: "failed" }, rig.now)).status.state).toBe(
        "paused",
      );
      expect(rig.alarm()).toEqual([]);
    });

    test("a draft has nothing to replay", (rig) => {
      rig.create();
      const answer = rig.ledger.replay({ recipients: "failed" }, rig.now);
      expect(refusalOf(answer)).toMatchObject({ code: "wrongState", command: "reopen" });
    });
  });

  resolveGroup(test);
  deadLetterGroup(test);
  breakerGroup(test);
}

function resolveGroup(test: ContractTest): void {
  describe("resolve", () => {
    test("a person settles doubts as sent or failed, and again is the same as once", (rig) => {
      doubtful(rig);
      taken(rig.ledger.resolve({ ids: ids("r1"), as: "sent" }, rig.now));
      taken(rig.ledger.resolve({ ids: ids("r2"), as: "failed" }, rig.now));
      expect(rig.stats()).toEqual({ sent: 1, failed: 1 });
      expect(rig.story("r1")).toMatchObject({ status: "sent", providerId: null });
      expect(rig.story("r2")).toMatchObject({ reason: "resolved by hand as failed" });
      taken(rig.ledger.resolve({ ids: ids("r1"), as: "sent" }, rig.now));
      expect(rig.stats()).toEqual({ sent: 1, failed: 1 });
    });

    test("all of them or none: who is not in doubt is named with the status", (rig) => {
      rig.sending(3, { maxAttempts: 1, batchSize: 2 });
      rig.told(rig.grant(1), UNKNOWN);
      const before = rig.rows();
      const answer = rig.ledger.resolve({ ids: ids("r1", "r3"), as: "failed" }, rig.now);
      expect(refusalOf(answer)).toEqual({
        code: "notInDoubt",
        recipients: [{ id: "r3", status: "pending" }],
      });
      const stranger = rig.ledger.resolve({ ids: ids("r1", "x"), as: "sent" }, rig.now);
      expect(refusalOf(stranger)).toEqual({ code: "unknownRecipients", ids: ["x"] });
      expect(rig.rows()).toEqual(before);
    });
  });
}

function deadLetterGroup(test: ContractTest): void {
  describe("dead letters", () => {
    test("each message is kept once, newest first, with the recipients of its batch", (rig) => {
      rig.sending(3, { batchSize: 2 });
      rig.grant(1);
      letter(rig, "m1", 1);
      letter(rig, "m2", null);
      expect(letter(rig, "m1", 1).deadLetters).toBe(2);
      const page = rig.ledger.deadLetters(Number.MAX_SAFE_INTEGER, 10, rig.now);
      expect(page).toMatchObject([
        { number: 2, messageId: "m2", dispatch: null, recipients: 0 },
        {
          number: 1,
          messageId: "m1",
          dispatch: 1,
          recipients: 2,
          error: "the consumer threw",
          stack: "at once",
          attempts: 6,
          replayedAt: null,
        },
      ]);
    });

    test("C11: a dead letter in doubt is replayed under the key it had", (rig) => {
      doubtful(rig);
      letter(rig, "m1", 1);
      const report = taken(rig.ledger.replay({ recipients: "deadLettered" }, rig.now));
      expect(report).toMatchObject({ replayed: 0, reopened: 2 });
      rig.alarm();
      expect(rig.grant(1, "b").idempotencyKey).toBe("spring:1");
      const letters = rig.ledger.deadLetters(9, 9, rig.now);
      expect(letters?.[0]?.replayedAt).toBe(rig.now);
      const again = taken(rig.ledger.replay({ recipients: "deadLettered" }, rig.now));
      expect(again).toMatchObject({ reopened: 0 });
    });

    test("C11: one whose batch waits is sent at once, under the same key", (rig) => {
      rig.sending(2);
      rig.told(rig.grant(1), { ...UNKNOWN, retryAfterSeconds: 600 } as typeof UNKNOWN);
      letter(rig, "m1", 1);
      expect(taken(rig.ledger.replay({ recipients: "deadLettered" }, rig.now)).reopened).toBe(2);
      expect(rig.alarm()).toEqual([1]);
      expect(rig.grant(1, "b")).toMatchObject({ idempotencyKey: "spring:1", token: 2 });
    });

    test("G2: a dead letter loses nobody: its batch goes on by itself", (rig) => {
      rig.sending(2);
      rig.grant(1);
      letter(rig, "m1", 1);
      rig.advance(120);
      expect(rig.alarm()).toEqual([1]);
    });

    test("too many pause the campaign, and a resume is not undone by the next one", (rig) => {
      rig.sending(2, { pauseAtDeadLetters: 2 });
      expect(letter(rig, "m1", null).state).toBe("sending");
      expect(letter(rig, "m2", null)).toMatchObject({
        state: "paused",
        pause: { reason: "deadLetters", detail: "2 messages reached the dead-letter queue" },
      });
      rig.resume();
      expect(letter(rig, "m3", null).state).toBe("sending");
    });
  });
}

function breakerGroup(test: ContractTest): void {
  describe("failure rate", () => {
    test("says nothing before a sample, and pauses above the rate", (rig) => {
      rig.sending(200, { batchSize: 49, pauseAtFailureRate: 0.5 });
      const first = rig.grant(1);
      expect(rig.told(first, failedFor(first)).state).toBe("sending");
      const second = rig.grant(2);
      expect(rig.told(second, sentTo(second)).state).toBe("sending");
      const third = rig.grant(3);
      expect(rig.told(third, failedFor(third))).toMatchObject({
        state: "paused",
        pause: {
          reason: "failureRate",
          detail: "98 of the last 147 settled recipients failed",
        },
      });
    });

    test("a resume begins a new count", (rig) => {
      rig.sending(200, { batchSize: 50, pauseAtFailureRate: 0.1 });
      const first = rig.grant(1);
      expect(rig.told(first, failedFor(first)).state).toBe("paused");
      rig.resume();
      const second = rig.grant(2);
      expect(rig.told(second, sentTo(second)).state).toBe("sending");
      const third = rig.grant(3);
      expect(rig.told(third, failedFor(third)).state).toBe("paused");
    });

    test("a replay takes its failures out of the count", (rig) => {
      rig.sending(200, { batchSize: 50, pauseAtFailureRate: 0.6 });
      const first = rig.grant(1);
      rig.told(first, sentTo(first));
      const second = rig.grant(2);
      expect(rig.told(second, failedFor(second)).state).toBe("sending");
      taken(rig.ledger.replay({ recipients: "failed" }, rig.now));
      rig.alarm();
      const third = rig.grant(3);
      expect(rig.told(third, sentTo(third)).state).toBe("sending");
    });
  });
}
