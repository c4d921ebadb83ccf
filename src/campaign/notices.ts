/**
 * What the object does beside the work on recipients: post alerts, and have doubts inquired about.
 *
 * An alert server may be slow or dead, so posts run beside the alarm and never hold it up; there is
 * one round of them at a time. Whatever happens here, what is not confirmed is due again later.
 */
import type { AlertMessage } from "../domain/alert.ts";
import { faultOf, withoutAddressesIn } from "../domain/fault-text.ts";
import type { Instant } from "../domain/ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { earliest, type Outlook } from "../ledger/outlook.ts";
import type { CampaignPorts } from "./ports.ts";
import type { InquiryMessage } from "./inquiry-message.ts";
import { MESSAGE_VERSION } from "./message-version.ts";
import { within } from "./within.ts";
import {
  ALERT_TIMEOUT_SECONDS,
  ALERTS_AT_ONCE,
  QUEUE_SEND_TIMEOUT_SECONDS,
} from "../domain/limits.ts";

/** Posts one alert. @returns whether the receiver has it; may throw, and must end by itself */
export type PostAlert = (message: AlertMessage) => Promise<boolean>;

type Ports = Pick<
  CampaignPorts,
  "id" | "queue" | "clock" | "chance" | "log" | "nameOf" | "postAlert" | "canInquire"
>;

export class NoticeBoard {
  readonly #ledger: Ledger;
  readonly #ports: Ports;
  /** Until when the round of posts that runs now may last; null: none runs. */
  #postingUntil: Instant | null = null;

  constructor(ledger: Ledger, ports: Ports) {
    this.#ledger = ledger;
    this.#ports = ports;
  }

  /** When the alarm has to come for a notice; null: never, as things stand. */
  deadline({ alert, inquiry }: Outlook): Instant | null {
    return earliest([
      this.#ports.postAlert === undefined ? null : this.#afterRound(alert),
      this.#ports.canInquire === true ? inquiry : null,
    ]);
  }

  /** What falls due during a round waits for its end, or for the alarm that outlives it. */
  #afterRound(alert: Instant | null): Instant | null {
    return alert === null ? null : Math.max(alert, this.#postingUntil ?? 0);
  }

  /** Starts to post what is due and comes back at once; `done` is called when that is over. */
  startPosting(done: () => void): void {
    const now = this.#ports.clock().now();
    if (this.#postingUntil !== null && this.#postingUntil > now) return;
    const deadline = this.#ledger.outlook(now)?.alert ?? null;
    if (deadline === null || deadline > now) return;
    const { postAlert } = this.#ports;
    // Where nobody is to be told, facts are not kept for somebody who is told years later.
    if (postAlert === undefined) return this.#ledger.notices.dropAlerts(now);
    this.#postingUntil = now + ALERTS_AT_ONCE * ALERT_TIMEOUT_SECONDS * 1000;
    void this.#post(postAlert, done);
  }

  /** Never rejects, since nobody waits for it. */
  async #post(postAlert: PostAlert, done: () => void): Promise<void> {
    try {
      await this.#postDue(postAlert);
      done();
    } catch (error) {
      this.#failed("alertFailed", error);
    }
  }

  async #postDue(postAlert: PostAlert): Promise<void> {
    const { chance, clock } = this.#ports;
    const { notices } = this.#ledger;
    try {
      // Each try is counted, and the next one set, before the first of them is made.
      for (const { number, ...message } of notices.takeAlerts(chance(), clock().now())) {
        if (await this.#isTaken(postAlert, message)) notices.alertPosted(number, clock().now());
      }
    } finally {
      this.#postingUntil = null;
    }
  }

  async #isTaken(postAlert: PostAlert, message: AlertMessage): Promise<boolean> {
    try {
      // It goes to somebody else's server, whatever its texts say.
      const isTaken = await postAlert(withoutAddressesIn(message, this.#ports.nameOf));
      const { id: campaignId } = this.#ports;
      if (!isTaken) this.#ports.log("alertRefused", { campaignId, alertId: message.id });
      return isTaken;
    } catch (error) {
      this.#failed("alertFailed", error);
      return false;
    }
  }

  /** Puts the inquiry on the queue if one is due. It may be lost: it is due again then. */
  async sendInquiry(): Promise<void> {
    const { canInquire, clock, id: campaignId, queue } = this.#ports;
    if (canInquire !== true) return;
    const inquiry = this.#ledger.notices.takeInquiry(clock().now());
    if (inquiry === null) return;
    const body = { v: MESSAGE_VERSION, campaignId, inquiry } satisfies InquiryMessage;
    try {
      await within(QUEUE_SEND_TIMEOUT_SECONDS, queue.sendBatch([{ body }]));
    } catch (error) {
      this.#failed("queueSendFailed", error);
    }
  }

  #failed(event: "alertFailed" | "queueSendFailed", error: unknown): void {
    this.#ports.log(event, { campaignId: this.#ports.id, ...faultOf(error) });
  }
}
