/**
 * The one owner of a campaign: its ledger, its outbox, its alarm.
 *
 * Each RPC reads the clock, runs one synchronous transaction of the ledger and arms the alarm for
 * the earliest deadline the ledger has then. The alarm is written in the same implicit transaction
 * as the rows, so there is no moment in which a deadline exists and nobody will act on it. All that
 * the object does by itself happens in the alarm: begin, sweep, dispatch, and say so.
 */
import type { AccountRpc } from "../account/rpc.ts";
import type { Clock } from "../domain/clock.ts";
import type {
  Address,
  CampaignId,
  DispatchNumber,
  Instant,
  RecipientId,
  Seq,
} from "../domain/ids.ts";
import type { PauseReason } from "../domain/campaign.ts";
import {
  discreet,
  faultOf,
  framesOf,
  withoutAddresses,
  type NameOf,
} from "../domain/fault-text.ts";
import {
  ALARM_LATE_SECONDS,
  ALARM_ROUNDS,
  AT_WORK_SECONDS,
  BACKOFF_FIRST_SECONDS,
} from "../domain/limits.ts";
import type { Log } from "../domain/log-event.ts";
import { accept, assert, refuse } from "../domain/result.ts";
import type { Drawn } from "../ledger/lifecycle.ts";
import { Ledger } from "../ledger/ledger.ts";
import type { PendingAddresses } from "../ledger/suppress.ts";
import type { Storage } from "../ledger/sql.ts";
import { Alarm, type AlarmStorage } from "./alarm.ts";
import { sendDispatches } from "./dispatch.ts";
import { NoticeBoard, type PostAlert } from "./notices.ts";
import type * as Rpc from "./rpc.ts";

const FIRST_SEQ = 1 as Seq;

/** What a campaign needs of the platform; the simulator brings its own. */
export type CampaignPorts = {
  readonly id: CampaignId;
  readonly storage: Storage & AlarmStorage & { deleteAll(): Promise<void> };
  readonly queue: Pick<Queue, "sendBatch">;
  account(): Pick<AccountRpc, "suppressedAmong">;
  /** Read anew at each use, since tests replace it. */
  clock(): Clock;
  draw(): Drawn;
  /** A number in [0, 1). */
  chance(): number;
  /** Told after each call that may have changed the status, for those who watch. */
  changed?(): void;
  readonly log: Log;
  /** What addresses are called in dead letters and alerts; missing: all the same. */
  readonly nameOf?: NameOf;
  /** Tells the account that the campaign is sending. Ends by itself and never throws. */
  atWork?(): void;
  /** Sockets that watch the campaign. */
  liveSockets?(): number;
  /** Missing: nobody is told of anything. */
  readonly postAlert?: PostAlert;
  /** Days after its end until a campaign forgets its recipients; missing or 0: it keeps them. */
  readonly retentionDays?: number;
  /** Whether consumers of the queue can look mails up at the provider. */
  readonly canInquire?: boolean;
};

export class Campaign implements Rpc.CampaignRpc {
  readonly #ports: CampaignPorts;
  readonly #ledger: Ledger;
  readonly #notices: NoticeBoard;
  readonly #alarm: Alarm;
  /** When the account was last told that the campaign is sending. */
  #toldAt: Instant = 0;

  constructor(ports: CampaignPorts) {
    this.#ports = ports;
    this.#ledger = new Ledger(ports.storage, ports.clock().now());
    this.#notices = new NoticeBoard(this.#ledger, ports);
    this.#alarm = new Alarm(ports.storage);
  }

  get #clock(): Clock {
    return this.#ports.clock();
  }

  get #retentionDays(): number {
    return this.#ports.retentionDays ?? 0;
  }

  /** After a change: the alarm stands at the earliest deadline there is now. */
  #arm<T>(answer: T): T {
    this.#setAlarm();
    this.#tellAtWork();
    this.#ports.changed?.();
    return answer;
  }

  /** So that those who look on know which campaigns to look at; now and then is enough. */
  #tellAtWork(): void {
    const now = this.#clock.now();
    if (this.#ports.atWork === undefined || now - this.#toldAt < AT_WORK_SECONDS * 1000) return;
    if (this.#ledger.status(now)?.state !== "sending") return;
    this.#toldAt = now;
    this.#ports.atWork();
  }

  #setAlarm(): void {
    const now = this.#clock.now();
    const work = this.#ledger.deadline(now);
    const notice = this.#notices.deadline(now);
    const retention = this.#ledger.people.retentionDeadline(this.#retentionDays, now);
    const set = [work, notice, retention].filter((at) => at !== null);
    this.#alarm.arm(set.length === 0 ? null : Math.min(...set), now, this.#clock);
  }

  async create(draft: Rpc.Draft): ReturnType<Rpc.CampaignRpc["create"]> {
    const now = this.#clock.now();
    const answer = this.#ledger.create(this.#ports.id, draft, now);
    if (!answer.ok) return answer;
    const view = this.#ledger.describe(now);
    assert(view !== null, "a created campaign is there");
    return accept({ created: answer.value.created, view });
  }

  async describe(): Promise<Rpc.CampaignView | null> {
    return this.#ledger.describe(this.#clock.now());
  }

  async edit(draft: Rpc.Draft): ReturnType<Rpc.CampaignRpc["edit"]> {
    const now = this.#clock.now();
    const answer = this.#ledger.edit(draft, now);
    if (!answer.ok) return answer;
    const view = this.#ledger.describe(now);
    assert(view !== null, "an edited campaign is there");
    this.#ports.changed?.();
    return accept(view);
  }

  async erase(): ReturnType<Rpc.CampaignRpc["erase"]> {
    const now = this.#clock.now();
    const may = this.#ledger.mayErase(now);
    if (!may.ok) return may;
    this.#alarm.fired(now);
    // The alarm goes with the storage (compatibility flag delete_all_deletes_alarm, 2026-02-24).
    await this.#ledger.erase(now, () => this.#ports.storage.deleteAll());
    this.#ports.changed?.();
    return accept({ erased: true });
  }

  async enrol(page: readonly Rpc.Enrolment[]): ReturnType<Rpc.CampaignRpc["enrol"]> {
    const known = await this.#suppressedAmong(page);
    return this.#arm(this.#ledger.enrol(page, known, this.#clock.now()));
  }

  async #suppressedAmong(
    recipients: readonly Rpc.Enrolment[],
  ): Promise<readonly Rpc.SuppressionEntry[]> {
    if (recipients.length === 0) return [];
    return this.#ports.account().suppressedAmong(recipients.map(({ address }) => address));
  }

  async start({ at, publicUrl }: Rpc.StartRequest): ReturnType<Rpc.CampaignRpc["start"]> {
    await this.#withholdSuppressed(at ?? this.#clock.now());
    return this.#arm(this.#ledger.start(at, publicUrl, this.#ports.draw(), this.#clock.now()));
  }

  /**
   * Before a beginning, everybody who waits is held against the account's list once more. Each
   * suppression is pushed to every campaign before it is acknowledged, so this should find nobody;
   * it is the second lock for a list that was restored, or a push that missed (SPEC G6). In pages,
   * so that the object answers others in between.
   */
  async #withholdSuppressed(startAt: Instant | null): Promise<void> {
    if (!this.#ledger.isAboutToBegin(startAt, this.#clock.now())) return;
    for (let from: Seq | null = FIRST_SEQ; from !== null;) {
      const page: PendingAddresses | null = this.#ledger.pendingAddresses(from, this.#clock.now());
      if (page !== null && page.addresses.length > 0) {
        const known = await this.#ports.account().suppressedAmong(page.addresses);
        if (known.length > 0) this.#ledger.suppress(known, this.#clock.now());
      }
      from = page?.next ?? null;
    }
  }

  async pause(reason: PauseReason, detail: string): ReturnType<Rpc.CampaignRpc["pause"]> {
    return this.#arm(this.#ledger.pause(reason, detail, this.#clock.now()));
  }

  async resume(): ReturnType<Rpc.CampaignRpc["resume"]> {
    await this.#withholdSuppressed(null);
    return this.#arm(this.#ledger.resume(this.#ports.draw(), this.#clock.now()));
  }

  async cancel(): ReturnType<Rpc.CampaignRpc["cancel"]> {
    return this.#arm(this.#ledger.cancel(this.#clock.now()));
  }

  async finish(): ReturnType<Rpc.CampaignRpc["finish"]> {
    return this.#arm(this.#ledger.finish(this.#clock.now()));
  }

  async reserve(request: Rpc.ReserveRequest): ReturnType<Rpc.CampaignRpc["reserve"]> {
    const brought = request.by === "recipients" ? request.recipients : [];
    const known = await this.#suppressedAmong(brought);
    return this.#arm(this.#ledger.reserve(request, known, this.#clock.now()));
  }

  async decline(dispatch: DispatchNumber): ReturnType<Rpc.CampaignRpc["decline"]> {
    return this.#arm(this.#ledger.decline(dispatch, this.#clock.now()));
  }

  async report(request: Rpc.ReportRequest): ReturnType<Rpc.CampaignRpc["report"]> {
    return this.#arm(this.#ledger.report(request, this.#ports.chance(), this.#clock.now()));
  }

  async postpone(dispatch: DispatchNumber, waitMilliseconds: number): Promise<void> {
    const now = this.#clock.now();
    this.#ledger.postpone([dispatch], now + waitMilliseconds, now);
    this.#arm(null);
  }

  async content(): Promise<Rpc.FrozenContent | null> {
    return this.#ledger.content(this.#ports.id);
  }

  /**
   * Whoever looks at a campaign also sets the alarm of one that has lost it: the platform gives an
   * alarm up after six failures, such as those of a release that could not load, and with an empty
   * queue nobody else would come by.
   */
  async deliveryStatus(): Promise<Rpc.DeliveryStatus | null> {
    this.#setAlarm();
    return this.statusNow();
  }

  /** For metrics and health. Like a look at the status, it sets an alarm that was lost. */
  async reading(): Promise<Rpc.CampaignReading | null> {
    const now = this.#clock.now();
    const alarmLateMilliseconds = this.#alarm.late(now);
    this.#setAlarm();
    const reading = this.#ledger.reading(now);
    if (reading === null) return null;
    const liveSockets = this.#ports.liveSockets?.() ?? 0;
    return { ...reading, now, alarmLateMilliseconds, liveSockets };
  }

  /** For the live stream, which is told and has no request of its own to wait in. */
  statusNow(): Rpc.DeliveryStatus | null {
    return this.#ledger.status(this.#clock.now());
  }

  newestEvents(limit: number): readonly Rpc.EventView[] {
    return this.#ledger.events(before(null), limit, this.#clock.now()) ?? [];
  }

  async recipients(query: Rpc.RecipientQuery): Promise<Rpc.Page<Rpc.RecipientView> | null> {
    return this.#ledger.recipients(query, this.#clock.now());
  }

  async recipient(id: RecipientId): Promise<Rpc.RecipientStory | null> {
    return this.#ledger.recipient(id, this.#clock.now());
  }

  async deadLetters(
    cursor: string | null,
    limit: number,
  ): Promise<Rpc.Page<Rpc.DeadLetterView> | null> {
    const items = this.#ledger.deadLetters(before(cursor), limit, this.#clock.now());
    return items === null ? null : pageOf(items, limit);
  }

  async events(cursor: string | null, limit: number): Promise<Rpc.Page<Rpc.EventView> | null> {
    const items = this.#ledger.events(before(cursor), limit, this.#clock.now());
    return items === null ? null : pageOf(items, limit);
  }

  async recordDeadLetter(letter: Rpc.DeadLetter): ReturnType<Rpc.CampaignRpc["recordDeadLetter"]> {
    const { nameOf } = this.#ports;
    const stack = framesOf(letter.stack);
    const kept = {
      ...letter,
      error: discreet(letter.error, nameOf),
      stack: stack === null ? null : withoutAddresses(stack, nameOf),
    };
    return this.#arm(this.#ledger.recordDeadLetter(kept, this.#clock.now()));
  }

  async recordFeedback(
    events: readonly Rpc.FeedbackEvent[],
  ): Promise<readonly Rpc.FeedbackAnswer[]> {
    return this.#arm(this.#ledger.recordFeedback(events, this.#clock.now()));
  }

  async inquire(): ReturnType<Rpc.CampaignRpc["inquire"]> {
    const now = this.#clock.now();
    this.#ledger.notices.raiseInquiry(now);
    const status = this.#arm(this.#ledger.status(now));
    return status === null ? refuse({ code: "notFound" }) : accept(status);
  }

  async inquiry(number: number): Promise<Rpc.Inquiry | null> {
    return this.#ledger.notices.inquiry(number, this.#clock.now());
  }

  async closeInquiry(number: number, outcome: Rpc.InquiryOutcome): Promise<void> {
    const now = this.#clock.now();
    this.#ledger.notices.closeInquiry(number, outcome, this.#ports.chance(), now);
    this.#arm(null);
  }

  async linkTarget(seq: Seq): Promise<Rpc.LinkTarget | null> {
    return this.#ledger.linkTarget(seq, this.#clock.now());
  }

  async suppress(entries: readonly Rpc.SuppressionEntry[]): Promise<void> {
    this.#ledger.suppress(entries, this.#clock.now());
    this.#arm(null);
  }

  async person(address: Address): Promise<Rpc.RecipientStory | null> {
    return this.#ledger.people.story(address, this.#clock.now());
  }

  async erasePerson(entry: Rpc.SuppressionEntry): Promise<Rpc.ErasureAnswer> {
    const answer = this.#arm(this.#ledger.people.erase(entry, this.#clock.now()));
    if (answer.state === "erased") this.#logErased("person", 1);
    return answer;
  }

  #logErased(why: "person" | "retention", recipients: number): void {
    this.#ports.log("dataErased", { campaignId: this.#ports.id, why, recipients });
  }

  async replay(request: Rpc.ReplayRequest): ReturnType<Rpc.CampaignRpc["replay"]> {
    return this.#arm(this.#ledger.replay(request, this.#clock.now()));
  }

  async resolve(request: Rpc.ResolveRequest): ReturnType<Rpc.CampaignRpc["resolve"]> {
    return this.#arm(this.#ledger.resolve(request, this.#clock.now()));
  }

  /**
   * The platform retries an alarm that throws six times and then gives it up for ever, so this one
   * never throws: whatever fails is logged, and the alarm is armed again (SPEC C45).
   */
  async alarm(): Promise<void> {
    const late = this.#alarm.fired(this.#clock.now());
    if (late > ALARM_LATE_SECONDS * 1000) {
      this.#ports.log("alarmLate", { campaignId: this.#ports.id, lateSeconds: late / 1000 });
    }
    try {
      this.#notices.startPosting(() => this.#arm(null));
      await this.#work();
      await this.#notices.sendInquiry();
      this.#arm(null);
    } catch (error) {
      const now = this.#clock.now();
      this.#ports.log("alarmFailed", { campaignId: this.#ports.id, ...faultOf(error) });
      this.#alarm.arm(now + BACKOFF_FIRST_SECONDS * 1000, now, this.#clock);
    }
  }

  async #work(): Promise<void> {
    await this.#withholdSuppressed(null);
    for (let round = 0; round < ALARM_ROUNDS; round += 1) {
      const more = this.#ledger.tick(this.#ports.draw(), this.#clock.now());
      const sent = await sendDispatches(this.#ledger, this.#ports);
      if (!more && !sent && !this.#retain()) return;
    }
  }

  /** @returns whether there is more to forget; the next alarm takes what this one leaves */
  #retain(): boolean {
    const { more, erased } = this.#ledger.people.retain(this.#retentionDays, this.#clock.now());
    if (erased !== null) this.#logErased("retention", erased);
    return more;
  }
}

function before(cursor: string | null): number {
  if (cursor === null) return Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,15}$/.test(cursor)) throw new RangeError("cursor: not one of this list");
  return Number(cursor);
}

function pageOf<Item extends { readonly number: number }>(
  items: readonly Item[],
  limit: number,
): Rpc.Page<Item> {
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, cursor: last === undefined ? null : String(last.number) };
}
