/**
 * Reservations for consumers of other queues (DESIGN §6): they bring their own recipients, or ask
 * for whoever is next, and name the reservation after their own message.
 */
import type { Address, BatchNumber, RecipientId, Seq, Token } from "../domain/ids.ts";
import { MAX_BATCH_SIZE } from "../domain/limits.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import { assert } from "../domain/result.ts";
import type { Enrolment } from "../domain/enrolment.ts";
import type { ReserveAnswer, ReserveRequest, Skipped } from "../domain/reservation.ts";
import type { SuppressionEntry } from "../domain/suppression.ts";
import { batchByReservation } from "./batches.ts";
import type { Book } from "./book.ts";
import { enrol } from "./enrol.ts";
import { pickPending } from "./pick.ts";
import {
  countPrevented,
  FIRST_TOKEN,
  formBatch,
  granted,
  refused,
  reserveAgain,
  stateRefusal,
} from "./reserve.ts";
import { all, statement } from "./sql.ts";
import { erasedAmong, rememberErased } from "./suppress.ts";

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

const addresses = statement<{ address: Address }, { addresses: string }>(
  "reserveExternal.addresses",
  `SELECT address FROM recipients
    WHERE address IN (SELECT value FROM json_each(:addresses))`,
);

type ExternalRequest = Exclude<ReserveRequest, { by: "dispatch" }>;

/** @param known suppressions among the recipients brought along, as the account tells them */
export function reserveExternal(
  book: Book,
  request: ExternalRequest,
  known: readonly SuppressionEntry[],
): ReserveAnswer {
  book.heard();
  rememberErased(book, known);
  const found = batchByReservation(book.storage, request.reservationId);
  const reason = stateRefusal(book);
  if (reason !== null) {
    countPrevented(book, found);
    return withSkipped(book, request, refused(reason));
  }
  if (found === null) return reserveFresh(book, request, known, FIRST_TOKEN);
  const answer = reserveAgain(book, found, request.claim);
  const batch = batchByReservation(book.storage, request.reservationId);
  // Dissolved: nothing of it was accepted and its members were put back. The message that stands
  // for them is still there, so it forms another batch; told that it is settled it would be
  // acknowledged, and nobody would ever ask for its people again (SPEC G2).
  if (batch?.state === "dissolved") {
    return reserveFresh(book, request, known, (batch.token + 1) as Token);
  }
  return withSkipped(book, request, answer);
}

function reserveFresh(
  book: Book,
  request: ExternalRequest,
  known: readonly SuppressionEntry[],
  token: Token,
): ReserveAnswer {
  if (request.by === "limit") {
    assert(request.limit >= 1, "the limit of a reservation is 1 or more");
    const { rows } = pickPending(book, Math.min(request.limit, MAX_BATCH_SIZE));
    return form(
      book,
      request,
      rows.map(({ seq }) => seq),
      token,
    );
  }
  assert(request.recipients.length <= MAX_BATCH_SIZE, "a reservation is bounded");
  if (book.campaign.enrolment_closed === 0) enrol(book, request.recipients, known);
  const { seqs, skipped } = standings(book, request.recipients);
  // Somebody who is mailed already, or right now, would have been mailed again.
  const again = skipped.filter((row) => row.reason === "sent" || row.reason === "reserved");
  book.counters.duplicates_prevented += again.length;
  return { ...form(book, request, seqs, token), skipped };
}

function form(
  book: Book,
  request: ExternalRequest,
  seqs: readonly Seq[],
  token: Token,
): ReserveAnswer {
  if (seqs.length === 0) return refused("nothingDue");
  const number = book.counters.next_number as BatchNumber;
  book.counters.next_number += 1;
  const { reservationId, claim } = request;
  const batch = formBatch(book, {
    batch: number,
    reservation: reservationId,
    seqs,
    claim,
    token,
    // Its people may be named anywhere before the cursor, and are settled one by one.
    isUnwritten: false,
  });
  return granted(book, batch);
}

/** The answer with where each of the recipients stands who were brought along and are not in it. */
function withSkipped(book: Book, request: ExternalRequest, answer: ReserveAnswer): ReserveAnswer {
  if (request.by === "limit") return answer;
  const inside = new Set(answer.granted ? answer.members.map((member) => member.id) : []);
  const { skipped } = standings(book, request.recipients);
  return { ...answer, skipped: skipped.filter((row) => !inside.has(row.id)) };
}

/**
 * Who of these can be reserved, in order of enrolment, and why the others can't. Somebody the
 * ledger has never heard of is in neither list: nothing may look settled that is not.
 */
function standings(
  book: Book,
  recipients: readonly Enrolment[],
): { readonly seqs: readonly Seq[]; readonly skipped: readonly Skipped[] } {
  const ids = JSON.stringify(recipients.map((recipient) => recipient.id));
  const rows = new Map(all(book.storage, named, { ids }).map((row) => [row.id, row]));
  const strangers = recipients.filter((recipient) => !rows.has(recipient.id));
  const taken = enrolledAmong(book, strangers);
  const erased = erasedAmong(
    book,
    strangers.map(({ address }) => address),
  );
  const seqs: Seq[] = [];
  const skipped: Skipped[] = [];
  for (const { id, address } of new Map(recipients.map((row) => [row.id, row])).values()) {
    const row = rows.get(id);
    if (row === undefined) {
      if (erased.has(address)) skipped.push({ id, reason: "suppressed" });
      else if (taken.has(address)) skipped.push({ id, reason: "duplicateAddress" });
    } else if (row.status === "pending") seqs.push(row.seq);
    else skipped.push({ id, reason: row.status });
  }
  return { seqs: seqs.toSorted((a, b) => a - b), skipped };
}

/** Which addresses of these are in the ledger, under whatever id. */
function enrolledAmong(book: Book, recipients: readonly Enrolment[]): ReadonlySet<Address> {
  if (recipients.length === 0) return new Set();
  const list = JSON.stringify(recipients.map((recipient) => recipient.address));
  return new Set(all(book.storage, addresses, { addresses: list }).map((row) => row.address));
}
