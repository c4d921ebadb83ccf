/**
 * The slots of the provider's account, shared by all campaigns, and those of a campaign that has a
 * limit of its own.
 *
 * Whoever asks while the next slot is some way off gets a place in the line, comes back a little
 * before its turn, and takes the slot then. Slots that are taken seconds ahead are lost to
 * everybody when their consumers die with all else. So the line is in memory (line.ts), and only what
 * was taken is in the rows: a crash of the object empties the line, and the limits hold.
 *
 * `epoch` counts the holds. A consumer that was given a slot ahead of time asks before it uses it
 * whether it still stands: a hold in between has taken it back, so that a `retry-after` shifts
 * everybody, those who wait already as well.
 */
import { slotMilliseconds, takeSlot } from "../domain/gate.ts";
import type { CampaignId, Instant } from "../domain/ids.ts";
import { PLACE_LATE_MILLISECONDS, SLOT_LEAD_MILLISECONDS } from "../domain/limits.ts";
import { maybeOne, one, run, statement, type Storage } from "../ledger/sql.ts";
import type { GateReading, SlotAnswer } from "./rpc.ts";
import { Line } from "./line.ts";
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
type CampaignGate = { requests_per_second: number; next: number };
const campaignGate = statement<CampaignGate, { id: string }>(
  "gate.campaign",
  `SELECT requests_per_second, next FROM campaigns
    WHERE id = :id AND requests_per_second IS NOT NULL`,
);
const writeCampaignGate = statement<never, { id: string; next: number }>(
  "gate.writeCampaign",
  "UPDATE campaigns SET next = :next WHERE id = :id",
);

/** As in `AccountRpc.takeSlot`. */
type Ask = {
  readonly campaign: CampaignId;
  readonly atMostMilliseconds: number;
  readonly place?: Instant | null | undefined;
};

type Gates = {
  readonly account: GateRow;
  /** Null: the campaign has no limit of its own. */
  readonly own: CampaignGate | null;
};

export class RateGate {
  readonly #storage: Storage;
  readonly #requestsPerSecond: number;
  readonly #spacing: number;
  readonly #shares: Shares;
  readonly #line: Line;

  constructor(storage: Storage, requestsPerSecond: number) {
    this.#storage = storage;
    this.#requestsPerSecond = requestsPerSecond;
    this.#spacing = slotMilliseconds(requestsPerSecond);
    this.#shares = new Shares(this.#spacing);
    this.#line = new Line(this.#spacing);
  }

  take(ask: Ask, now: Instant): SlotAnswer {
    const account = one(this.#storage, gateRow, {});
    const own = maybeOne(this.#storage, campaignGate, { id: ask.campaign });
    const gates = { account, own };
    return typeof ask.place === "number"
      ? this.#back(gates, { ...ask, place: ask.place }, now)
      : this.#first(gates, ask, now);
  }

  /** Of the first ask. Whoever has a place has passed all this. */
  #first(gates: Gates, ask: Ask, now: Instant): SlotAnswer {
    const { account, own } = gates;
    const { campaign, atMostMilliseconds } = ask;
    const standsInLine = ask.place === null;
    const from = Math.max(account.next, now);
    const at = standsInLine ? this.#line.next(from) : from;
    // Releases of before know of no place, and wait for themselves before they wait for the others.
    if (!standsInLine && own !== null && own.next > at) return notTaken(account, own.next - at);
    const ahead = this.#shares.ask(campaign, at - now, now);
    // Further than it would sit out: a consumer that waits here keeps others from being heard.
    if (ahead > 0) {
      const answer = notTaken(account, Math.max(ahead, atMostMilliseconds + 1));
      this.#shares.answered(campaign, answer.waitMilliseconds, now);
      return answer;
    }
    const isFar = standsInLine && this.#next(gates, campaign, now) - now > SLOT_LEAD_MILLISECONDS;
    const answer = isFar ? this.#place(gates, ask, now) : this.#slot(gates, ask, now);
    this.#shares.answered(campaign, answer.waitMilliseconds, now);
    if (answer.taken || answer.place !== null) this.#shares.took(campaign, now);
    return answer;
  }

  /** Of an ask with a place, whose turn it should be by now. */
  #back(gates: Gates, ask: Ask & { readonly place: Instant }, now: Instant): SlotAnswer {
    const { account, own } = gates;
    const at = Math.max(account.next, now);
    // Another of its campaign was late. What the slot here would be goes to who is next in line.
    if (own !== null && own.next - at > Math.min(SLOT_LEAD_MILLISECONDS, this.#spacing)) {
      if (own.next - ask.place > ownMilliseconds(own)) return this.#place(gates, ask, now);
      return { ...notTaken(account, own.next - at + SLOT_LEAD_MILLISECONDS), place: ask.place };
    }
    // Where slots stand further apart than half a second, a holder that is sent away leaves one unused.
    const late = Math.max(PLACE_LATE_MILLISECONDS, this.#spacing);
    if (at - now > late) return this.#place(gates, ask, now);
    // It has stood in line for this one, so it waits for it a little longer than it would otherwise.
    return this.#slot(gates, { ...ask, atMostMilliseconds: ask.atMostMilliseconds + late }, now);
  }

  /** The first place that is left for such a campaign. */
  #next({ account, own }: Gates, campaign: CampaignId, now: Instant): Instant {
    const from = Math.max(account.next, now);
    return own === null ? this.#line.next(from) : this.#line.nextOf(campaign, own.next, from);
  }

  #place(gates: Gates, { campaign, atMostMilliseconds }: Ask, now: Instant): SlotAnswer {
    const { account, own } = gates;
    const place = this.#next(gates, campaign, now);
    const answer = notTaken(account, place - now);
    if (answer.waitMilliseconds > atMostMilliseconds) return answer;
    this.#line.give(place, now);
    if (own !== null) this.#line.giveOf(campaign, place, ownMilliseconds(own), now);
    return { ...answer, place };
  }

  /** The next slot that nobody has taken. */
  #slot({ account, own }: Gates, ask: Ask, now: Instant): SlotAnswer {
    const next = Math.max(account.next, own?.next ?? 0);
    const slot = takeSlot({ next }, this.#requestsPerSecond, now, ask.atMostMilliseconds);
    if (!slot.taken) return notTaken(account, slot.waitMilliseconds);
    run(this.#storage, writeGate, { ...account, next: slot.gate.next });
    if (own !== null) {
      const at = Math.max(next, now);
      const ownNext = at + ownMilliseconds(own);
      run(this.#storage, writeCampaignGate, { id: ask.campaign, next: ownNext });
    }
    const { waitMilliseconds } = slot;
    return { taken: true, waitMilliseconds, place: null, epoch: account.epoch };
  }

  /** Whether slots that were given out at this epoch may still be used. */
  stands(epoch: number): boolean {
    return one(this.#storage, gateRow, {}).epoch === epoch;
  }

  /** Where the gate stands; reads one row. */
  reading(now: Instant): GateReading {
    const row = one(this.#storage, gateRow, {});
    return {
      requestsPerSecond: this.#requestsPerSecond,
      waitMilliseconds: this.#line.next(Math.max(row.next, now)) - now,
      heldMilliseconds: Math.max(row.held_until - now, 0),
      holds: row.epoch,
    };
  }

  /** Takes all slots back and gives none before the longest silence that was asked for. */
  hold(milliseconds: number, now: Instant): void {
    const row = one(this.#storage, gateRow, {});
    const held_until = Math.max(row.held_until, now + milliseconds);
    // A slot that begins at once is not given back, whoever asks for silence.
    const next = Math.max(
      held_until,
      Math.min(row.next, now + SLOT_LEAD_MILLISECONDS + this.#spacing),
    );
    run(this.#storage, writeGate, { next, held_until, epoch: row.epoch + 1 });
  }
}

function ownMilliseconds({ requests_per_second }: CampaignGate): number {
  return slotMilliseconds(requests_per_second);
}

function notTaken({ epoch }: GateRow, waitMilliseconds: number): SlotAnswer {
  return { taken: false, waitMilliseconds: Math.ceil(waitMilliseconds), place: null, epoch };
}
