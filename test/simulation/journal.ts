/**
 * Every move of every row, as SQLite makes it: temporary triggers tell it to the checkers, so that
 * they neither trust the code under test nor read whole tables after each event.
 *
 * A batch that is made without writing its members' rows (ledger/unwritten.ts) reserves them all the
 * same, so its making is told as their moves; what their rows do later the twin translates.
 */
import type { DatabaseSync } from "node:sqlite";
import type { BatchState } from "../../src/domain/batch.ts";
import type { CampaignState } from "../../src/domain/campaign.ts";
import type { RecipientStatus } from "../../src/domain/recipient.ts";

export type RecipientMove = {
  readonly kind: "recipient";
  readonly seq: number;
  readonly id: string;
  readonly address: string;
  readonly from: RecipientStatus | null;
  readonly to: RecipientStatus;
  readonly batch: number | null;
};
export type BatchMove = {
  readonly kind: "batch";
  readonly batch: number;
  readonly from: BatchState | null;
  readonly to: BatchState;
};
export type CampaignMove = {
  readonly kind: "campaign";
  readonly from: CampaignState;
  readonly to: CampaignState;
};
export type Move = RecipientMove | BatchMove | CampaignMove;

const TRIGGERS = `
CREATE TEMP TRIGGER journal_enrolled AFTER INSERT ON main.recipients BEGIN
  SELECT journal_recipient(NEW.seq, NEW.id, NEW.address, NULL, NEW.status, NEW.batch); END;
CREATE TEMP TRIGGER journal_recipient AFTER UPDATE OF status ON main.recipients
WHEN OLD.status <> NEW.status OR OLD.batch IS NOT NEW.batch BEGIN
  SELECT journal_recipient(NEW.seq, NEW.id, NEW.address, OLD.status, NEW.status, NEW.batch); END;
CREATE TEMP TRIGGER journal_formed AFTER INSERT ON main.batches BEGIN
  SELECT journal_batch(NEW.batch, NULL, NEW.state);
  SELECT journal_recipient(r.seq, r.id, r.address, r.status, 'reserved', NEW.batch)
    FROM json_each(NEW.members) AS m JOIN main.recipients AS r ON r.seq = m.value
    WHERE NEW.unwritten = 1;
END;
CREATE TEMP TRIGGER journal_batch AFTER UPDATE OF state ON main.batches
WHEN OLD.state <> NEW.state BEGIN
  SELECT journal_batch(NEW.batch, OLD.state, NEW.state); END;
CREATE TEMP TRIGGER journal_campaign AFTER UPDATE OF state ON main.campaign
WHEN OLD.state <> NEW.state BEGIN
  SELECT journal_campaign(OLD.state, NEW.state); END;
`;

export class Journal {
  #moves: Move[] = [];
  #installed = false;

  constructor(database: DatabaseSync) {
    database.function("journal_recipient", (seq, id, address, from, to, batch) => {
      this.#moves.push({ kind: "recipient", seq, id, address, from, to, batch } as Move);
      return null;
    });
    database.function("journal_batch", (batch, from, to) => {
      this.#moves.push({ kind: "batch", batch, from, to } as Move);
      return null;
    });
    database.function("journal_campaign", (from, to) => {
      this.#moves.push({ kind: "campaign", from, to } as Move);
      return null;
    });
  }

  /** Begins to listen once the tables are there; before that no row can move. */
  install(database: DatabaseSync): void {
    if (this.#installed) return;
    const tables = database
      .prepare(
        "SELECT count(*) AS count FROM sqlite_master WHERE name IN ('recipients', 'campaign')",
      )
      .get() as { count: number };
    if (tables.count < 2) return;
    database.exec(TRIGGERS);
    this.#installed = true;
  }

  get length(): number {
    return this.#moves.length;
  }

  /** Forgets what was rolled back. */
  truncate(length: number): void {
    this.#moves.length = length;
  }

  take(): readonly Move[] {
    const moves = this.#moves;
    this.#moves = [];
    return moves;
  }
}
