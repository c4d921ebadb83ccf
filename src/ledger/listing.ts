/**
 * Lists and look-ups. A list reads a bounded number of rows a page: by an index where its status
 * has one, and otherwise along `seq` for so many rows at a time, so that a page may be shorter than
 * asked for and still have a cursor to go on with.
 */
import { idempotencyKey, type Address, type RecipientId } from "../domain/ids.ts";
import { LIST_ROWS_AT_MOST } from "../domain/limits.ts";
import { assert } from "../domain/result.ts";
import type {
  AttemptView,
  EventType,
  EventView,
  Page,
  RecipientQuery,
  RecipientStory,
  RecipientView,
} from "../domain/history.ts";
import { attemptsOf } from "./batches.ts";
import type { Book } from "./book.ts";
import type { RecipientRow } from "./rows.ts";
import { all, maybeOne, one, statement, type Storage } from "./sql.ts";
import { whereItStands, writeDownAll } from "./unwritten.ts";

const COLUMNS = `seq, id, address, email, data, status, reason, provider_id, batch, released,
  suppression, suppressed_at, feedback, feedback_at, updated_at`;

const alongSeq = statement<RecipientRow, { from: number; upTo: number; limit: number }>(
  "listing.alongSeq",
  `SELECT ${COLUMNS} FROM recipients WHERE seq >= :from AND seq < :upTo ORDER BY seq LIMIT :limit`,
);
const alongSeqOf = statement<
  RecipientRow,
  { from: number; upTo: number; status: string; limit: number }
>(
  "listing.alongSeqOf",
  `SELECT ${COLUMNS} FROM recipients WHERE seq >= :from AND seq < :upTo AND +status = :status
    ORDER BY seq LIMIT :limit`,
);
const problems = statement<
  RecipientRow,
  { status: string; at: number; seq: number; limit: number }
>(
  "listing.problems",
  `SELECT ${COLUMNS} FROM recipients
    WHERE status IN ('failed', 'suppressed', 'inDoubt', 'cancelled') AND status = :status
      AND updated_at <= :at AND (updated_at, seq) < (:at, :seq)
    ORDER BY updated_at DESC, seq DESC LIMIT :limit`,
);
const byId = statement<RecipientRow, { id: string }>(
  "listing.byId",
  `SELECT ${COLUMNS} FROM recipients WHERE id = :id`,
);
const byAddress = statement<RecipientRow, { address: string }>(
  "listing.byAddress",
  `SELECT ${COLUMNS} FROM recipients WHERE address = :address`,
);
const lastSeq = statement<{ seq: number | null }>(
  "listing.lastSeq",
  "SELECT max(seq) AS seq FROM recipients",
);
const eventPage = statement<
  { number: number; at: number; type: EventType; detail: string },
  { before: number; limit: number }
>(
  "listing.events",
  `SELECT number, at, type, detail FROM events
    WHERE number < :before ORDER BY number DESC LIMIT :limit`,
);

const HAS_INDEX = new Set(["failed", "suppressed", "inDoubt", "cancelled"]);

/** @throws RangeError at a cursor that no page of this list has given */
export function recipientPage(book: Book, query: RecipientQuery): Page<RecipientView> {
  const { storage } = book;
  const { status, address } = query;
  if (address !== undefined) {
    const row = whereItStands(book, () => maybeOne(storage, byAddress, { address }));
    const fits = row !== null && (status === null || row.status === status);
    return { items: fits ? [viewOf(row)] : [], cursor: null };
  }
  return status !== null && HAS_INDEX.has(status)
    ? problemPage(storage, status, query)
    : seqPage(book, query);
}

/** Newest problem first. */
function problemPage(
  storage: Storage,
  status: string,
  { cursor, limit }: RecipientQuery,
): Page<RecipientView> {
  const [at, seq] = cursor === null ? [Number.MAX_SAFE_INTEGER, 0] : numbersOf(cursor, 2);
  assert(at !== undefined && seq !== undefined, "the cursor has two parts");
  const rows = all(storage, problems, { status, at, seq, limit });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    items: rows.map(viewOf),
    cursor: last === undefined ? null : `${last.updated_at}.${last.seq}`,
  };
}

/** In the order of enrolment. */
function seqPage(book: Book, { status, cursor, limit }: RecipientQuery): Page<RecipientView> {
  const { storage } = book;
  writeDownAll(book);
  const from = cursor === null ? 1 : (numbersOf(cursor, 1)[0] ?? 1);
  const upTo = from + LIST_ROWS_AT_MOST;
  const rows =
    status === null
      ? all(storage, alongSeq, { from, upTo, limit })
      : all(storage, alongSeqOf, { from, upTo, status, limit });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const next = last === undefined ? upTo : last.seq + 1;
  const end = one(storage, lastSeq, {}).seq ?? 0;
  return { items: rows.map(viewOf), cursor: next > end ? null : String(next) };
}

function numbersOf(cursor: string, count: number): number[] {
  const parts = cursor.split(".").map(Number);
  const fits = parts.length === count && parts.every((part) => Number.isSafeInteger(part));
  if (!fits) throw new RangeError("cursor: not one of this list");
  return parts;
}

export function viewOf(row: RecipientRow): RecipientView {
  return {
    id: row.id,
    email: row.email ?? row.address,
    data: JSON.parse(row.data) as Record<string, unknown>,
    status: row.status,
    reason: row.reason,
    providerId: row.provider_id,
    batch: row.batch,
    updatedAt: row.updated_at,
  };
}

/** One recipient with everything that is known about it. */
export function recipientStory(book: Book, id: RecipientId): RecipientStory | null {
  const row = whereItStands(book, () => maybeOne(book.storage, byId, { id }));
  return row === null ? null : storyOf(book, row);
}

/** The same for whoever has this address; null where nobody has. */
export function personStory(book: Book, address: Address): RecipientStory | null {
  const row = whereItStands(book, () => maybeOne(book.storage, byAddress, { address }));
  return row === null ? null : storyOf(book, row);
}

function storyOf(book: Book, row: RecipientRow): RecipientStory {
  const { suppression, suppressed_at, feedback, feedback_at, batch } = row;
  return {
    ...viewOf(row),
    idempotencyKey: batch === null ? null : idempotencyKey(book.campaign.id, batch),
    attempts: batch === null ? [] : attemptsOf(book.storage, batch).map(attemptView),
    feedback:
      feedback === null || feedback_at === null ? null : { state: feedback, at: feedback_at },
    suppression:
      suppression === null || suppressed_at === null
        ? null
        : { reason: suppression, at: suppressed_at },
  };
}

function attemptView(row: ReturnType<typeof attemptsOf>[number]): AttemptView {
  return {
    token: row.token,
    startedAt: row.started_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at,
    outcome: row.outcome,
    reason: row.reason,
  };
}

/** Newest first. */
export function events(storage: Storage, before: number, limit: number): EventView[] {
  return all(storage, eventPage, { before, limit }).map((row) => ({
    number: row.number,
    at: row.at,
    type: row.type,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  }));
}
