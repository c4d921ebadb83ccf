/**
 * Holds the ledger against its directory entry, so that nobody is mailed from a backup
 * (SPEC R-restore).
 *
 * A restore restarts the object, so it is enough that each life asks once before its first grant;
 * the grants after that cost nothing but a number in the row they write anyway. The directory is
 * told some seconds later, by the alarm that the grant arms: a backup of just these seconds is not
 * noticed, and while it is that fresh the provider still remembers every key.
 */
import type { Witnessed } from "../account/rpc.ts";
import { faultOf } from "../domain/fault-text.ts";
import type { Instant } from "../domain/ids.ts";
import { WITNESS_SECONDS } from "../domain/limits.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Outlook } from "../ledger/outlook.ts";
import type { CampaignPorts } from "./ports.ts";

const STANDS: Witnessed = { stands: true };

export class Witness {
  readonly #ledger: Ledger;
  readonly #ports: Pick<CampaignPorts, "id" | "account" | "clock" | "log">;
  /** It stood in this life, and a backup begins another one. */
  #hasStood = false;
  #tellAt: Instant | null = null;
  /** The account did not answer, and is not asked again before. */
  #waitUntil: Instant = 0;
  /** One at a time: of two, the one that left first may come last, and look like a backup. */
  #asking: Promise<Witnessed> | null = null;

  constructor(ledger: Ledger, ports: Pick<CampaignPorts, "id" | "account" | "clock" | "log">) {
    this.#ledger = ledger;
    this.#ports = ports;
  }

  /** Called with the ledger: what a new one of this id has given is another count. */
  forget(): void {
    this.#hasStood = false;
    this.#tellAt = null;
  }

  /** Stops a restored ledger. To be awaited before a grant; costs nothing but the first time. */
  async beforeGrant(): Promise<void> {
    if (this.#hasStood) return;
    const mark = this.#ledger.marks.read(this.#now);
    if (mark !== null && mark.isSending) await this.askAndStop();
  }

  /** Asks in any case. A ledger that is behind is paused by it, where it was sending. */
  async askAndStop(): Promise<Witnessed> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    const seen = await this.#asking;
    if (!seen.stands) this.#ledger.marks.stop(seen, this.#now);
    return seen;
  }

  async #ask(): Promise<Witnessed> {
    const mark = this.#ledger.marks.read(this.#now);
    if (mark === null) return STANDS;
    const account = this.#ports.account();
    const seen = await account.witness(this.#ports.id, mark.grants, mark.nextNumber).catch(older);
    if (seen === null || !seen.stands) return seen ?? STANDS;
    this.#hasStood = true;
    this.#tellAt = null;
    this.#ledger.marks.witnessed(mark.grants, this.#now);
    return seen;
  }

  /** When the directory has to be told of new grants; null: it knows them all. */
  deadline({ mark, work }: Outlook, now: Instant): Instant | null {
    if (mark.grants <= mark.witnessed) return null;
    // What is left over when all else is done is told at once, so that the object may sleep.
    if (work === null) return Math.max(now, this.#waitUntil);
    this.#tellAt ??= now + WITNESS_SECONDS * 1000;
    return Math.max(this.#tellAt, this.#waitUntil);
  }

  /** Part of the alarm. Where the account does not answer, it is told at a later one. */
  async tellIfDue(): Promise<void> {
    const now = this.#now;
    const outlook = this.#ledger.outlook(now);
    const deadline = outlook === null ? null : this.deadline(outlook, now);
    if (deadline === null || deadline > now) return;
    try {
      await this.askAndStop();
    } catch (error) {
      this.#waitUntil = this.#now + WITNESS_SECONDS * 1000;
      this.#ports.log("witnessFailed", { campaignId: this.#ports.id, ...faultOf(error) });
    }
  }

  get #now(): Instant {
    return this.#ports.clock().now();
  }
}

/**
 * During a deploy the account may still be of a release that has no such method (SPEC R-version). It
 * has witnessed nothing either, so there is nothing to be older than, and nothing to tell.
 * @throws every other error
 */
function older(error: unknown): null {
  if (/does not implement the method "witness"/.test(String(error))) return null;
  throw error;
}
