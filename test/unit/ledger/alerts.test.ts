/** Alerts in the ledger: one for each fact, until somebody has it or it is given up. */
import { describe, expect, it } from "vitest";
import { ALERT_TRIES } from "../../../src/domain/limits.ts";
import type { DispatchNumber, RecipientId } from "../../../src/domain/ids.ts";
import { failedFor, sentTo, taken, UNKNOWN, type Rig } from "../../contract/rig.ts";
import { doubtRig, FeedbackRig, sentRig } from "./feedback-rig.ts";

function due(rig: Rig) {
  return rig.ledger.notices.takeAlerts(0, rig.now);
}

/** What is due after the time in which doubts are gathered, each of it posted. */
function told(rig: Rig) {
  rig.advance(5);
  const messages = due(rig);
  for (const { number } of messages) rig.ledger.notices.alertPosted(number, rig.now);
  return messages;
}

describe("an alert", () => {
  it("tells of the finish, once, with the numbers", () => {
    const rig = sentRig(2);
    const [message, ...more] = told(rig);
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      type: "finished",
      campaignId: "spring",
      campaignName: "Spring",
      at: new Date(rig.now - 5000).toISOString(),
      detail: { total: 2, sent: 2, failed: 0, inDoubt: 0 },
      text: expect.stringMatching(/^Campaign "Spring" \(spring\): finished\. Of 2: 2 sent/),
    });
    rig.advance(100_000);
    expect(due(rig)).toEqual([]);
    expect(rig.ledger.outlook(rig.now)?.alert).toBeNull();
  });

  it("tells of a pause that the campaign has made itself, and not of an operator's", () => {
    const rig = new FeedbackRig();
    rig.sending(4);
    rig.pause();
    expect(told(rig)).toEqual([]);
    rig.resume();
    taken(rig.ledger.pause("providerAuth", "401 <invalid> & gone", rig.now));
    const [message] = told(rig);
    expect(message).toMatchObject({ type: "paused", detail: { reason: "providerAuth" } });
    expect(message?.text).toContain("401 &lt;invalid&gt; &amp; gone");
    // The same reason later is another fact.
    rig.resume();
    taken(rig.ledger.pause("providerAuth", "again", rig.now));
    expect(told(rig)).toMatchObject([{ type: "paused", detail: { detail: "again" } }]);
  });

  it("C53: tells of doubts, those that come together in one", () => {
    const rig = new FeedbackRig();
    rig.sending(6, { batchSize: 2, idempotencyWindowSeconds: 0 });
    for (const batch of [1, 2]) rig.told(rig.grant(batch), UNKNOWN);
    expect(due(rig)).toEqual([]);
    const messages = told(rig);
    expect(messages).toMatchObject([
      { type: "inDoubt", detail: { batches: 2, recipients: 4, reason: expect.any(String) } },
    ]);
    rig.told(rig.grant(3), UNKNOWN);
    const types = told(rig).map((each) => [each.type, each.detail["recipients"]]);
    expect(types).toEqual([
      ["finished", undefined],
      ["inDoubt", 2],
    ]);
  });

  it("adds no doubt to one that is being posted", () => {
    const rig = new FeedbackRig();
    rig.sending(4, { batchSize: 2, idempotencyWindowSeconds: 0 });
    rig.told(rig.grant(1), UNKNOWN);
    rig.advance(5);
    const [first] = due(rig);
    rig.told(rig.grant(2), UNKNOWN);
    rig.ledger.notices.alertPosted(first?.number ?? 0, rig.now);
    const doubts = told(rig).filter((message) => message.type === "inDoubt");
    expect(doubts).toMatchObject([{ detail: { batches: 1, recipients: 2 } }]);
  });

  it("tells of dead letters over the threshold once, as a pause or by itself", () => {
    const rig = new FeedbackRig();
    rig.sending(4, { pauseAtDeadLetters: 2 });
    const bury = (messageId: string) =>
      rig.ledger.recordDeadLetter(
        { messageId, dispatch: 9 as DispatchNumber, error: "boom", stack: null, attempts: 6 },
        rig.now,
      );
    for (const messageId of ["m1", "m2", "m2"]) bury(messageId);
    expect(told(rig)).toMatchObject([{ type: "paused", detail: { reason: "deadLetters" } }]);
    for (const messageId of ["m3", "m4"]) bury(messageId);
    expect(told(rig)).toMatchObject([
      { type: "deadLetters", detail: { deadLetters: 4, error: "boom" } },
    ]);
  });

  it("tells of many prevented duplicates at 1,000 and at 10,000", () => {
    const rig = new FeedbackRig();
    rig.sending(100);
    rig.grant(1);
    const seen: unknown[] = [];
    for (let asked = 1; asked <= 120; asked += 1) {
      rig.reserve(1, `redelivery-${asked}`);
      for (const message of due(rig)) {
        rig.ledger.notices.alertPosted(message.number, rig.now);
        seen.push([message.type, message.detail["duplicatesPrevented"]]);
      }
    }
    expect(seen).toEqual([
      ["duplicatesPrevented", 1000],
      ["duplicatesPrevented", 10_000],
    ]);
  });

  it("is tried again with growing waits, under one id, and is given up in the end", () => {
    const rig = sentRig(1);
    const ids = new Set<string>();
    const waits: number[] = [];
    for (let tries = 1; tries <= ALERT_TRIES; tries += 1) {
      const [message] = due(rig);
      expect(message?.type).toBe("finished");
      ids.add(message?.id ?? "");
      expect(due(rig), "a try that is under way is not made twice").toEqual([]);
      const next = rig.ledger.outlook(rig.now)?.alert ?? null;
      if (next === null) break;
      waits.push(next - rig.now);
      rig.now = next;
    }
    expect(ids.size).toBe(1);
    expect(waits).toHaveLength(ALERT_TRIES - 1);
    expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
    rig.advance(1_000_000);
    expect(due(rig)).toEqual([]);
  });

  it("that was dropped is not told later, and later facts are", () => {
    const rig = new FeedbackRig();
    rig.sending(2, { pauseAtFailureRate: 1 });
    taken(rig.ledger.pause("providerQuota", "used up", rig.now));
    rig.ledger.notices.dropAlerts(rig.now);
    rig.resume();
    const grant = rig.grant(1);
    rig.told(grant, failedFor(grant));
    expect(told(rig).map((message) => message.type)).toEqual(["finished"]);
  });

  it("of a second finish is another fact", () => {
    const rig = doubtRig();
    expect(told(rig).map((message) => message.type)).toEqual(["finished", "inDoubt"]);
    const ids = ["r1" as RecipientId];
    taken(rig.ledger.replay({ ids, acceptDuplicateRisk: true }, rig.now));
    rig.alarm();
    const grant = rig.grant(2);
    rig.told(grant, sentTo(grant));
    expect(told(rig)).toMatchObject([{ type: "finished", detail: { sent: 1, inDoubt: 3 } }]);
  });
});
