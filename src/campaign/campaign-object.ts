/**
 * The Durable Object of a campaign: gives the platform to `Campaign`, its methods to RPC and its
 * sockets to the live stream. Nothing is decided here.
 */
import type { Bindings } from "../bindings.ts";
import { DurableObject } from "cloudflare:workers";
import { ACCOUNT_NAME } from "../account/rpc.ts";
import { systemClock, type Clock } from "../domain/clock.ts";
import { faultOf } from "../domain/fault-text.ts";
import type { Address, CampaignId, DispatchNumber, RecipientId, Seq } from "../domain/ids.ts";
import type { PauseReason } from "../domain/campaign.ts";
import { assert } from "../domain/result.ts";
import { retentionDaysOf } from "../domain/vars.ts";
import { addressNames } from "../operations/address-name.ts";
import { logWriter } from "../operations/log-writer.ts";
import { Campaign } from "./campaign.ts";
import { draw } from "./draw.ts";
import { alertsTo } from "./post-alert.ts";
import { LiveSockets } from "./live-sockets.ts";
import type * as Rpc from "./rpc.ts";
import { watchedUntil } from "./watch-address.ts";

type Answer<Method extends keyof Rpc.CampaignRpc> = ReturnType<Rpc.CampaignRpc[Method]>;

export class CampaignObject extends DurableObject<Bindings> implements Rpc.CampaignRpc {
  /** Replaced by tests. */
  clock: Clock = systemClock;
  readonly #campaign: Campaign;
  readonly #live: LiveSockets;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    // A campaign's id is its object's name, so an object reached by a raw id belongs to nobody.
    const { name } = ctx.id;
    assert(name !== undefined, "a campaign object is reached by its name");
    const id = name as CampaignId;
    const nameOf = addressNames(env.SIGNING_KEY);
    const log = logWriter(nameOf);
    const account = () => env.ACCOUNT.getByName(ACCOUNT_NAME);
    this.#campaign = new Campaign({
      id,
      storage: ctx.storage,
      queue: env.DISPATCH,
      account,
      clock: () => this.clock,
      draw,
      chance: Math.random,
      canInquire: true,
      retentionDays: retentionDaysOf(env.RETENTION_DAYS),
      ...alertsTo(env.ALERT_URL),
      changed: () => this.#live.changed(),
      liveSockets: () => this.#live.count,
      atWork: () => {
        account()
          .atWork(id)
          .catch((error: unknown) => log("atWorkUntold", { campaignId: id, ...faultOf(error) }));
      },
      log,
      nameOf,
    });
    this.#live = new LiveSockets(ctx, {
      status: () => this.#campaign.statusNow(),
      newestEvents: (limit) => this.#campaign.newestEvents(limit),
      now: () => this.clock.now(),
      log,
    });
  }

  /** The upgrade of a viewer's request, which the Worker has let through; there is no other. */
  override fetch({ url }: Request): Response {
    return this.#live.upgrade(this.#campaign.statusNow(), watchedUntil(url));
  }

  override webSocketMessage(socket: WebSocket): void {
    this.#live.heard(socket);
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#live.closed(socket, code, reason);
  }

  override webSocketError(socket: WebSocket): void {
    this.#live.lost(socket);
  }

  override alarm(): Promise<void> {
    return this.#campaign.alarm();
  }

  create(draft: Rpc.Draft): Answer<"create"> {
    return this.#campaign.create(draft);
  }

  describe(): Answer<"describe"> {
    return this.#campaign.describe();
  }

  edit(draft: Rpc.Draft, standing?: Rpc.Draft): Answer<"edit"> {
    return this.#campaign.edit(draft, standing);
  }

  erase(): Answer<"erase"> {
    return this.#campaign.erase();
  }

  enrol(page: readonly Rpc.Enrolment[]): Answer<"enrol"> {
    return this.#campaign.enrol(page);
  }

  start(request: Rpc.StartRequest): Answer<"start"> {
    return this.#campaign.start(request);
  }

  pause(reason: PauseReason, detail: string): Answer<"pause"> {
    return this.#campaign.pause(reason, detail);
  }

  resume(request?: Rpc.ResumeRequest): Answer<"resume"> {
    return this.#campaign.resume(request);
  }

  cancel(): Answer<"cancel"> {
    return this.#campaign.cancel();
  }

  finish(): Answer<"finish"> {
    return this.#campaign.finish();
  }

  reserve(request: Rpc.ReserveRequest): Answer<"reserve"> {
    return this.#campaign.reserve(request);
  }

  decline(dispatch: DispatchNumber): Answer<"decline"> {
    return this.#campaign.decline(dispatch);
  }

  report(request: Rpc.ReportRequest): Answer<"report"> {
    return this.#campaign.report(request);
  }

  postpone(...asked: Parameters<Rpc.CampaignRpc["postpone"]>): Answer<"postpone"> {
    return this.#campaign.postpone(...asked);
  }

  content(): Answer<"content"> {
    return this.#campaign.content();
  }

  deliveryStatus(): Answer<"deliveryStatus"> {
    return this.#campaign.deliveryStatus();
  }

  reading(): Answer<"reading"> {
    return this.#campaign.reading();
  }

  recipients(query: Rpc.RecipientQuery): Answer<"recipients"> {
    return this.#campaign.recipients(query);
  }

  recipient(id: RecipientId): Answer<"recipient"> {
    return this.#campaign.recipient(id);
  }

  deadLetters(cursor: string | null, limit: number): Answer<"deadLetters"> {
    return this.#campaign.deadLetters(cursor, limit);
  }

  events(cursor: string | null, limit: number): Answer<"events"> {
    return this.#campaign.events(cursor, limit);
  }

  recordDeadLetter(letter: Rpc.DeadLetter): Answer<"recordDeadLetter"> {
    return this.#campaign.recordDeadLetter(letter);
  }

  recordFeedback(events: readonly Rpc.FeedbackEvent[]): Answer<"recordFeedback"> {
    return this.#campaign.recordFeedback(events);
  }

  inquire(): Answer<"inquire"> {
    return this.#campaign.inquire();
  }

  inquiry(number: number): Answer<"inquiry"> {
    return this.#campaign.inquiry(number);
  }

  closeInquiry(number: number, outcome: Rpc.InquiryOutcome): Answer<"closeInquiry"> {
    return this.#campaign.closeInquiry(number, outcome);
  }

  linkTarget(seq: Seq): Answer<"linkTarget"> {
    return this.#campaign.linkTarget(seq);
  }

  suppress(entries: readonly Rpc.SuppressionEntry[]): Answer<"suppress"> {
    return this.#campaign.suppress(entries);
  }

  vitals(): Answer<"vitals"> {
    return this.#campaign.vitals();
  }

  wake(): Answer<"wake"> {
    return this.#campaign.wake();
  }

  person(address: Address): Answer<"person"> {
    return this.#campaign.person(address);
  }

  erasePerson(entry: Rpc.SuppressionEntry): Answer<"erasePerson"> {
    return this.#campaign.erasePerson(entry);
  }

  replay(request: Rpc.ReplayRequest): Answer<"replay"> {
    return this.#campaign.replay(request);
  }

  resolve(request: Rpc.ResolveRequest): Answer<"resolve"> {
    return this.#campaign.resolve(request);
  }
}
