/**
 * Texts of others that may name somebody: what a provider said of an attempt, and where that was told
 * on (other members of the batch, the audit trail, alerts, dead letters, the pause). They are bounded
 * by the number of attempts and by what a ledger keeps, not by its recipients.
 */
import { withoutAddresses } from "../domain/fault-text.ts";
import type { Address, BatchNumber, Instant, Seq } from "../domain/ids.ts";
import type { Book } from "./book.ts";
import { all, run, statement, type SqlValue, type Statement, type Storage } from "./sql.ts";

const attempts = statement<{ batch: BatchNumber; token: number; text: string }, { part: string }>(
  "toldTexts.attempts",
  `SELECT batch, token, reason AS text FROM attempts
    WHERE batch >= 1 AND instr(lower(reason), :part) > 0`,
);
const writeAttempt = statement<never, { batch: number; token: number; text: string }>(
  "toldTexts.writeAttempt",
  "UPDATE attempts SET reason = :text WHERE batch = :batch AND token = :token",
);
const batchmates = statement<{ seq: Seq; text: string }, { batch: number; part: string }>(
  "toldTexts.batchmates",
  `SELECT r.seq, r.reason AS text FROM batches AS b, json_each(b.members) AS j,
      recipients AS r
    WHERE b.batch = :batch AND r.seq = j.value AND instr(lower(r.reason), :part) > 0`,
);
const writeReason = statement<never, { seq: number; text: string }>(
  "toldTexts.writeReason",
  "UPDATE recipients SET reason = :text WHERE seq = :seq",
);
type EventRow = { number: number; at: Instant; type: string; text: string };
const events = statement<EventRow, { part: string }>(
  "toldTexts.events",
  `SELECT number, at, type, detail AS text FROM events
    WHERE number >= 1 AND instr(lower(detail), :part) > 0`,
);
// An event is written once (a trigger of the schema), so one that names somebody is written anew.
const dropEvent = statement<never, { number: number }>(
  "toldTexts.dropEvent",
  "DELETE FROM events WHERE number = :number",
);
const writeEvent = statement<never, EventRow>(
  "toldTexts.writeEvent",
  "INSERT INTO events (number, at, type, detail) VALUES (:number, :at, :type, :text)",
);
const alerts = statement<{ number: number; text: string }, { part: string }>(
  "toldTexts.alerts",
  `SELECT number, detail AS text FROM alerts
    WHERE number >= 1 AND instr(lower(detail), :part) > 0`,
);
const writeAlert = statement<never, { number: number; text: string }>(
  "toldTexts.writeAlert",
  "UPDATE alerts SET detail = :text WHERE number = :number",
);
const letters = statement<{ number: number; text: string; stack: string | null }, { part: string }>(
  "toldTexts.letters",
  `SELECT number, error AS text, stack FROM dead_letters
    WHERE number >= 1 AND instr(lower(error || coalesce(stack, '')), :part) > 0`,
);
const writeLetter = statement<never, { number: number; text: string; stack: string | null }>(
  "toldTexts.writeLetter",
  "UPDATE dead_letters SET error = :text, stack = :stack WHERE number = :number",
);
const forgetReasons = statement(
  "toldTexts.forgetReasons",
  "UPDATE attempts SET reason = NULL WHERE batch >= 1 AND reason IS NOT NULL",
);

/** A text without whatever is to be forgotten. */
type Forget = (text: string) => string;

/** Takes one address out of every text, however it is spelt there. */
export function forgetAddress(book: Book, address: Address): void {
  const { storage } = book;
  const forget: Forget = (text) => withoutPart(text, address);
  for (const attempt of all(storage, attempts, { part: address })) {
    run(storage, writeAttempt, { ...attempt, text: forget(attempt.text) });
    const { batch } = attempt;
    rewrite(storage, batchmates, writeReason, { batch, part: address }, forget);
  }
  forgetTold(book, address, forget);
}

/** Takes all addresses out of what was told on, and every sentence about an attempt. */
export function forgetAllAddresses(book: Book): void {
  run(book.storage, forgetReasons, {});
  forgetTold(book, "@", withoutAddresses);
}

function forgetTold(book: Book, part: string, forget: Forget): void {
  const { storage, campaign } = book;
  const forgetIn = inJson(forget);
  for (const event of all(storage, events, { part })) {
    run(storage, dropEvent, event);
    run(storage, writeEvent, { ...event, text: forgetIn(event.text) });
  }
  rewrite(storage, alerts, writeAlert, { part }, forgetIn);
  for (const letter of all(storage, letters, { part })) {
    const stack = letter.stack === null ? null : forget(letter.stack);
    run(storage, writeLetter, { ...letter, text: forget(letter.text), stack });
  }
  if (campaign.pause_detail !== null) campaign.pause_detail = forget(campaign.pause_detail);
}

/** In JSON an address that was quoted has a backslash at its end, which must not go with it. */
function inJson(forget: Forget): Forget {
  return (json) =>
    JSON.stringify(JSON.parse(json), (_, part: unknown) =>
      typeof part === "string" ? forget(part) : part,
    );
}

function rewrite<Row extends { text: string } & Record<string, SqlValue>, Where extends object>(
  storage: Storage,
  find: Statement<Row, Where & Record<string, SqlValue>>,
  write: Statement<never, Row>,
  where: Where & Record<string, SqlValue>,
  forget: Forget,
): void {
  for (const row of all(storage, find, where))
    run(storage, write, { ...row, text: forget(row.text) });
}

/** An address is ASCII and its normal form lower case, so both texts have the same places. */
function withoutPart(text: string, part: string): string {
  const lower = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const pieces: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(part); at !== -1; at = lower.indexOf(part, from)) {
    pieces.push(text.slice(from, at));
    from = at + part.length;
  }
  return [...pieces, text.slice(from)].join("<erased>");
}
