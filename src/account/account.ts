/**
 * What all campaigns of an account share: the directory, the suppressions and the rate gate; and
 * which sessions of its operators were signed out.
 *
 * A suppression is acknowledged only when every campaign in the directory has it (SPEC G6). Campaigns
 * are entered before they are created, so none is missed. One that fails to answer makes the whole
 * call fail, after all others have been told; whoever asked asks again, and what was written before
 * stays as it is, with its first reason and time. Whoever is enrolled meanwhile is checked against it.
 */
import type { CampaignRpc, Page, SuppressionEntry, SuppressionReason } from "../campaign/rpc.ts";
import type { Clock } from "../domain/clock.ts";
import type { Address, CampaignId, Instant } from "../domain/ids.ts";
import { ENROL_PAGE } from "../domain/limits.ts";
import { assert } from "../domain/result.ts";
import { migrate } from "../ledger/migrations.ts";
import type { Storage } from "../ledger/sql.ts";
import { campaignPage, campaignsAfter, enterCampaign, removeCampaign } from "./directory.ts";
import { endSession, isSessionEnded } from "./ended-sessions.ts";
import { RateGate } from "./rate-gate.ts";
import type { AccountRpc, DirectoryEntry, SlotAnswer } from "./rpc.ts";
import { ACCOUNT_MIGRATIONS } from "./schema.ts";
import {
  addSuppressions,
  removeSuppression,
  suppressedAmong,
  suppressionPage,
} from "./suppressions.ts";

/** Campaigns told at a time; each is a request of its own. */
const TOLD_AT_ONCE = 20;

/** What the account needs of the platform; the simulator brings its own. */
export type AccountPorts = {
  readonly storage: Storage;
  readonly requestsPerSecond: number;
  campaign(id: CampaignId): Pick<CampaignRpc, "suppress">;
  /** Read anew at each use, since tests replace it. */
  clock(): Clock;
};

export class Account implements AccountRpc {
  readonly #ports: AccountPorts;
  readonly #storage: Storage;
  readonly #gate: RateGate;

  constructor(ports: AccountPorts) {
    this.#ports = ports;
    this.#storage = ports.storage;
    migrate(this.#storage, ACCOUNT_MIGRATIONS);
    this.#gate = new RateGate(this.#storage, ports.requestsPerSecond);
  }

  async register(id: CampaignId, name: string, requestsPerSecond: number | null): Promise<void> {
    enterCampaign(this.#storage, id, name, requestsPerSecond, this.#ports.clock().now());
  }

  async unregister(id: CampaignId): Promise<void> {
    removeCampaign(this.#storage, id);
  }

  async campaigns(cursor: string | null, limit: number): Promise<Page<DirectoryEntry>> {
    return campaignPage(this.#storage, cursor, limit);
  }

  async endSession(id: string, until: Instant): Promise<boolean> {
    return endSession(this.#storage, id, until, this.#ports.clock().now());
  }

  async isSessionEnded(id: string): Promise<boolean> {
    return isSessionEnded(this.#storage, id);
  }

  async takeSlot(campaign: CampaignId, atMostMilliseconds: number): Promise<SlotAnswer> {
    return this.#gate.take(campaign, atMostMilliseconds, this.#ports.clock().now());
  }

  async slotStands(epoch: number): Promise<boolean> {
    return this.#gate.stands(epoch);
  }

  async holdSlots(milliseconds: number): Promise<void> {
    this.#gate.hold(milliseconds, this.#ports.clock().now());
  }

  async suppressedAmong(addresses: readonly Address[]): Promise<readonly SuppressionEntry[]> {
    return suppressedAmong(this.#storage, addresses);
  }

  async suppress(addresses: readonly Address[], reason: SuppressionReason): Promise<void> {
    const at = this.#ports.clock().now();
    await this.importSuppressions(addresses.map((address) => ({ address, reason, at })));
  }

  async importSuppressions(entries: readonly SuppressionEntry[]): Promise<number> {
    assert(entries.length <= ENROL_PAGE, "a page is bounded");
    const added = addSuppressions(this.#storage, entries);
    // What was there before keeps its reason, also for the campaigns that are told now.
    const addresses = entries.map(({ address }) => address);
    await this.#tellCampaigns(suppressedAmong(this.#storage, addresses));
    return added;
  }

  async #tellCampaigns(entries: readonly SuppressionEntry[]): Promise<void> {
    const failures: unknown[] = [];
    let last = "";
    for (;;) {
      const ids = campaignsAfter(this.#storage, last, TOLD_AT_ONCE);
      if (ids.length === 0) break;
      // Each is told whatever happens to the others: one that fails must not keep the news from
      // those that may be mailing right now.
      const told = await Promise.allSettled(ids.map((id) => this.#tell(id, entries)));
      for (const each of told) if (each.status === "rejected") failures.push(each.reason);
      last = ids.at(-1) ?? last;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Asks once more on a new stub: most failures are an object that has just been moved. */
  async #tell(id: CampaignId, entries: readonly SuppressionEntry[]): Promise<void> {
    try {
      await this.#ports.campaign(id).suppress(entries);
    } catch (error) {
      if ((error as { overloaded?: unknown } | null)?.overloaded === true) throw error;
      await this.#ports.campaign(id).suppress(entries);
    }
  }

  async allow(address: Address): Promise<boolean> {
    return removeSuppression(this.#storage, address);
  }

  async suppressions(cursor: string | null, limit: number): Promise<Page<SuppressionEntry>> {
    return suppressionPage(this.#storage, cursor, limit);
  }
}
