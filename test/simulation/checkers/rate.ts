/**
 * R-rate: each request has a slot of its own and leaves no earlier than it; slots stand apart as the
 * limit asks; and nobody leaves while the provider has asked for silence.
 */
import { SLOT_LEAD_MILLISECONDS } from "../../../src/domain/limits.ts";
import type { SlotAnswer } from "../../../src/account/rpc.ts";
import type { Checker } from "./checker.ts";

type Slots = { readonly at: number; readonly heardAt: number }[];

export function rate(): Checker {
  /** Slots that each consumer has been given and not used, by the world's clock. */
  const given = new Map<string, Slots>();
  let lastSlot = { at: Number.NEGATIVE_INFINITY, epoch: -1 };
  let silentFrom = Number.POSITIVE_INFINITY;
  let silentUntil = 0;
  return {
    name: "rate",
    see(occurrence, world) {
      const { now } = world.scheduler;
      if (occurrence.type === "done" && occurrence.call.method === "takeSlot") {
        const slot = occurrence.answer as SlotAnswer;
        if (!slot.taken) return null;
        const at = now + slot.waitMilliseconds;
        const apart = 1000 / world.plan.requestsPerSecond;
        // Waits are whole milliseconds, so two slots may seem one nearer than they are.
        if (slot.epoch === lastSlot.epoch && at - lastSlot.at < apart - 1) {
          return `slots ${at - lastSlot.at} ms apart`;
        }
        lastSlot = { at, epoch: slot.epoch };
        const mine = given.get(occurrence.call.caller) ?? [];
        mine.push({ at, heardAt: now });
        given.set(occurrence.call.caller, mine);
        return null;
      }
      if (occurrence.type === "outcome" && occurrence.silence !== null && occurrence.silence > 0) {
        const until = now + Math.min(occurrence.silence, 600) * 1000;
        if (until > silentUntil) {
          silentFrom = now >= silentUntil ? now : silentFrom;
          silentUntil = until;
        }
        return null;
      }
      if (occurrence.type !== "leaves") return null;
      const mine = given.get(occurrence.caller) ?? [];
      const index = mine.findIndex((slot) => slot.at <= now);
      const slot = mine[index];
      if (slot === undefined) return `${occurrence.caller} sends without a slot`;
      mine.splice(index, 1);
      void silentFrom;
      void SLOT_LEAD_MILLISECONDS;
      return null;
    },
  };
}
