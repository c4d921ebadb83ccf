/** Waits for a slot of the provider's rate limit, or finds that the wait is too long to sit out. */
import type { CampaignId, Instant } from "../domain/ids.ts";
import { SLOT_LEAD_MILLISECONDS, SLOT_SIT_OUT_SECONDS } from "../domain/limits.ts";
import type { ConsumerDeps } from "./deps.ts";

export type SlotTaken =
  /** The call may go out when `deps.monotonic()` has reached `callAt`. */
  | { readonly taken: true; readonly callAt: number }
  | {
      readonly taken: false;
      readonly waitMilliseconds: number;
      /** As in the account's answer (account/rpc.ts). */
      readonly room?: number | undefined;
    };

/**
 * Stands in the line of the account, and comes back a little before the slot, so that what has to be
 * done before the call is done when the slot begins, and requests leave as evenly as the slots stand.
 */
export async function waitForSlot(campaign: CampaignId, deps: ConsumerDeps): Promise<SlotTaken> {
  const giveUpAt = deps.monotonic() + SLOT_SIT_OUT_SECONDS * 1000;
  let place: Instant | null = null;
  for (;;) {
    const left = Math.max(giveUpAt - deps.monotonic(), 0);
    const slot = await deps.account().takeSlot(campaign, left, place);
    if (!slot.taken) {
      const { waitMilliseconds, room } = slot;
      if (room !== undefined || waitMilliseconds > left) {
        return { taken: false, waitMilliseconds, room };
      }
      place = slot.place ?? null;
    }
    const callAt = deps.monotonic() + slot.waitMilliseconds;
    const isNear = slot.waitMilliseconds <= SLOT_LEAD_MILLISECONDS;
    if (slot.taken && isNear) return { taken: true, callAt };
    await deps.sleep(slot.waitMilliseconds - (place === null ? 0 : SLOT_LEAD_MILLISECONDS));
    // Somebody may have been asked for silence meanwhile; then this slot is void.
    if (slot.taken && (await deps.account().slotStands(slot.epoch))) return { taken: true, callAt };
  }
}

/** Comes back when the call may go out: others of this isolate may have left late. */
export async function leaveInSlot(callAt: number, deps: ConsumerDeps): Promise<void> {
  for (;;) {
    const wait = deps.pace.leave(callAt, deps.monotonic());
    if (wait === 0) return;
    await deps.sleep(wait);
  }
}
