/** A campaign as the tests of metrics and health look at it. */
import { measured, NOTHING_MEASURED } from "../../../src/domain/measures.ts";
import type { CampaignReading } from "../../../src/domain/reading.ts";
import { NOW, STATUS } from "./api.ts";

export { NOW } from "./api.ts";

export const READING: CampaignReading = {
  status: STATUS,
  measures: measured(NOTHING_MEASURED, "answered", 70, NOW),
  outbox: { due: 1, out: 2, oldestSentAt: NOW - 9_000, heardAt: NOW - 5_000 },
  openBatches: 2,
  troubledBatches: 1,
  now: NOW,
  alarmLateMilliseconds: 250,
  liveSockets: 3,
};
