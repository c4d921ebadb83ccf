/** The table that the usual designs keep in a database: who was reserved, who was sent. */
import type { SqlValue, Storage } from "../../../src/ledger/sql.ts";

export type TableRpc = {
  /** Which of these have a row that says `sent`. */
  sentAmong(ids: readonly string[]): Promise<readonly string[]>;
  /** Writes `sent` for these. */
  markSent(ids: readonly string[]): Promise<void>;
  /** Writes a row for each that has none, and says which those were. */
  insertMissing(ids: readonly string[]): Promise<readonly string[]>;
};

const SCHEMA = `CREATE TABLE IF NOT EXISTS mails (
  id TEXT PRIMARY KEY, status TEXT NOT NULL) STRICT`;
const SENT = `SELECT id FROM mails
  WHERE status = 'sent' AND id IN (SELECT value FROM json_each(?1))`;
const MARK = `INSERT INTO mails (id, status) SELECT value, 'sent' FROM json_each(?1) WHERE true
  ON CONFLICT (id) DO UPDATE SET status = 'sent'`;
const INSERT = `INSERT INTO mails (id, status) SELECT value, 'reserved' FROM json_each(?1) WHERE true
  ON CONFLICT DO NOTHING RETURNING id`;

export class MailTable implements TableRpc {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
    storage.sql.exec(SCHEMA).toArray();
  }

  #ids(query: string, ids: readonly string[]): readonly string[] {
    const parameter: SqlValue = JSON.stringify(ids);
    return this.#storage.sql
      .exec(query, parameter)
      .toArray()
      .map((row) => String(row["id"]));
  }

  async sentAmong(ids: readonly string[]): Promise<readonly string[]> {
    return this.#ids(SENT, ids);
  }

  async markSent(ids: readonly string[]): Promise<void> {
    this.#ids(MARK, ids);
  }

  async insertMissing(ids: readonly string[]): Promise<readonly string[]> {
    return this.#ids(INSERT, ids);
  }
}
