/**
 * The slots of the provider's account, shared by all campaigns, and those of a campaign that has a
 * limit of its own.
 *
 * `epoch` counts the holds. A consumer that was given a slot ahead of time asks before it uses it
 * whether it still stands: a hold in between has taken it back, so that a `retry-after` shifts
 * everybody, those who wait already as well.
 */
import { slotMilliseconds, takeSlot } from "../domain/gate.ts";
import type { CampaignId, Instant } from "../domain/ids.ts";
import { maybeOne, one, run, statement, type Storage } from "../ledger/sql.ts";
import type { GateReading, SlotAnswer } from "./rpc.ts";
import { Shares } from "./shares.ts";

type GateRow = { next: number; held_until: number; epoch: number };
const gateRow = statement<GateRow>(
  "gate.row",
  "SELECT next, held_until, epoch FROM gate WHERE one = 1",
);
const writeGate = statement<never, GateRow>(
  "gate.write",
  "UPDATE gate SET next = :next, held_until = :held_until, epoch = :epoch WHERE one = 1",
);
const campaignGate = statement<{ requests_per_second: number; next: number }, { id: string }>(
  "gate.campaign",
  `SELECT requests_per_second, next FROM campaigns
    WHERE id = :id AND requests_per_second IS NOT NULL`,
);
const writeCampaignGate = statement<never, { id: string; next: number }>(
  "gate.writeCampaign",
  "UPDATE campaigns SET next = :next WHERE id = :id",
);

export class RateGate {
  readonly #storage: Storage;
  readonly #requestsPerSecond: number;
  readonly #shares: Shares;

  constructor(storage: Storage, requestsPerSecond: number) {
    this.#storage = storage;
    this.#requestsPerSecond = requestsPerSecond;
    this.#shares = new Shares(slotMilliseconds(requestsPerSecond));
  }

  take(campaign: CampaignId, atMostMilliseconds: number, now: Instant): SlotAnswer {
    const row = one(this.#storage, gateRow, {});
    const { epoch } = row;
    const own = maybeOne(this.#storage, campaignGate, { id: campaign });
    // A campaign that has to wait for itself takes no slot of the account's: that would hold up
    // all the others until its turn.
    if (own !== null && own.next > now) {
      return { taken: false, waitMilliseconds: Math.ceil(own.next - now), epoch };
    }
    const ahead = this.#shares.ask(campaign, row.next - now, now);
    if (ahead > 0) {
      // Further than it would sit out: a consumer that waits here keeps others from being heard.
      const waitMilliseconds = Math.max(Math.ceil(ahead), atMostMilliseconds + 1);
      this.#shares.answered(campaign, waitMilliseconds, now);
      return { taken: false, waitMilliseconds, epoch };
    }
    const slot = takeSlot(row, this.#requestsPerSecond, now, atMostMilliseconds);
    this.#shares.answered(campaign, slot.waitMilliseconds, now);
    if (!slot.taken) return { ...slot, epoch };
    this.#shares.took(campaign, now);
    run(this.#storage, writeGate, { ...row, next: slot.gate.next });
    const at = now + slot.waitMilliseconds;
    if (own !== null) {
      const next = at + slotMilliseconds(own.requests_per_second);
      run(this.#storage, writeCampaignGate, { id: campaign, next });
    }
    return { taken: true, waitMilliseconds: slot.waitMilliseconds, epoch };
  }

  /** Whether slots that were given out at this epoch may still be used. */
  stands(epoch: number): boolean {
    return one(this.#storage, gateRow, {}).epoch === epoch;
  }

  /** Where the gate stands; reads one row. */
  reading(now: Instant): GateReading {
    const { next, held_until, epoch } = one(this.#storage, gateRow, {});
    return {
      requestsPerSecond: this.#requestsPerSecond,
      waitMilliseconds: Math.max(next - now, 0),
      heldMilliseconds: Math.max(held_until - now, 0),
      holds: epoch,
    };
  }

  /** Takes all slots back and gives none before the longest silence that was asked for. */
  hold(milliseconds: number, now: Instant): void {
    const row = one(this.#storage, gateRow, {});
    const held_until = Math.max(row.held_until, now + milliseconds);
    run(this.#storage, writeGate, { next: held_until, held_until, epoch: row.epoch + 1 });
  }
}
