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
import type { Health } from "../domain/health.ts";
import { ENROL_PAGE, METRICS_CAMPAIGNS, SUPPRESSED_AT_ONCE } from "../domain/limits.ts";
import { mayAskAtOnce } from "../domain/object-error.ts";
import { assert } from "../domain/result.ts";
import { migrate } from "../ledger/migrations.ts";
import type { Storage } from "../ledger/sql.ts";
import { campaignPage, campaignsAfter, enterCampaign, removeCampaign } from "./directory.ts";
import { endSession, isSessionEnded } from "./ended-sessions.ts";
import { HealthWatch } from "./health-watch.ts";
import { letRest, takeLooks } from "./looks.ts";
import { keepErased, recallErased, witness } from "./marks.ts";
import { RateGate } from "./rate-gate.ts";
import type {
  AccountRpc,
  DirectoryEntry,
  ListNews,
  SlotAnswer,
  Standing,
  Watch,
  Witnessed,
} from "./rpc.ts";
import { ACCOUNT_MIGRATIONS } from "./schema.ts";
import {
  addSuppressions,
  removeSuppression,
  suppressErased,
  suppressedAmong,
  suppressedSince,
  suppressionPage,
} from "./suppressions.ts";
import { listCampaign, setStanding, watchList } from "./watch-list.ts";

/** What the account needs of the platform; the simulator brings its own. */
export type AccountPorts = {
  readonly storage: Storage;
  readonly requestsPerSecond: number;
  campaign(id: CampaignId): Pick<CampaignRpc, "suppress" | "reading">;
  /** Read anew at each use, since tests replace it. */
  clock(): Clock;
};

export class Account implements AccountRpc {
  readonly #ports: AccountPorts;
  readonly #storage: Storage;
  readonly #gate: RateGate;
  readonly #health: HealthWatch;

  constructor(ports: AccountPorts) {
    this.#ports = ports;
    this.#storage = ports.storage;
    migrate(this.#storage, ACCOUNT_MIGRATIONS);
    this.#gate = new RateGate(this.#storage, ports.requestsPerSecond);
    this.#health = new HealthWatch({
      campaign: (id) => ports.campaign(id),
      now: () => ports.clock().now(),
      heldMilliseconds: () => this.#gate.reading(ports.clock().now()).heldMilliseconds,
    });
  }

  async register(id: CampaignId, name: string, requestsPerSecond: number | null): Promise<void> {
    const now = this.#ports.clock().now();
    enterCampaign(this.#storage, id, name, requestsPerSecond, now);
    recallErased(this.#storage, id, now);
    listCampaign(this.#storage, id, now);
  }

  async unregister(id: CampaignId): Promise<void> {
    keepErased(this.#storage, id);
    removeCampaign(this.#storage, id);
    setStanding(this.#storage, id, "atRest", this.#ports.clock().now());
  }

  async campaigns(cursor: string | null, limit: number): Promise<Page<DirectoryEntry>> {
    return campaignPage(this.#storage, cursor, limit);
  }

  async witness(
    id: CampaignId,
    grants: number,
    nextNumber: number,
    decisions?: number,
  ): Promise<Witnessed> {
    const told = { grants, nextNumber, decisions };
    return witness(this.#storage, id, told, this.#ports.clock().now());
  }

  async takeLooks(limit: number): Promise<readonly CampaignId[]> {
    return takeLooks(this.#storage, limit, this.#ports.clock().now());
  }

  async letRest(ids: readonly CampaignId[]): Promise<void> {
    letRest(this.#storage, ids, this.#ports.clock().now());
  }

  async endSession(id: string, until: Instant): Promise<boolean> {
    return endSession(this.#storage, id, until, this.#ports.clock().now());
  }

  async isSessionEnded(id: string): Promise<boolean> {
    return isSessionEnded(this.#storage, id);
  }

  async takeSlot(
    campaign: CampaignId,
    atMostMilliseconds: number,
    place?: Instant | null,
  ): Promise<SlotAnswer> {
    const now = this.#ports.clock().now();
    return this.#gate.take({ campaign, atMostMilliseconds, place }, now);
  }

  async slotStands(epoch: number): Promise<boolean> {
    return this.#gate.stands(epoch);
  }

  async holdSlots(milliseconds: number): Promise<void> {
    this.#gate.hold(milliseconds, this.#ports.clock().now());
  }

  async atWork(id: CampaignId): Promise<void> {
    this.#health.heardOf(id);
    setStanding(this.#storage, id, "atWork", this.#ports.clock().now());
  }

  async watch(limit: number): Promise<Watch> {
    const gate = this.#gate.reading(this.#ports.clock().now());
    return { ...watchList(this.#storage, limit), gate };
  }

  async setStandings(
    standings: readonly { readonly id: CampaignId; readonly standing: Standing }[],
  ): Promise<void> {
    assert(standings.length <= METRICS_CAMPAIGNS, "a look is at a bounded number");
    const now = this.#ports.clock().now();
    for (const { id, standing } of standings) setStanding(this.#storage, id, standing, now);
  }

  async health(): Promise<Health> {
    return this.#health.health();
  }

  async suppressedAmong(addresses: readonly Address[]): Promise<readonly SuppressionEntry[]> {
    return suppressedAmong(this.#storage, addresses);
  }

  async suppressedSince(number: number | null): Promise<ListNews> {
    return suppressedSince(this.#storage, number);
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
      const ids = campaignsAfter(this.#storage, last, SUPPRESSED_AT_ONCE);
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
      if (!mayAskAtOnce(error)) throw error;
      await this.#ports.campaign(id).suppress(entries);
    }
  }

  async suppressErased(address: Address): Promise<SuppressionEntry> {
    return suppressErased(this.#storage, address, this.#ports.clock().now());
  }

  async allow(address: Address): Promise<boolean> {
    return removeSuppression(this.#storage, address);
  }

  async suppressions(cursor: string | null, limit: number): Promise<Page<SuppressionEntry>> {
    return suppressionPage(this.#storage, cursor, limit);
  }
}
