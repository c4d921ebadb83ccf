/**
 * What is open in a campaign and what is due next, read by one statement.
 *
 * Every call ends with this question, since the alarm stands at the earliest answer. Each column is
 * the first entry of an index, or counts what the window of dispatches bounds; a campaign whose
 * consumers are elsewhere may hold any number of leases, and nobody asks how many.
 */
import type { Instant } from "../domain/ids.ts";
import type { Book } from "./book.ts";
import type { DispatchWindow } from "./dispatch-window.ts";
import { one, statement } from "./sql.ts";

export type Agenda = {
  /** When the first lease or wait of a batch ends. */
  readonly batch_due_at: Instant | null;
  /** Batches that are leased or waiting. */
  readonly open_batches: number;
  /** Those of them that wait because nobody knows whether they were accepted. */
  readonly troubled_batches: number;
  /** Dispatches without a batch that nobody has answered. */
  readonly fresh_dispatches: number;
  /** Dispatches that are on the way, where the window of them is narrow; 0 elsewhere. */
  readonly dispatches_out: number;
  /** When the first dispatch is to be put on the queue. */
  readonly dispatch_due_at: Instant | null;
  /** When the oldest dispatch that is out was sent, and how often it has been. */
  readonly oldest_sent_at: Instant | null;
  readonly oldest_sends: number | null;
  /** When somebody can be erased; null also where all wait for a batch with a deadline of its own. */
  readonly erasure_due_at: Instant | null;
  readonly alert_due_at: Instant | null;
  readonly inquiry_due_at: Instant | null;
};

const agenda = statement<Agenda, { managed: 0 | 1; narrow: 0 | 1 }>(
  "agenda.all",
  `SELECT
    (SELECT due_at FROM batches WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1) AS batch_due_at,
    (SELECT count(*) FROM batches WHERE :managed AND due_at IS NOT NULL) AS open_batches,
    (SELECT count(*) FROM batches WHERE :managed AND due_at IS NOT NULL AND state = 'waiting'
      AND unknown_attempts > 0) AS troubled_batches,
    (SELECT count(*) FROM dispatches WHERE state IN ('due', 'out') AND repeats = 0)
      AS fresh_dispatches,
    (SELECT count(*) FROM dispatches WHERE :narrow AND state = 'out') AS dispatches_out,
    (SELECT due_at FROM dispatches WHERE state = 'due' ORDER BY due_at LIMIT 1) AS dispatch_due_at,
    (SELECT due_at FROM dispatches WHERE state = 'out' ORDER BY due_at LIMIT 1) AS oldest_sent_at,
    (SELECT sends FROM dispatches WHERE state = 'out' ORDER BY due_at LIMIT 1) AS oldest_sends,
    (SELECT due_at FROM erasures WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1)
      AS erasure_due_at,
    (SELECT due_at FROM alerts WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1) AS alert_due_at,
    (SELECT due_at FROM inquiry WHERE one = 1) AS inquiry_due_at`,
);

export function readAgenda({ storage, campaign }: Book, window: DispatchWindow): Agenda {
  return one(storage, agenda, {
    managed: campaign.delivery === "managed" ? 1 : 0,
    narrow: window.isNarrow ? 1 : 0,
  });
}
