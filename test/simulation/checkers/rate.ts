/**
 * R-rate: each request has a slot of its own and leaves no earlier than it; slots stand apart as the
 * limit asks; and none lies in a silence that the provider has asked for. A consumer that was asked
 * for silence tells the account before it tells the ledger.
 */
import type { SlotAnswer } from "../../../src/account/rpc.ts";
import { type Call, reportOf } from "../occurrence.ts";
import type { Checker } from "./checker.ts";

export function rate(): Checker {
  /** Slots that each consumer has been given and not used, by the world's clock. */
  const given = new Map<string, number[]>();
  /** How often each consumer has told the account, whether or not it got through. */
  const holds = new Map<string, number>();
  /** Reports of a silence by each consumer, by batch and token. */
  const told = new Map<string, Set<string>>();
  let last = { at: Number.NEGATIVE_INFINITY, epoch: -1 };
  let silentUntil = 0;

  function slotTaken(call: Call, slot: SlotAnswer, now: number, perSecond: number): string | null {
    if (!slot.taken) return null;
    const at = now + slot.waitMilliseconds;
    // Waits are whole milliseconds, so two slots may seem one nearer than they are.
    const isNear = slot.epoch === last.epoch && at - last.at < 1000 / perSecond - 1;
    if (isNear) return `slots ${at - last.at} ms apart`;
    if (at < silentUntil - 1) return `a slot ${silentUntil - at} ms before the silence ends`;
    last = { at, epoch: slot.epoch };
    given.set(call.caller, [...(given.get(call.caller) ?? []), at]);
    return null;
  }

  function silenceTold(call: Call): string | null {
    const report = reportOf(call);
    if (report === null || !("number" in report.batch)) return null;
    const { outcome } = report;
    if (outcome.kind !== "deferred" && outcome.kind !== "unknown") return null;
    if ((outcome.retryAfterSeconds ?? 0) <= 0) return null;
    if (outcome.kind === "deferred" && outcome.pause !== null) return null;
    const mine = told.get(call.caller) ?? new Set();
    told.set(call.caller, mine.add(`${call.object}:${report.batch.number}:${report.token}`));
    return mine.size > (holds.get(call.caller) ?? 0)
      ? `${call.caller} was asked for silence and kept it to itself`
      : null;
  }

  return {
    name: "rate",
    see(occurrence, world) {
      const { now } = world.scheduler;
      if (occurrence.type === "calls") {
        const { caller } = occurrence;
        if (occurrence.method === "holdSlots") holds.set(caller, (holds.get(caller) ?? 0) + 1);
        return null;
      }
      if (occurrence.type === "asked") return silenceTold(occurrence.call);
      if (occurrence.type === "done") {
        const { call, answer } = occurrence;
        const { requestsPerSecond } = world.plan;
        if (call.method === "takeSlot") {
          return slotTaken(call, answer as SlotAnswer, now, requestsPerSecond);
        }
        if (call.method !== "holdSlots") return null;
        silentUntil = Math.max(silentUntil, now + (call.args[0] as number));
        return null;
      }
      if (occurrence.type !== "leaves") return null;
      const mine = given.get(occurrence.caller) ?? [];
      const index = mine.findIndex((at) => at <= now);
      if (index < 0) return `${occurrence.caller} sends before a slot of its own`;
      mine.splice(index, 1);
      return null;
    },
  };
}
