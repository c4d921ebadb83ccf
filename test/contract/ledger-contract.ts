/**
 * What the ledger promises, as one suite that runs on every storage: on `node:sqlite`, where the
 * simulator lives, and on the real `SqlStorage`. A difference between the two would be a hole in
 * everything the simulator proves.
 */
import { describe } from "vitest";
import { enrolmentGroup } from "./groups/enrolment.ts";
import { suppressionGroup } from "./groups/suppression.ts";
import { doubtGroup } from "./groups/doubt.ts";
import { outboxGroup } from "./groups/outbox.ts";
import { cancelGroup } from "./groups/cancel.ts";
import { replayGroup } from "./groups/replay.ts";
import { externalGroup } from "./groups/external.ts";
import { crashGroup } from "./groups/crash.ts";
import { lookingGroup } from "./groups/looking.ts";
import { reportGroup } from "./groups/report.ts";
import { reserveGroup } from "./groups/reserve.ts";
import { lifecycleGroup } from "./groups/lifecycle.ts";
import { erasureGroup } from "./groups/erasure.ts";
import { retentionGroup } from "./groups/retention.ts";
import { unwrittenGroup } from "./groups/unwritten.ts";
import { contractTest, type Within } from "./rig.ts";

/** @param within gives each test an empty storage, and runs it where that may be used */
export function ledgerContract(name: string, within: Within): void {
  const test = contractTest(within);
  describe(`ledger on ${name}`, () => {
    lifecycleGroup(test);
    enrolmentGroup(test);
    reserveGroup(test);
    reportGroup(test);
    suppressionGroup(test);
    doubtGroup(test);
    outboxGroup(test);
    cancelGroup(test);
    replayGroup(test);
    externalGroup(test);
    lookingGroup(test);
    crashGroup(test);
    unwrittenGroup(test);
    erasureGroup(test);
    retentionGroup(test);
  });
}
