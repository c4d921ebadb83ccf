/**
 * The names of reservations, which consumers of other queues give after their own messages. One that
 * holds an address is a piece of data about a person, and goes with the rest of it.
 *
 * Only the name of a batch that is over goes: an open one is found by it. Its message, should it come
 * again, is answered by where its people stand, as one that was never heard of: nobody is mailed.
 */
import type { Address, BatchNumber } from "../domain/ids.ts";
import { all, run, statement, type Storage } from "./sql.ts";

const naming = statement<{ batch: BatchNumber }, { address: string }>(
  "reservationNames.naming",
  `SELECT batch FROM batches
    WHERE reservation >= '' AND due_at IS NULL AND instr(lower(reservation), :address) > 0`,
);
// A reservation has several batches where the first ones were dissolved.
const namingAnybody = statement<{ batch: BatchNumber }, { from: number; upTo: number }>(
  "reservationNames.namingAnybody",
  `SELECT DISTINCT b.batch FROM recipients AS r
      JOIN batches AS last ON last.batch = r.batch
      JOIN batches AS b ON b.reservation = last.reservation
    WHERE r.seq >= :from AND r.seq < :upTo AND b.due_at IS NULL
      AND instr(last.reservation, '@') > 0`,
);
const unname = statement<never, { batch: number }>(
  "reservationNames.unname",
  "UPDATE batches SET reservation = NULL WHERE batch = :batch",
);

/** Takes away the names that hold this address, however it is spelt there. */
export function forgetNamesWith(storage: Storage, address: Address): void {
  for (const { batch } of all(storage, naming, { address })) run(storage, unname, { batch });
}

/** Takes away the names that hold any address, of the batches of these recipients. */
export function forgetNamesOf(storage: Storage, from: number, upTo: number): void {
  for (const { batch } of all(storage, namingAnybody, { from, upTo })) {
    run(storage, unname, { batch });
  }
}
