/**
 * Before a beginning, everybody who waits is held against the account's list once more. Each
 * suppression is pushed to every campaign before it is acknowledged, so this should find nobody;
 * it is the second lock for a list that was restored, or a push that missed (SPEC G6).
 */
import type { Instant, Seq } from "../domain/ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { PendingAddresses } from "../ledger/suppress.ts";
import type { CampaignPorts } from "./ports.ts";

const FIRST_SEQ = 1 as Seq;

/**
 * In pages, so that the object answers others in between.
 * @param startAt when a start would begin it; null: nobody asks for a start
 */
export async function withholdSuppressed(
  ledger: Ledger,
  { account, clock }: Pick<CampaignPorts, "account" | "clock">,
  startAt: Instant | null,
): Promise<void> {
  if (!ledger.isAboutToBegin(startAt, clock().now())) return;
  for (let from: Seq | null = FIRST_SEQ; from !== null;) {
    const page: PendingAddresses | null = ledger.pendingAddresses(from, clock().now());
    if (page !== null && page.addresses.length > 0) {
      const known = await account().suppressedAmong(page.addresses);
      if (known.length > 0) ledger.suppress(known, clock().now());
    }
    from = page?.next ?? null;
  }
}
