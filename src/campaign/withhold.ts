/**
 * Holding a campaign's people against the account's list, as the second lock of SPEC G6. Each
 * suppression is pushed to every campaign before it is acknowledged, so before a beginning this
 * should find nobody, unless a list was restored or a push has missed. A ledger that was restored
 * itself has forgotten what was pushed since its backup, and finds it here.
 *
 * The list is numbered in the order in which it has grown, and a ledger keeps the number up to which
 * it has learnt it: a backup holds the number of then, so what comes after that is all that it can
 * have forgotten (SPEC G6, R-restore).
 */
import type { ListNews } from "../account/rpc.ts";
import type { Instant, Seq } from "../domain/ids.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AddressPage } from "../ledger/suppress.ts";
import { isWithout } from "./older-account.ts";
import type { CampaignPorts } from "./ports.ts";

const FIRST_SEQ = 1 as Seq;

type Ports = Pick<CampaignPorts, "account" | "clock">;
type Account = ReturnType<Ports["account"]>;

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
  // Before the look: what is suppressed during it is told apart.
  const upTo = ledger.marks.read(now())?.listNumber ?? (await listNumber(ports));
  await eachListed(
    ports,
    (from) => ledger.pendingAddresses(from, now()),
    (listed) => ledger.suppress(listed, now()),
  );
  if (upTo !== null) ledger.marks.learnt(upTo, now());
}

/** Null: the account is of a release that numbers nothing. */
async function listNumber({ account }: Ports): Promise<number | null> {
  return (await newsSince(account(), null))?.number ?? null;
}

async function newsSince(account: Account, number: number | null): Promise<ListNews | null> {
  try {
    return await account.suppressedSince(number);
  } catch (error) {
    if (!isWithout("suppressedSince", error)) throw error;
    return null;
  }
}

/**
 * Before the first grant of a life: whoever came onto the list since this ledger has last learnt it is
 * withheld, and erased where that was asked for. Again is the same as once.
 */
export async function learnSuppressed(ledger: Ledger, ports: Ports): Promise<void> {
  const now = (): Instant => ports.clock().now();
  const known = ledger.marks.read(now())?.listNumber ?? null;
  // A campaign that began under a release without numbers looks at everybody, once.
  if (known === null) return learnAll(ledger, ports);
  for (let from: number | null = known; from !== null;) {
    const news: ListNews | null = await newsSince(ports.account(), from);
    if (news === null) return;
    tellAll(ledger, news.entries, now());
    if (news.number !== from) ledger.marks.learnt(news.number, now());
    from = news.isLast ? null : news.number;
  }
}

async function learnAll(ledger: Ledger, ports: Ports): Promise<void> {
  const upTo = await listNumber(ports);
  if (upTo === null) return;
  await withholdSinceBackup(ledger, ports);
  ledger.marks.learnt(upTo, ports.clock().now());
}

/** Before a restored ledger goes on: suppresses and erases everybody who was since its backup. */
export async function withholdSinceBackup(ledger: Ledger, ports: Ports): Promise<void> {
  const now = (): Instant => ports.clock().now();
  await eachListed(
    ports,
    (from) => ledger.people.addresses(from, now()),
    (listed) => tellAll(ledger, listed, now()),
  );
}

function tellAll(ledger: Ledger, listed: readonly SuppressionEntry[], now: Instant): void {
  if (listed.length > 0) ledger.suppress(listed, now);
  for (const entry of listed) if (entry.erasedAt !== undefined) ledger.people.erase(entry, now);
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
