/** What the account object answers: the directory, the suppressions and the rate gate. */
import type { Page, SuppressionEntry, SuppressionReason } from "../campaign/rpc.ts";
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
  /** False: the wait would be longer than asked for, and no slot was taken. */
  readonly taken: boolean;
  /** Counts the holds: a slot stands while nobody has asked for silence since. */
  readonly epoch: number;
};

export interface AccountRpc {
  /** Enters a campaign before it is created, so that every suppression finds it (SPEC G6). */
  register(id: CampaignId, name: string, requestsPerSecond: number | null): Promise<void>;
  /** Takes a campaign out after it was erased. */
  unregister(id: CampaignId): Promise<void>;
  /** Newest first. */
  campaigns(cursor: string | null, limit: number): Promise<Page<DirectoryEntry>>;

  /**
   * Ends a browser session that would have lasted `until`, for good.
   * @returns false where too many have been ended already, and it lasts
   */
  endSession(id: string, until: Instant): Promise<boolean>;
  isSessionEnded(id: string): Promise<boolean>;

  /** A slot of the provider's rate limit; not taken where the wait would exceed `atMost`. */
  takeSlot(campaign: CampaignId, atMostMilliseconds: number): Promise<SlotAnswer>;
  /** Whether a slot that was waited for may still be used. */
  slotStands(epoch: number): Promise<boolean>;
  /** The provider asked for silence: nobody gets a slot before it is over. */
  holdSlots(milliseconds: number): Promise<void>;

  /** Which of these addresses must not be mailed. */
  suppressedAmong(addresses: readonly Address[]): Promise<readonly SuppressionEntry[]>;
  /** Answers only when every campaign that may still mail has it (SPEC G6). */
  suppress(addresses: readonly Address[], reason: SuppressionReason): Promise<void>;
  /**
   * The same for at most ENROL_PAGE entries of a list that was kept elsewhere, with their own reasons
   * and times. An address that is there keeps what it has. @returns how many are new
   */
  importSuppressions(entries: readonly SuppressionEntry[]): Promise<number>;
  /** Lifts a suppression for later campaigns; false where there was none. */
  allow(address: Address): Promise<boolean>;
  suppressions(cursor: string | null, limit: number): Promise<Page<SuppressionEntry>>;
}
