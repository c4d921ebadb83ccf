/**
 * The members of a batch: picking them, reading them, and every move of theirs that is not a report
 * of the provider. Each move is one conditional UPDATE over the frozen list; how many rows came
 * back is what the counters and the batch are told.
 */
import type { BatchNumber, Instant, RecipientId, Seq } from "../domain/ids.ts";
import { MAX_REASON_CHARACTERS } from "../domain/limits.ts";
import type { Member } from "../domain/outcome.ts";
import {
  recipientAfter,
  type RecipientCommand,
  type RecipientStatus,
} from "../domain/recipient.ts";
import { assert } from "../domain/result.ts";
import { wholeText } from "../domain/whole-text.ts";
import type { Book } from "./book.ts";
import type { BatchRow } from "./rows.ts";
import { all, changed, one, statement, type Storage } from "./sql.ts";

/** What a mail is made of. */
export type MailRow = {
  seq: Seq;
  id: RecipientId;
  address: string;
  email: string | null;
  data: string;
};
type MemberRow = MailRow & { status: RecipientStatus; batch: BatchNumber | null };

const membersOf = statement<MemberRow, { seqs: string }>(
  "members.read",
  `SELECT seq, id, address, email, data, status, batch FROM recipients
    WHERE seq IN (SELECT value FROM json_each(:seqs)) ORDER BY seq`,
);
const takeMembers = statement<never, { seqs: string; batch: number; now: number }>(
  "members.take",
  `UPDATE recipients SET status = 'reserved', batch = :batch, released = NULL, reason = NULL,
      updated_at = :now
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND status = 'pending'`,
);
const releaseMembers = statement<
  { status: RecipientStatus },
  { seqs: string; batch: number; bound: number; reason: string | null; now: number }
>(
  "members.release",
  `UPDATE recipients SET
      status = CASE WHEN suppression IS NULL THEN 'pending' ELSE 'suppressed' END,
      released = CASE WHEN suppression IS NULL THEN :bound ELSE NULL END,
      reason = coalesce(suppression, :reason), updated_at = :now
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND batch = :batch AND status = 'reserved'
    RETURNING status`,
);
const moveMembers = statement<
  never,
  {
    seqs: string;
    batch: number;
    from: RecipientStatus;
    to: RecipientStatus;
    reason: string | null;
    now: number;
  }
>(
  "members.move",
  `UPDATE recipients SET status = :to, reason = :reason, updated_at = :now
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND batch = :batch AND status = :from`,
);
const suppressedMembers = statement<{ count: number }, { seqs: string }>(
  "members.suppressed",
  `SELECT count(*) AS count FROM recipients
    WHERE seq IN (SELECT value FROM json_each(:seqs)) AND suppression IS NOT NULL`,
);

/** Whether any of these has been suppressed since it was reserved. */
export function hasSuppressed(storage: Storage, seqs: string): boolean {
  return one(storage, suppressedMembers, { seqs }).count > 0;
}

export function readMembers(storage: Storage, seqs: string): MemberRow[] {
  return all(storage, membersOf, { seqs });
}

/** A member as a consumer gets it. */
export function memberOf(row: MailRow): Member {
  const data = JSON.parse(row.data) as Record<string, unknown>;
  return { seq: row.seq, id: row.id, email: row.email ?? row.address, data };
}

/** Says in the rows of a batch's members, who are pending, that it has reserved them at `at`. */
export function reserveMembers(storage: Storage, batch: BatchRow, at: Instant): void {
  const params = { seqs: batch.members, batch: batch.batch, now: at };
  const taken = changed(storage, takeMembers, params);
  assert(taken === batch.size, "every member of a new batch is pending");
}

/**
 * Puts the members of a batch that was definitely not accepted back to pending; who has been
 * suppressed meanwhile becomes `suppressed` instead (SPEC G6).
 *
 * @param bound how many of them may share the next batch: halving finds the member at fault
 * @returns how many left the batch
 */
export function release(
  book: Book,
  batch: BatchRow,
  seqs: string,
  bound: number,
  reason: string | null,
): number {
  const params = { seqs, batch: batch.batch, bound, reason: cut(reason), now: book.now };
  const released = all(book.storage, releaseMembers, params);
  const withheld = released.filter((row) => row.status === "suppressed").length;
  book.move("reserved", "suppressed", withheld);
  book.move("reserved", "pending", released.length - withheld);
  return released.length;
}

/** Gives the command to those of `seqs` that are in the batch and in state `from`; how many. */
export function moveInBatch(
  book: Book,
  batch: BatchRow,
  seqs: string,
  from: RecipientStatus,
  command: RecipientCommand,
  reason: string | null,
): number {
  const to = recipientAfter(from, command);
  assert(to.ok, `a recipient that is ${from} can ${command}`);
  const params = { seqs, batch: batch.batch, from, to: to.value, reason: cut(reason) };
  const moved = changed(book.storage, moveMembers, { ...params, now: book.now });
  book.move(from, to.value, moved);
  return moved;
}

export function cut(reason: string | null): string | null {
  return reason === null ? null : wholeText(reason, MAX_REASON_CHARACTERS);
}
