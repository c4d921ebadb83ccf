/** A campaign on `node:sqlite` whose mails have a fate. */
import { expect } from "vitest";
import type { Fate, FeedbackEvent } from "../../../src/domain/feedback.ts";
import type { Address, Seq } from "../../../src/domain/ids.ts";
import { NodeStorage } from "../../support/node-storage.ts";
import { Rig, sentTo, START, UNKNOWN } from "../../contract/rig.ts";

export function about(seq: number, fate: Fate, more: Partial<FeedbackEvent> = {}): FeedbackEvent {
  return {
    seq: seq as Seq,
    providerId: `mail-${seq}`,
    fate,
    at: START + 1000,
    acceptedAt: START + 500,
    addresses: [`r${seq}@example.org` as Address],
    ...more,
  };
}

export class FeedbackRig extends Rig {
  constructor() {
    super(new NodeStorage());
  }

  hear(...events: FeedbackEvent[]) {
    return this.ledger.recordFeedback(events, this.now);
  }

  feedback() {
    return this.status().feedback;
  }
}

/** r1 … rN sent by the first batches. */
export function sentRig(count: number): FeedbackRig {
  const rig = new FeedbackRig();
  rig.sending(count);
  const grant = rig.grant(1);
  rig.told(grant, sentTo(grant));
  return rig;
}

/** r1 … r4 in one batch that may have been accepted and can't be asked any more. */
export function doubtRig(): FeedbackRig {
  const rig = new FeedbackRig();
  rig.sending(4, { idempotencyWindowSeconds: 0 });
  rig.told(rig.grant(1), UNKNOWN);
  expect(rig.stats()).toEqual({ inDoubt: 4 });
  return rig;
}
