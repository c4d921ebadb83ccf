/** The order to ask the provider about doubts. */
import { describe, expect, it } from "vitest";
import type { RecipientId } from "../../../src/domain/ids.ts";
import {
  INQUIRY_AGAIN_SECONDS,
  INQUIRY_DELAY_SECONDS,
  INQUIRY_TRIES,
} from "../../../src/domain/limits.ts";
import { START, taken, UNKNOWN, type Rig } from "../../contract/rig.ts";
import { about, doubtRig, FeedbackRig, sentRig } from "./feedback-rig.ts";

function take(rig: Rig): number | null {
  return rig.ledger.notices.takeInquiry(rig.now);
}

/** The order that a doubt has raised, given out. */
function ordered(rig: Rig): number {
  rig.advance(INQUIRY_DELAY_SECONDS);
  const number = take(rig);
  expect(number).not.toBeNull();
  return number ?? 0;
}

describe("an inquiry", () => {
  it("is ordered by a doubt, a while after it, for everybody in doubt", () => {
    const rig = doubtRig();
    expect(take(rig)).toBeNull();
    const number = ordered(rig);
    const inquiry = rig.ledger.notices.inquiry(number, rig.now);
    expect(inquiry?.since).toBe(START);
    expect(inquiry?.members.map((member) => member.address)).toEqual([
      "r1@example.org",
      "r2@example.org",
      "r3@example.org",
      "r4@example.org",
    ]);
  });

  it("is about those only who are still in doubt", () => {
    const rig = doubtRig();
    const number = ordered(rig);
    rig.hear(about(1, "sent"), about(2, "sent"));
    taken(rig.ledger.resolve({ ids: ["r3" as RecipientId], as: "failed" }, rig.now));
    const inquiry = rig.ledger.notices.inquiry(number, rig.now);
    expect(inquiry?.members).toEqual([{ seq: 4, address: "r4@example.org" }]);
  });

  it("is not given out where webhooks were faster", () => {
    const rig = doubtRig();
    for (const seq of [1, 2, 3, 4]) rig.hear(about(seq, "sent"));
    rig.advance(INQUIRY_DELAY_SECONDS);
    expect(take(rig)).toBeNull();
    expect(rig.ledger.outlook(rig.now)?.inquiry).toBeNull();
  });

  it("is given out again while nobody answers, a bounded number of times", () => {
    const rig = doubtRig();
    ordered(rig);
    for (let tries = 2; tries <= INQUIRY_TRIES; tries += 1) {
      expect(take(rig)).toBeNull();
      rig.advance(INQUIRY_AGAIN_SECONDS);
      expect(take(rig)).toBe(1);
    }
    rig.advance(INQUIRY_AGAIN_SECONDS);
    expect(take(rig)).toBeNull();
    expect(rig.ledger.outlook(rig.now)?.inquiry).toBeNull();
    expect(rig.stats()).toEqual({ inDoubt: 4 });
  });

  it("ends with an answer, which the events tell; a key that may not read ends it in silence", () => {
    const rig = doubtRig();
    const { notices } = rig.ledger;
    const looked = { kind: "looked", found: 1, complete: true } as const;
    const number = ordered(rig);
    rig.hear(about(1, "delivered"));
    notices.closeInquiry(number, looked, 0, rig.now);
    expect(rig.ledger.outlook(rig.now)?.inquiry).toBeNull();
    expect(notices.inquiry(number, rig.now)).toBeNull();
    expect(rig.eventTypes().filter((type) => type === "inquired")).toHaveLength(1);
    notices.closeInquiry(number, looked, 0, rig.now);
    expect(rig.eventTypes().filter((type) => type === "inquired")).toHaveLength(1);
    const other = doubtRig();
    other.ledger.notices.closeInquiry(ordered(other), { kind: "notAllowed" }, 0, other.now);
    expect(other.ledger.outlook(other.now)?.inquiry).toBeNull();
    expect(other.eventTypes()).not.toContain("inquired");
  });

  it("waits as long as the provider asks where it can't be made now", () => {
    const rig = doubtRig();
    const number = ordered(rig);
    rig.ledger.notices.closeInquiry(number, { kind: "later", retryAfterSeconds: 90 }, 0, rig.now);
    expect(rig.ledger.outlook(rig.now)?.inquiry).toBe(rig.now + 90_000);
    rig.advance(90);
    expect(take(rig)).toBe(number);
  });

  it("is not ended by the answer to an older order", () => {
    const rig = new FeedbackRig();
    rig.sending(4, { batchSize: 2, idempotencyWindowSeconds: 0 });
    rig.told(rig.grant(1), UNKNOWN);
    const first = ordered(rig);
    rig.told(rig.grant(2), UNKNOWN);
    const looked = { kind: "looked", found: 0, complete: true } as const;
    rig.ledger.notices.closeInquiry(first, looked, 0, rig.now);
    expect(rig.ledger.notices.inquiry(first, rig.now)).toBeNull();
    const second = ordered(rig);
    expect(second).toBe(first + 1);
    expect(rig.ledger.notices.inquiry(second, rig.now)?.members).toHaveLength(4);
  });

  it("can be ordered at once, and is nothing where nobody is in doubt", () => {
    const rig = doubtRig();
    rig.ledger.notices.raiseInquiry(rig.now);
    expect(take(rig)).not.toBeNull();
    const calm = sentRig(1);
    calm.ledger.notices.raiseInquiry(calm.now);
    expect(take(calm)).toBeNull();
  });

  it("is never made for an external campaign, whose provider is not ours to ask", () => {
    const rig = new FeedbackRig();
    rig.external(2, { idempotencyWindowSeconds: 0 });
    const reserved = taken(
      rig.ledger.reserve({ by: "limit", reservationId: "q1", limit: 2, claim: null }, [], rig.now),
    );
    if (reserved.granted) rig.report(reserved.batch, reserved.token, UNKNOWN);
    expect(rig.stats()).toEqual({ inDoubt: 2 });
    expect(rig.ledger.outlook(rig.now)?.inquiry).toBeNull();
  });
});
