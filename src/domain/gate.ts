/**
 * The provider's rate limit as one line of slots: GCRA with a burst of one, so that any window of a
 * second holds at most the limit (ITU-T I.371, the "virtual scheduling" form).
 *
 * Slots stand a little further apart than the limit asks for, since requests that leave evenly
 * arrive unevenly. Pure: the caller keeps the state.
 */
import type { Instant } from "./ids.ts";
import { SLOT_SPACING } from "./limits.ts";

/** The theoretical arrival time: the earliest moment of the next slot. */
export type Gate = { readonly next: Instant };

export type Slot =
  | { readonly taken: true; readonly waitMilliseconds: number; readonly gate: Gate }
  | { readonly taken: false; readonly waitMilliseconds: number };

/** Milliseconds between two slots. */
export function slotMilliseconds(requestsPerSecond: number): number {
  return (1000 / requestsPerSecond) * SLOT_SPACING;
}

/** Takes the next slot unless it is further away than `atMostMilliseconds`. */
export function takeSlot(
  gate: Gate,
  requestsPerSecond: number,
  now: Instant,
  atMostMilliseconds: number,
): Slot {
  const at = Math.max(gate.next, now);
  const waitMilliseconds = Math.ceil(at - now);
  if (waitMilliseconds > atMostMilliseconds) return { taken: false, waitMilliseconds };
  return {
    taken: true,
    waitMilliseconds,
    gate: { next: at + slotMilliseconds(requestsPerSecond) },
  };
}
