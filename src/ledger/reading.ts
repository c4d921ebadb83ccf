/** A campaign as metrics and health look at it: a handful of rows, whatever its size. */
import { readMeasures } from "../domain/measures.ts";
import type { LedgerReading } from "../domain/reading.ts";
import { openBatches, troubledBatches } from "./batches.ts";
import type { Book } from "./book.ts";
import { outboxCounts } from "./outbox.ts";
import { deliveryStatus } from "./status.ts";

export function readingOf(book: Book): LedgerReading {
  const { storage, counters } = book;
  return {
    status: deliveryStatus(book),
    measures: readMeasures(counters.measures),
    outbox: { ...outboxCounts(storage), heardAt: counters.heard_at },
    openBatches: openBatches(storage),
    troubledBatches: troubledBatches(storage),
  };
}
