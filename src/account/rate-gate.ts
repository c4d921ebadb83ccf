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
import {
  PLACE_LATE_MILLISECONDS,
  SLOT_LEAD_MILLISECONDS,
  SLOT_SIT_OUT_SECONDS,
} from "../domain/limits.ts";
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
    const gate = Math.max(account.next, now);
    const at = standsInLine ? this.#line.next(gate) : gate;
    // A slot that is taken for a campaign that has to wait for itself would hold up all the others.
    if (!standsInLine && own !== null && own.next > at) return notTaken(account, own.next - at);
    const ahead = this.#shares.ask(campaign, at - now, now);
    if (ahead > 0) {
      this.#shares.answered(campaign, ahead, now);
      // A consumer of a release before would sit out a shorter wait.
      return this.#goesBack(gates, standsInLine ? ahead : Math.max(ahead, atMostMilliseconds + 1));
    }
    const isNear = this.#nextPlace(gates, ask, now) - now <= SLOT_LEAD_MILLISECONDS;
    const takesIt = isNear || !standsInLine;
    const answer = takesIt ? this.#slot(gates, ask, now) : this.#place(gates, ask, now);
    this.#shares.answered(campaign, answer.waitMilliseconds, now);
    if (answer.taken || answer.place !== null) this.#shares.took(campaign, now);
    return answer;
  }

  /** Of an ask with a place, whose turn it should be by now. */
  #back(gates: Gates, ask: Ask & { readonly place: Instant }, now: Instant): SlotAnswer {
    const { account, own } = gates;
    const at = Math.max(account.next, now);
    // Another of its campaign was late. What the slot here would be goes to who is next in line.
    // It comes back for the slot that begins then, and keeps nobody from those before.
    if (own !== null && own.next - at > Math.min(SLOT_LEAD_MILLISECONDS, this.#spacing)) {
      // By more than a turn, it would come with whoever has the turns that follow.
      const turn = slotMilliseconds(own.requests_per_second);
      if (own.next - ask.place > turn) return this.#place(gates, ask, now);
      const wait = own.next - at + SLOT_LEAD_MILLISECONDS;
      return { ...notTaken(account, wait), place: ask.place };
    }
    // Where slots stand further apart than half a second, a holder that is sent away leaves one unused.
    const late = Math.max(PLACE_LATE_MILLISECONDS, this.#spacing);
    if (at - now > late) return this.#place(gates, ask, now);
    // It has stood in line for this one, so it waits for it a little longer than it would otherwise.
    return this.#slot(gates, { ...ask, atMostMilliseconds: ask.atMostMilliseconds + late }, now);
  }

  /** The first that is left in the line, and that the campaign's own limit allows. */
  #nextPlace({ account, own }: Gates, { campaign }: Ask, now: Instant): Instant {
    const from = Math.max(account.next, now);
    return own === null ? this.#line.next(from) : this.#line.nextOf(campaign, own.next, from);
  }

  #place(gates: Gates, ask: Ask, now: Instant): SlotAnswer {
    const { account, own } = gates;
    const place = this.#nextPlace(gates, ask, now);
    const wait = place - now;
    if (Math.ceil(wait) > ask.atMostMilliseconds) {
      // Back while half of such a line is left, so that it never runs dry for those who are away.
      return this.#goesBack(gates, Math.max(wait - (SLOT_SIT_OUT_SECONDS * 1000) / 2, 0));
    }
    this.#line.give(place, now);
    if (own !== null) {
      this.#line.giveOf(ask.campaign, place, slotMilliseconds(own.requests_per_second), now);
    }
    return { ...notTaken(account, wait), place };
  }

  /** The next slot that nobody has taken. */
  #slot(gates: Gates, ask: Ask, now: Instant): SlotAnswer {
    const { account, own } = gates;
    const next = Math.max(account.next, own?.next ?? 0);
    const slot = takeSlot({ next }, this.#requestsPerSecond, now, ask.atMostMilliseconds);
    if (!slot.taken) return this.#goesBack(gates, slot.waitMilliseconds);
    run(this.#storage, writeGate, { ...account, next: slot.gate.next });
    if (own !== null) {
      const at = Math.max(next, now);
      const ownNext = at + slotMilliseconds(own.requests_per_second);
      run(this.#storage, writeCampaignGate, { id: ask.campaign, next: ownNext });
    }
    const { waitMilliseconds } = slot;
    return { taken: true, waitMilliseconds, place: null, epoch: account.epoch };
  }

  /** Of a dispatch that goes back: a consumer that sat it out would keep others from being heard. */
  #goesBack({ account, own }: Gates, waitMilliseconds: number): SlotAnswer {
    const ofAll = this.#shares.room();
    const ofOwn = own === null ? ofAll : Math.floor(SLOT_SIT_OUT_SECONDS * own.requests_per_second);
    const room = Math.max(Math.min(ofAll, ofOwn), 1);
    return { ...notTaken(account, waitMilliseconds), room };
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

function notTaken({ epoch }: GateRow, waitMilliseconds: number): SlotAnswer {
  return { taken: false, waitMilliseconds: Math.ceil(waitMilliseconds), place: null, epoch };
}
