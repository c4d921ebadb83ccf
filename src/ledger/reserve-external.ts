/**
 * Reservations for consumers of other queues (DESIGN §6): they bring their own recipients, or ask
 * for whoever is next, and name the reservation after their own message.
 */
import type { Address, BatchNumber, RecipientId, Seq } from "../domain/ids.ts";
import { MAX_BATCH_SIZE } from "../domain/limits.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import { assert } from "../domain/result.ts";
import type { Enrolment } from "../domain/enrolment.ts";
import type { ReserveAnswer, ReserveRequest, Skipped } from "../domain/reservation.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import { batchByReservation, insertBatch } from "./batches.ts";
import type { Book } from "./book.ts";
import { enrol } from "./enrol.ts";
import { takeIntoBatch } from "./members.ts";
import { pickPending } from "./pick.ts";
import { countPrevented, granted, refused, reserveAgain, stateRefusal } from "./reserve.ts";
import { all, statement } from "./sql.ts";

type NamedRow = {
  seq: Seq;
  id: RecipientId;
  address: Address;
  status: RecipientStatus;
};
const named = statement<NamedRow, { ids: string }>(
  "reserveExternal.named",
  `SELECT seq, id, address, status FROM recipients
    WHERE id IN (SELECT value FROM json_each(:ids))`,
);

type ExternalRequest = Exclude<ReserveRequest, { by: "dispatch" }>;

/** @param known suppressions among the recipients brought along, as the account tells them */
export function reserveExternal(
  book: Book,
  request: ExternalRequest,
  known: readonly SuppressionEntry[],
): ReserveAnswer {
  book.heard();
  const batch = batchByReservation(book.storage, request.reservationId);
  const reason = stateRefusal(book);
  if (reason !== null) {
    countPrevented(book, batch);
    return refused(
      reason,
      request.by === "recipients" ? standings(book, request.recipients).skipped : [],
    );
  }
  if (batch !== null) {
    const answer = reserveAgain(book, batch, request.claim);
    if (request.by === "limit") return answer;
    const inside = new Set(answer.granted ? answer.members.map((member) => member.id) : []);
    const { skipped } = standings(book, request.recipients);
    return { ...answer, skipped: skipped.filter((row) => !inside.has(row.id)) };
  }
  if (request.by === "limit") {
    const seqs = pickPending(book, Math.min(request.limit, MAX_BATCH_SIZE));
    return form(book, request, seqs, []);
  }
  assert(request.recipients.length <= MAX_BATCH_SIZE, "a reservation is bounded");
  if (book.campaign.enrolment_closed === 0) enrol(book, request.recipients, known);
  const { seqs, skipped } = standings(book, request.recipients);
  // Somebody who is mailed already, or right now, would have been mailed again.
  const again = skipped.filter((row) => row.reason === "sent" || row.reason === "reserved");
  book.counters.duplicates_prevented += again.length;
  return form(book, request, seqs, skipped);
}

function form(
  book: Book,
  request: ExternalRequest,
  seqs: readonly Seq[],
  skipped: readonly Skipped[],
): ReserveAnswer {
  if (seqs.length === 0) return refused("nothingDue", skipped);
  const number = book.counters.next_number as BatchNumber;
  book.counters.next_number += 1;
  const batch = insertBatch(book, number, request.reservationId, seqs, request.claim);
  takeIntoBatch(book, number, seqs);
  return granted(book, batch, skipped);
}

/** Who of these can be reserved, in order of enrolment, and why the others can't. */
function standings(
  book: Book,
  recipients: readonly Enrolment[],
): { readonly seqs: readonly Seq[]; readonly skipped: readonly Skipped[] } {
  const ids = JSON.stringify(recipients.map((recipient) => recipient.id));
  const rows = new Map(all(book.storage, named, { ids }).map((row) => [row.id, row]));
  const seqs: Seq[] = [];
  const skipped: Skipped[] = [];
  for (const { id } of new Map(recipients.map((row) => [row.id, row])).values()) {
    const row = rows.get(id);
    if (row === undefined) skipped.push({ id, reason: "duplicateAddress" });
    else if (row.status === "pending") seqs.push(row.seq);
    else skipped.push({ id, reason: row.status });
  }
  return { seqs: seqs.toSorted((a, b) => a - b), skipped };
}
