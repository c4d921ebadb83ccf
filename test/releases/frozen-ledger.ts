/**
 * A ledger as a release has left it: the SQL that makes it anew, and what that release said of it,
 * which no later one may say otherwise.
 */
import type { DispatchNumber, RecipientId } from "../../src/domain/ids.ts";
import type { RecipientStory } from "../../src/domain/history.ts";
import type { ReserveAnswer } from "../../src/domain/reservation.ts";
import type { DeliveryStatus } from "../../src/domain/status.ts";
import type { SqlRow, Storage } from "../../src/ledger/sql.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import { DRAWN } from "./lives.ts";

/** After it every lease has run out and every backoff is over; no window is. */
export const LATER_MILLISECONDS = 3_600_000;

export type FrozenLedger = {
  readonly name: string;
  /** The moment in which it was frozen. */
  readonly now: number;
  /** Tables, rows, then indices and triggers. */
  readonly sql: readonly string[];
  readonly told: Told;
};

export type Told = {
  readonly status: DeliveryStatus;
  readonly stories: readonly RecipientStory[];
  /** Batches that are leased, each asked for again by whoever holds it. */
  readonly held: readonly ReserveAnswer[];
  /** Every batch, asked for by somebody else an hour later. */
  readonly later: readonly ReserveAnswer[];
};

function rows(storage: Storage, query: string): SqlRow[] {
  return storage.sql.exec(query).toArray();
}

/** Makes the ledger anew, as its release has left it. */
export function thaw(storage: Storage, { sql }: FrozenLedger): void {
  for (const each of sql) storage.sql.exec(each).toArray();
}

type BatchFacts = {
  batch: number;
  state: string;
  reservation: string | null;
  claim: string | null;
};

/** Everything that has to stay true. It changes the ledger. */
export function tell(ledger: Ledger, storage: Storage, now: number): Told {
  const status = ledger.status(now);
  if (status === null) throw new Error("there is a campaign");
  const ids = rows(storage, "SELECT id FROM recipients ORDER BY seq").map(
    ({ id }) => id as RecipientId,
  );
  const stories = ids.map((id) => ledger.recipient(id, now)).filter((story) => story !== null);
  const query = "SELECT batch, state, reservation, claim FROM batches ORDER BY batch";
  const batches = rows(storage, query) as unknown as BatchFacts[];
  const leased = batches.filter(({ state }) => state === "leased");
  const held = leased.flatMap((batch) => ask(ledger, batch, batch.claim, now));
  for (let more = true; more;) more = ledger.tick(DRAWN, now + LATER_MILLISECONDS);
  const later = batches.flatMap((batch) => ask(ledger, batch, "later", now + LATER_MILLISECONDS));
  return { status, stories, held, later };
}

function ask(
  ledger: Ledger,
  batch: BatchFacts,
  claim: string | null,
  now: number,
): ReserveAnswer[] {
  const { reservation: reservationId } = batch;
  const request =
    reservationId === null
      ? ({
          by: "dispatch",
          dispatch: batch.batch as DispatchNumber,
          claim: claim ?? "none",
        } as const)
      : ({ by: "limit", reservationId, limit: 4, claim } as const);
  const answer = ledger.reserve(request, [], now);
  return answer.ok ? [answer.value] : [];
}
