/**
 * Holding a campaign's people against the account's list, as the second lock of SPEC G6. Each
 * suppression is pushed to every campaign before it is acknowledged, so before a beginning this
 * should find nobody, unless a list was restored or a push has missed. A ledger that was restored
 * itself has forgotten what was pushed since its backup, and finds it here.
 */
import type { Instant, Seq } from "../domain/ids.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AddressPage } from "../ledger/suppress.ts";
import type { CampaignPorts } from "./ports.ts";

const FIRST_SEQ = 1 as Seq;

type Ports = Pick<CampaignPorts, "account" | "clock">;

/**
 * Before a beginning: suppresses whoever waits and is on the list.
 * @param startAt when a start would begin it; null: nobody asks for a start
 */
export async function withholdSuppressed(
  ledger: Ledger,
  ports: Ports,
  startAt: Instant | null,
): Promise<void> {
  const now = (): Instant => ports.clock().now();
  if (!ledger.isAboutToBegin(startAt, now())) return;
  await eachListed(
    ports,
    (from) => ledger.pendingAddresses(from, now()),
    (listed) => ledger.suppress(listed, now()),
  );
}

/** Before a restored ledger goes on: suppresses and erases everybody who was since its backup. */
export async function withholdSinceBackup(ledger: Ledger, ports: Ports): Promise<void> {
  const now = (): Instant => ports.clock().now();
  await eachListed(
    ports,
    (from) => ledger.people.addresses(from, now()),
    (listed) => {
      ledger.suppress(listed, now());
      for (const entry of listed) {
        if (entry.erasedAt !== undefined) ledger.people.erase(entry, now());
      }
    },
  );
}

/** In pages, so that the object answers others in between. */
async function eachListed(
  { account }: Ports,
  read: (from: Seq) => AddressPage | null,
  tell: (listed: readonly SuppressionEntry[]) => void,
): Promise<void> {
  for (let from: Seq | null = FIRST_SEQ; from !== null;) {
    const page: AddressPage | null = read(from);
    if (page !== null && page.addresses.length > 0) {
      const listed = await account().suppressedAmong(page.addresses);
      if (listed.length > 0) tell(listed);
    }
    from = page?.next ?? null;
  }
}
