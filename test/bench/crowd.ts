/**
 * What a batch costs in requests and messages while many campaigns share the rate gate, since
 * dispatches without a slot go back and come again. Counted in virtual time (shared-gate.ts), so it is the
 * same on every machine: `node test/bench/costs.ts --count` writes it down, and
 * test/unit/account/fair-share.test.ts holds what was written down to a fresh count.
 */
import { SLOT_SIT_OUT_SECONDS } from "../../src/domain/limits.ts";
import { SharedGate, type Billed } from "../unit/account/shared-gate.ts";

export const CROWD = 100;
export const CROWD_REQUESTS_PER_SECOND = 10;
const CROWD_SEED = 20_261_129;
/** Whoever starts first books slots as long as nobody else asks; by then that is worked off. */
export const SETTLED_AFTER_SECONDS = 2 * SLOT_SIT_OUT_SECONDS + 10;
export const COUNTED_SECONDS = 60;
/** Campaigns that end meanwhile would free slots: each has more batches than its share of them. */
const BATCHES_AT_LEAST = 400;
const BATCHES_OF_ONE = 1_200;

/** Of one batch. */
export type CrowdCounts = Readonly<Billed>;

/** Equal campaigns that began together and have found their shares, of batches of one. */
export async function settledCrowd(campaigns: number): Promise<SharedGate> {
  const gate = new SharedGate(CROWD_REQUESTS_PER_SECOND, CROWD_SEED);
  const batches = Math.max(BATCHES_AT_LEAST, BATCHES_OF_ONE / campaigns);
  for (let at = 0; at < campaigns; at += 1) await gate.start(`c${at}`, batches);
  await gate.run(SETTLED_AFTER_SECONDS);
  return gate;
}

/** Runs on for so long, and tells what each of the batches that were sent meanwhile has cost. */
export async function countBatches(gate: SharedGate, seconds: number): Promise<CrowdCounts> {
  const before = { ...gate.billed };
  const calls = gate.calls.length;
  await gate.run(seconds);
  const batches = gate.calls.length - calls;
  const each = (of: keyof Billed): number =>
    Number(((gate.billed[of] - before[of]) / batches).toFixed(2));
  return {
    campaignRequests: each("campaignRequests"),
    accountRequests: each("accountRequests"),
    queueMessages: each("queueMessages"),
    queueBatches: each("queueBatches"),
    alarmsSet: each("alarmsSet"),
    postponed: each("postponed"),
  };
}

export async function countCrowd(campaigns: number): Promise<CrowdCounts> {
  return countBatches(await settledCrowd(campaigns), COUNTED_SECONDS);
}
