/** What the account object answers: the directory, the suppressions and the rate gate. */
import type { Page, SuppressionEntry, SuppressionReason } from "../campaign/rpc.ts";
import type { Health } from "../domain/health.ts";
import type { Address, CampaignId, Instant } from "../domain/ids.ts";

/** The name of the one object of its class. */
export const ACCOUNT_NAME = "account";

export type DirectoryEntry = {
  readonly id: CampaignId;
  readonly name: string;
  readonly createdAt: Instant;
};

export type SlotAnswer = {
  /** How long to wait before the call, in milliseconds; 0: now. The slot is taken. */
  readonly waitMilliseconds: number;
  /** False: no slot was taken, and whoever still wants one asks again after the wait. */
  readonly taken: boolean;
  /**
   * The place in the line that the wait is for, to be brought along then; null: none, since the wait
   * would be longer than asked for. Releases of before know of none.
   */
  readonly place?: Instant | null;
  /**
   * There is no place for it now, and its dispatch goes back: how many of the campaign's dispatches
   * are likely to find one after the wait. Absent: there is a place, or the wait is short.
   */
  readonly room?: number;
  /** Counts the holds: a slot stands while nobody has asked for silence since. */
  readonly epoch: number;
};

/** What a scrape begins with. */
export type Watch = {
  /** The campaigns to ask: those at work first, of each kind the newest. */
  readonly campaigns: readonly { readonly id: CampaignId; readonly standing: Standing }[];
  /** Campaigns that are not at rest and beyond the bound. */
  readonly leftOut: number;
  readonly gate: GateReading;
};

/** Whether a campaign is worth a look: at work or paused; not begun or lately ended; at rest. */
export type Standing = "atWork" | "waiting" | "atRest";

export type GateReading = {
  readonly requestsPerSecond: number;
  /** Until the next slot that nobody has taken. */
  readonly waitMilliseconds: number;
  /** What is left of the silence that the provider asked for. */
  readonly heldMilliseconds: number;
  /** How often it has asked for one. */
  readonly holds: number;
};

/** How far a ledger has got, as it says itself (ledger/grant-mark.ts). */
export type Told = {
  readonly grants: number;
  readonly nextNumber: number;
  readonly decisions: number;
};

/**
 * What the directory knows of a ledger; `stands: false` where it is ahead of it. An account of a
 * release of before knows of no decisions.
 */
export type Witnessed =
  | { readonly stands: true }
  | ({ readonly stands: false } & Omit<Told, "decisions"> & Partial<Pick<Told, "decisions">>);

/** What the account's list has got since a number, a page of it, and the number to ask from next. */
export type ListNews = {
  readonly entries: readonly SuppressionEntry[];
  readonly number: number;
  readonly isLast: boolean;
};

export interface AccountRpc {
  /** Enters a campaign before it is created, so that every suppression finds it (SPEC G6). */
  register(id: CampaignId, name: string, requestsPerSecond: number | null): Promise<void>;
  /** Takes a campaign out after it was erased. */
  unregister(id: CampaignId): Promise<void>;
  /** Newest first. */
  campaigns(cursor: string | null, limit: number): Promise<Page<DirectoryEntry>>;

  /**
   * Remembers that a ledger has given so many grants, has got to this number and counts so many
   * decisions; not where it knows of more, since that ledger was restored from a backup (SPEC
   * R-restore). Without decisions, as a release of before asks, they are not compared.
   */
  witness(
    id: CampaignId,
    grants: number,
    nextNumber: number,
    decisions?: number,
  ): Promise<Witnessed>;
  /** Campaigns whose turn it is to be looked at, the longest unseen first. Each call takes others. */
  takeLooks(limit: number): Promise<readonly CampaignId[]>;
  /** These have nothing to do by themselves, so they need no look for a while. */
  letRest(ids: readonly CampaignId[]): Promise<void>;

  /**
   * Ends a browser session that would have lasted `until`, for good.
   * @returns false where too many have been ended already, and it lasts
   */
  endSession(id: string, until: Instant): Promise<boolean>;
  isSessionEnded(id: string): Promise<boolean>;

  /**
   * A slot of the provider's rate limit; not taken where the wait would exceed `atMost`.
   *
   * @param place that of an earlier answer; null: the first ask, which gets a place in the line
   *   where no slot is near; absent: a slot is taken however far ahead, before all of the line
   */
  takeSlot(
    campaign: CampaignId,
    atMostMilliseconds: number,
    place?: Instant | null,
  ): Promise<SlotAnswer>;
  /** Whether a slot that was waited for may still be used. */
  slotStands(epoch: number): Promise<boolean>;
  /** The provider asked for silence: nobody gets a slot before it is over. */
  holdSlots(milliseconds: number): Promise<void>;

  /** Told by a campaign that is sending, now and then. Ignores one that is in no directory. */
  atWork(id: CampaignId): Promise<void>;
  /** Which campaigns to look at, `limit` at the most. */
  watch(limit: number): Promise<Watch>;
  /** Told by whoever has looked, where it was otherwise than the watch said. */
  setStandings(
    standings: readonly { readonly id: CampaignId; readonly standing: Standing }[],
  ): Promise<void>;
  /** Storage, queue and provider, as campaigns see them that were at work lately. */
  health(): Promise<Health>;

  /** Which of these addresses must not be mailed. */
  suppressedAmong(addresses: readonly Address[]): Promise<readonly SuppressionEntry[]>;
  /**
   * Whom the list has got since it was at this number, the oldest first; null: nobody, and where it
   * is now. Lifted entries are not among them.
   */
  suppressedSince(number: number | null): Promise<ListNews>;
  /** Answers only when every campaign that may still mail has it (SPEC G6). */
  suppress(addresses: readonly Address[], reason: SuppressionReason): Promise<void>;
  /**
   * The same for at most ENROL_PAGE entries of a list that was kept elsewhere, with their own reasons
   * and times. An address that is there keeps what it has. @returns how many are new
   */
  importSuppressions(entries: readonly SuppressionEntry[]): Promise<number>;
  /**
   * Suppresses the address of somebody whose data is to be erased, and keeps that it was asked for.
   * It tells no campaign: whoever asks visits each of them with the entry that this gives.
   */
  suppressErased(address: Address): Promise<SuppressionEntry>;
  /** Lifts a suppression for later campaigns; false where there was none. */
  allow(address: Address): Promise<boolean>;
  suppressions(cursor: string | null, limit: number): Promise<Page<SuppressionEntry>>;
}
