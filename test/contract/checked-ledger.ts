/**
 * A ledger that is checked after every step: whatever a test does, the invariants that hold at all
 * times are looked at in the rows themselves, not in what the ledger says of them.
 */
import { expect } from "vitest";
import type { Instant } from "../../src/domain/ids.ts";
import type { DeliveryStatus, Stats } from "../../src/domain/status.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import type { Storage } from "../../src/ledger/sql.ts";
import { undone } from "../support/undone.ts";

export const DRAWN = { contentId: "content-1", linkSecret: "ab".repeat(32) };

/** The same ledger, with `checkLedger` after each of its methods. */
export function checkedLedger(storage: Storage, openedAt: Instant): Ledger {
  const ledger = new Ledger(storage, openedAt);
  let version = 0;
  return new Proxy(ledger, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, args);
        const now = args.at(-1);
        if (typeof now === "number") version = checkLedger(target, storage, now, version);
        return answer;
      };
    },
  });
}

/** @returns the version of the status, which must never fall */
export function checkLedger(
  ledger: Ledger,
  storage: Storage,
  now: Instant,
  versionBefore = 0,
): number {
  const status = ledger.status(now);
  if (status === null) return versionBefore;
  expect(status.version, "the version only rises").toBeGreaterThanOrEqual(versionBefore);
  expect(sumOf(status.stats), "G5: the numbers add up").toBe(status.stats.total);
  checkUnwritten(storage);
  asTheyStand(ledger, storage, now, (recounted) => {
    expect(status.stats, "G5: counters equal a recount").toEqual(recounted);
    checkRows(storage);
  });
  checkDeadline(ledger, storage, now, status);
  return status.version;
}

function sumOf(stats: Stats): number {
  const { sent, reserved, failed, remaining, suppressed, inDoubt, cancelled } = stats;
  return sent + reserved + failed + remaining + suppressed + inDoubt + cancelled;
}

function rows(storage: Storage, query: string): Record<string, unknown>[] {
  return storage.sql.exec(query).toArray();
}

function checkRows(storage: Storage): void {
  const miscounted = rows(
    storage,
    `SELECT b.batch, b.state, b.unsettled, count(r.seq) AS open FROM batches AS b
      LEFT JOIN recipients AS r ON r.batch = b.batch AND r.status IN ('reserved', 'inDoubt')
      GROUP BY b.batch HAVING open <> b.unsettled`,
  );
  expect(miscounted, "a batch knows how many of its members are open").toEqual([]);
  const homeless = rows(
    storage,
    `SELECT r.seq, r.status, b.state FROM recipients AS r LEFT JOIN batches AS b ON b.batch = r.batch
      WHERE (r.status = 'reserved' AND coalesce(b.state, '') NOT IN ('leased', 'waiting'))
        OR (r.status = 'inDoubt' AND coalesce(b.state, '') <> 'inDoubt')`,
  );
  expect(homeless, "who is reserved or in doubt has a batch in that state").toEqual([]);
  const forgotten = rows(
    storage,
    `SELECT seq FROM recipients, counters
      WHERE status = 'pending' AND released IS NULL AND seq < counters.next_seq`,
  );
  expect(forgotten, "nobody pending stands behind the cursor").toEqual([]);
  const escaped = rows(
    storage,
    "SELECT seq FROM recipients JOIN suppressions USING (address) WHERE status = 'pending'",
  );
  expect(escaped, "G6: nobody pending is suppressed").toEqual([]);
}

/** Pending behind the cursor are the members of unwritten batches, each of them once. */
function checkUnwritten(storage: Storage): void {
  const held = rows(
    storage,
    `SELECT m.value AS seq FROM batches, json_each(members) AS m WHERE unwritten = 1 ORDER BY seq`,
  );
  const behind = rows(
    storage,
    `SELECT seq FROM recipients, counters
      WHERE status = 'pending' AND released IS NULL AND seq < next_seq ORDER BY seq`,
  );
  expect(behind, "pending behind the cursor are the members of unwritten batches").toEqual(held);
}

/** Lets `look` see every recipient's row where it stands, and leaves unwritten what was so before. */
export function asTheyStand<T>(
  ledger: Ledger,
  storage: Storage,
  now: Instant,
  look: (recounted: Stats | null) => T,
): T {
  return undone(storage, () => look(ledger.recount(now)));
}

/** Whatever has to happen by itself has a deadline, and an alarm at it changes something. */
function checkDeadline(
  ledger: Ledger,
  storage: Storage,
  now: Instant,
  { state, stats }: DeliveryStatus,
): void {
  const deadline = ledger.outlook(now)?.work ?? null;
  const managed = ledger.describe(now)?.draft.delivery === "managed";
  const mustAct =
    stats.reserved > 0 ||
    state === "scheduled" ||
    (state === "sending" && managed && stats.remaining > 0);
  if (mustAct) expect(deadline, `deadline of ${state} with work left`).not.toBeNull();
  const atRest = state === "finished" || state === "draft" || !managed || state !== "sending";
  // Whoever waits to be erased with a doubt has the end of its window for a deadline.
  const isOwed = rows(storage, "SELECT seq FROM erasures").length > 0;
  if (atRest && !isOwed && stats.reserved === 0 && state !== "scheduled") {
    expect(deadline, `deadline of ${state} with nothing left to do`).toBeNull();
  }
  expect(
    undone(storage, () => settleAlarms(ledger, now)),
    "alarms come to rest",
  ).toBe(true);
}

/** Runs the alarm's work until the next deadline lies ahead; false where it never does. */
function settleAlarms(ledger: Ledger, now: Instant): boolean {
  for (let round = 0; round < 50; round += 1) {
    const deadline = ledger.outlook(now)?.work ?? null;
    if (deadline === null || deadline > now) return true;
    ledger.tick(DRAWN, now);
    const due = ledger.dueDispatches(now);
    if (due.length > 0) ledger.dispatchesSent(due, now);
  }
  return false;
}
