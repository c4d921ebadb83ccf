/**
 * Holds the ledger against its directory entry, so that nobody is mailed from a backup
 * (SPEC R-restore).
 *
 * A restore restarts the object, so it is enough that each life asks once before its first grant;
 * the grants after that cost nothing but a number in the row they write anyway. The directory is
 * told some seconds later, by the alarm that the grant arms: a backup of just these seconds is not
 * noticed, and while it is that fresh the provider still remembers every key. Decisions (a pause, an
 * end, a resolve) are told in the same way, and never wait for the account.
 *
 * A suppression has no number here, since each one would then be a row and a request for every
 * campaign there is. Instead each life learns from the account's list what its ledger may have
 * forgotten (campaign/withhold.ts), in one request where nothing is new.
 */
import { isWithout } from "./older-account.ts";
import { faultOf } from "../domain/fault-text.ts";
import type { Instant } from "../domain/ids.ts";
import { WITNESS_SECONDS } from "../domain/limits.ts";
import type { GrantMark, LaterMark } from "../ledger/grant-mark.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Outlook } from "../ledger/outlook.ts";
import type { CampaignPorts } from "./ports.ts";
import { learnSuppressed } from "./withhold.ts";

export type Seen = { readonly stands: true } | ({ readonly stands: false } & LaterMark);

const STANDS: Seen = { stands: true };

export class Witness {
  readonly #ledger: Ledger;
  readonly #ports: Pick<CampaignPorts, "id" | "account" | "clock" | "log">;
  /** It stood in this life, and a backup begins another one. */
  #hasStood = false;
  /**
   * Decisions that the ledger had when this life began. A backup may be paused or resolved before it
   * is asked about, and must not catch up with what it has forgotten.
   */
  #decisionsBefore: number | null;
  /** What it may have forgotten of the account's list has been learnt in this life. */
  #hasLearnt = false;
  #learning: Promise<void> | null = null;
  #tellAt: Instant | null = null;
  /** The account did not answer, or can't be told yet, and is not asked again before. */
  #waitUntil: Instant = 0;
  /** One at a time: of two, the one that left first may come last, and look like a backup. */
  #asking: Promise<Seen> | null = null;

  constructor(ledger: Ledger, ports: Pick<CampaignPorts, "id" | "account" | "clock" | "log">) {
    this.#ledger = ledger;
    this.#ports = ports;
    this.#decisionsBefore = ledger.marks.read(ports.clock().now())?.decisions ?? null;
  }

  /** Called with the ledger: what a new one of this id has given is another count. */
  forget(): void {
    this.#hasStood = false;
    this.#decisionsBefore = null;
    this.#hasLearnt = false;
    this.#tellAt = null;
  }

  /** Stops a restored ledger. To be awaited before a grant; costs nothing but the first time. */
  async beforeGrant(): Promise<void> {
    if (this.#hasStood && this.#hasLearnt) return;
    if (this.#ledger.marks.read(this.#now)?.isSending !== true) return;
    if (!this.#hasStood) await this.askAndStop();
    if (!this.#hasStood || this.#hasLearnt) return;
    this.#learning ??= this.#learn().finally(() => {
      this.#learning = null;
    });
    await this.#learning;
  }

  async #learn(): Promise<void> {
    await learnSuppressed(this.#ledger, this.#ports);
    this.#hasLearnt = true;
  }

  /** Asks in any case. A ledger that is behind is paused by it, where it was sending. */
  async askAndStop(): Promise<Seen> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    const seen = await this.#asking;
    if (!seen.stands) this.#ledger.marks.stop(seen, this.#now);
    return seen;
  }

  /** Goes on from a backup, at the risk that an operator has accepted. */
  accept(seen: LaterMark): void {
    this.#ledger.marks.accept(seen, this.#now);
    this.#decisionsBefore = null;
  }

  async #ask(): Promise<Seen> {
    const mark = this.#ledger.marks.read(this.#now);
    if (mark === null) return STANDS;
    const decisions = this.#decisionsToTell(mark);
    const seen = await this.#askAccount(mark, decisions);
    // One of a release that witnesses nothing is told later, once it can be.
    if (seen === null) this.#waitUntil = this.#now + WITNESS_SECONDS * 1000;
    if (seen === null || !seen.stands) return seen ?? STANDS;
    this.#hasStood = true;
    this.#tellAt = null;
    this.#ledger.marks.witnessed({ grants: mark.grants, decisions }, this.#now);
    return seen;
  }

  #decisionsToTell({ isRestored, decisions }: GrantMark): number {
    // Fewer than anybody knows of: it was found to be a backup, and stays one until it is accepted.
    if (isRestored) return -1;
    return (this.#hasStood ? null : this.#decisionsBefore) ?? decisions;
  }

  /**
   * An account of a release without this method has witnessed nothing either, so there is nothing to
   * be older than (SPEC R-version). One that counts no decisions has none that could be missing.
   */
  async #askAccount({ grants, nextNumber }: GrantMark, decisions: number): Promise<Seen | null> {
    const account = this.#ports.account();
    try {
      const seen = await account.witness(this.#ports.id, grants, nextNumber, decisions);
      return seen.stands ? STANDS : { ...seen, decisions: seen.decisions ?? decisions };
    } catch (error) {
      if (!isWithout("witness", error)) throw error;
      return null;
    }
  }

  /** When the directory has to be told of grants and decisions; null: it knows them all. */
  deadline({ mark, work }: Outlook, now: Instant): Instant | null {
    // One that is known to be a backup has nothing to tell until a person has accepted it.
    if (mark.isRestored) return null;
    if (mark.grants <= mark.witnessed && mark.decisions <= mark.decisionsWitnessed) return null;
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
