/**
 * From a message of any queue to reservations: whom it is about, checked, and in parts that are small
 * enough for one reservation each.
 *
 * A part's name is a function of the message and of the size of parts, so a redelivered message finds
 * its reservations again, and one that is cut differently after a deploy never takes a reservation
 * for its own that holds other people.
 */
import { readRecipient } from "../audience/recipient-row.ts";
import type { Enrolment } from "../campaign/rpc.ts";
import { MAX_BATCH_SIZE, MAX_RESERVATION_ID_CHARACTERS } from "../domain/limits.ts";
import type { Wanted } from "./campaign-port.ts";

/** What has come out of a queue. */
export type IncomingMessage = {
  /** The queue's own id of the message, the same at each of its deliveries. */
  readonly id: string;
  /** How often it was delivered, this time included; waits get longer with it. */
  readonly attempts?: number;
} & (
  | { readonly recipients: readonly IncomingRecipient[] }
  /** Whoever is next of those that are enrolled, so many at the most. */
  | { readonly limit: number }
);

export type IncomingRecipient = {
  /** None: the address is the id. */
  readonly id?: string | null;
  readonly email: string;
  readonly data?: Readonly<Record<string, unknown>> | null;
};

/** Somebody in the message who can't be mailed by anybody. */
export type Invalid = {
  /** Place in the message, from 0. */
  readonly index: number;
  readonly detail: string;
};

export type Part = { readonly reservationId: string; readonly wanted: Wanted };

export type ReadMessage = { readonly parts: readonly Part[]; readonly invalid: readonly Invalid[] };

/** @throws RangeError where the message is not one: no queue may acknowledge what it can't read */
export function readMessage(message: IncomingMessage, batchSize: number): ReadMessage {
  const { id } = message;
  const most = MAX_RESERVATION_ID_CHARACTERS - PART_CHARACTERS;
  if (typeof id !== "string" || id.length === 0 || id.length > most) {
    throw new RangeError(`message.id has to be text of 1 to ${most} characters`);
  }
  if ("limit" in message) return { parts: [next(id, message.limit, batchSize)], invalid: [] };
  if (!Array.isArray(message.recipients)) {
    throw new RangeError("message.recipients has to be a list; or give a message.limit");
  }
  const { rows, invalid } = readRecipients(message.recipients);
  if (rows.length <= batchSize) {
    return { parts: rows.length === 0 ? [] : [part(id, rows)], invalid };
  }
  const parts = Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, index) => {
    const from = index * batchSize;
    return part(`${id}/${batchSize}/${index + 1}`, rows.slice(from, from + batchSize));
  });
  return { parts, invalid };
}

/** Room for what the name of a part adds to the id of its message: `/100/1000000`. */
const PART_CHARACTERS = 16;

function part(reservationId: string, recipients: readonly Enrolment[]): Part {
  return { reservationId, wanted: { recipients } };
}

function next(reservationId: string, limit: number, batchSize: number): Part {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError("message.limit has to be a whole number from 1");
  }
  return { reservationId, wanted: { limit: Math.min(limit, batchSize, MAX_BATCH_SIZE) } };
}

/** Whoever stands there twice under one id is one person, or a mistake that nobody can settle. */
function readRecipients(recipients: readonly unknown[]): {
  readonly rows: readonly Enrolment[];
  readonly invalid: readonly Invalid[];
} {
  const rows = new Map<string, Enrolment>();
  const invalid: Invalid[] = [];
  for (const [index, written] of recipients.entries()) {
    const row = readRecipient(index + 1, written);
    if ("code" in row) {
      invalid.push({ index, detail: row.detail });
      continue;
    }
    const known = rows.get(row.id);
    if (known === undefined) rows.set(row.id, row);
    else if (known.address !== row.address) {
      invalid.push({ index, detail: "The id stands there twice, with another address." });
    }
  }
  return { rows: [...rows.values()], invalid };
}
