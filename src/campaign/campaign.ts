/**
 * The one owner of a campaign: its ledger, its outbox, its alarm.
 *
 * Each RPC reads the clock, runs one synchronous transaction of the ledger and arms the alarm for
 * the earliest deadline the ledger has then. The alarm is written in the same implicit transaction
 * as the rows, so there is no moment in which a deadline exists and nobody will act on it. All that
 * the object does by itself happens in the alarm: begin, sweep, dispatch, and say so.
 */
import type { Clock } from "../domain/clock.ts";
import type { Address, DispatchNumber, Instant, RecipientId, Seq } from "../domain/ids.ts";
import type { PauseReason } from "../domain/campaign.ts";
import { discreetLetter, faultOf } from "../domain/fault-text.ts";
import {
  ALARM_LATE_SECONDS,
  ALARM_ROUNDS,
  AT_WORK_SECONDS,
  BACKOFF_FIRST_SECONDS,
} from "../domain/limits.ts";
import { discreetReport } from "../domain/reservation.ts";
import { accept, assert, refuse, type Result } from "../domain/result.ts";
import { Ledger } from "../ledger/ledger.ts";
import { earliest, type Outlook } from "../ledger/outlook.ts";
import { Alarm } from "./alarm.ts";
import { sendDispatches } from "./dispatch.ts";
import { NoticeBoard } from "./notices.ts";
import { before, pageOf } from "./numbered-page.ts";
import type { CampaignPorts } from "./ports.ts";
import type * as Rpc from "./rpc.ts";
import { withholdSinceBackup, withholdSuppressed } from "./withhold.ts";
import { Witness } from "./witness.ts";

export class Campaign implements Rpc.CampaignRpc {
  readonly #ports: CampaignPorts;
  readonly #ledger: Ledger;
  readonly #notices: NoticeBoard;
  readonly #alarm: Alarm;
  /** When the account was last told that the campaign is sending. */
  #toldAt: Instant = 0;
  readonly #witness: Witness;
  #ringing = 0;

  constructor(ports: CampaignPorts) {
    this.#ports = ports;
    this.#ledger = new Ledger(ports.storage, ports.clock().now());
    this.#notices = new NoticeBoard(this.#ledger, ports);
    this.#alarm = new Alarm(ports.storage);
    this.#witness = new Witness(this.#ledger, ports);
  }

  get #clock(): Clock {
    return this.#ports.clock();
  }

  get #retentionDays(): number {
    return this.#ports.retentionDays ?? 0;
  }

  /** After a change: the alarm stands at the earliest deadline there is now. */
  #arm<T>(answer: T): T {
    this.#tellAtWork(this.#setAlarm());
    this.#ports.changed?.();
    return answer;
  }

  /** So that those who look on know which campaigns to look at; now and then is enough. */
  #tellAtWork(outlook: Outlook | null): void {
    const now = this.#clock.now();
    if (outlook?.state !== "sending" || now - this.#toldAt < AT_WORK_SECONDS * 1000) return;
    this.#toldAt = now;
    this.#ports.atWork?.();
  }

  #setAlarm(): Outlook | null {
    const now = this.#clock.now();
    const outlook = this.#outlook(now);
    this.#alarm.arm(this.#deadline(outlook, now), now, this.#clock);
    return outlook;
  }

  #outlook(now: Instant): Outlook | null {
    return this.#ledger.outlook(now, this.#ports.retentionDays);
  }

  #deadline(outlook: Outlook | null, now: Instant): Instant | null {
    if (outlook === null) return null;
    return earliest([
      outlook.work,
      outlook.retention,
      this.#notices.deadline(outlook),
      this.#witness.deadline(outlook, now),
    ]);
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

  async edit(draft: Rpc.Draft, standing?: Rpc.Draft): ReturnType<Rpc.CampaignRpc["edit"]> {
    const now = this.#clock.now();
    const answer = this.#ledger.edit(draft, standing ?? null, now);
    if (!answer.ok) return answer;
    const view = this.#ledger.describe(now);
    assert(view !== null, "an edited campaign is there");
    this.#ports.changed?.();
    return accept(view);
  }

  /** One that was restored has forgotten numbers, and what is created next must not use them. */
  async erase(): ReturnType<Rpc.CampaignRpc["erase"]> {
    const mayNow = this.#ledger.mayErase(this.#clock.now());
    if (!mayNow.ok) return mayNow;
    const seen = await this.#witness.askAndStop();
    const now = this.#clock.now();
    const may = this.#ledger.mayErase(now);
    if (!may.ok) return may;
    if (!seen.stands) this.#witness.accept(seen);
    this.#alarm.fired(now);
    this.#witness.forget();
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
    await withholdSuppressed(this.#ledger, this.#ports, at ?? this.#clock.now());
    const seen = await this.#witness.askAndStop();
    const now = this.#clock.now();
    const started = this.#ledger.start(at, publicUrl, this.#ports.draw(), now);
    if (started.ok && !seen.stands) this.#ledger.marks.stop(seen, now);
    return this.#arm(started.ok ? this.#statusOr(now) : started);
  }

  async pause(reason: PauseReason, detail: string): ReturnType<Rpc.CampaignRpc["pause"]> {
    return this.#arm(this.#ledger.pause(reason, detail, this.#clock.now()));
  }

  /** A restored ledger is gone on with only where the risk is accepted in words. */
  async resume(
    { acceptDuplicateRisk }: Rpc.ResumeRequest = { acceptDuplicateRisk: false },
  ): ReturnType<Rpc.CampaignRpc["resume"]> {
    await withholdSuppressed(this.#ledger, this.#ports, null);
    const seen = await this.#witness.askAndStop();
    if (!seen.stands && this.statusNow()?.state === "paused") {
      if (!acceptDuplicateRisk) {
        const { grants, decisions } = this.#ledger.marks.forgotten(seen, this.#clock.now());
        return this.#arm(refuse({ code: "restored", forgotten: grants, decisions }));
      }
      await withholdSinceBackup(this.#ledger, this.#ports);
      this.#witness.accept(seen);
    }
    return this.#arm(this.#ledger.resume(this.#ports.draw(), this.#clock.now()));
  }

  #statusOr(now: Instant): Result<Rpc.DeliveryStatus, { code: "notFound" }> {
    const status = this.#ledger.status(now);
    return status === null ? refuse({ code: "notFound" }) : accept(status);
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
    await this.#witness.beforeGrant();
    const answer = this.#ledger.reserve(request, known, this.#clock.now());
    if (answer.ok && answer.value.granted) this.#ledger.window.granted();
    return this.#arm(answer);
  }

  async decline(dispatch: DispatchNumber): ReturnType<Rpc.CampaignRpc["decline"]> {
    return this.#arm(this.#ledger.decline(dispatch, this.#clock.now()));
  }

  async report(request: Rpc.ReportRequest): ReturnType<Rpc.CampaignRpc["report"]> {
    const now = this.#clock.now();
    const addressOf = (id: RecipientId) => this.#ledger.recipient(id, now)?.email ?? null;
    const told = discreetReport(request, addressOf, this.#ports.nameOf);
    return this.#arm(this.#ledger.report(told, this.#ports.chance(), now));
  }

  async postpone(dispatch: DispatchNumber, waitMilliseconds: number, room?: number): Promise<void> {
    const now = this.#clock.now();
    const at = now + waitMilliseconds;
    this.#ledger.postpone({ dispatches: [dispatch], at, room: room ?? null }, now);
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
    const kept = discreetLetter(letter, this.#ports.nameOf);
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
    return this.#arm(this.#statusOr(now));
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
    this.#ringing += 1;
    try {
      this.#notices.startPosting(() => this.#arm(null));
      await this.#work();
      await this.#notices.sendInquiry();
      await this.#witness.tellIfDue();
      this.#arm(null);
    } catch (error) {
      const now = this.#clock.now();
      this.#ports.log("alarmFailed", { campaignId: this.#ports.id, ...faultOf(error) });
      this.#alarm.arm(now + BACKOFF_FIRST_SECONDS * 1000, now, this.#clock);
    } finally {
      this.#ringing -= 1;
    }
  }

  async vitals(): Promise<Rpc.Vitals | null> {
    const now = this.#clock.now();
    const status = this.#ledger.status(now);
    if (status === null) return null;
    const due = this.#deadline(this.#outlook(now), now);
    const since = this.#ledger.unansweredSince(now);
    const isRinging = this.#ringing > 0;
    const alarm = await this.#alarm.stored();
    return {
      state: status.state,
      dueInMilliseconds: due === null ? null : due - now,
      alarmInMilliseconds: alarm === null ? null : alarm - this.#clock.alarmTime(now),
      isRinging,
      unansweredMilliseconds: since === null ? null : now - since,
    };
  }

  /** The alarm's work is the same whoever has it done, and two at once only send a hint twice. */
  wake(): Promise<void> {
    return this.alarm();
  }

  async #work(): Promise<void> {
    await withholdSuppressed(this.#ledger, this.#ports, null);
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
