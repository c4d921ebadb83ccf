/**
 * The usual fix as a ledger in D1: a row for each recipient before the call, and its update after
 * it, one statement after the other or in D1's own batches.
 */
const TABLE = `CREATE TABLE IF NOT EXISTS ledger (
  recipient TEXT PRIMARY KEY, status TEXT NOT NULL, provider_id TEXT, updated_at INTEGER NOT NULL
) STRICT`;
const INSERT = `INSERT INTO ledger (recipient, status, updated_at) VALUES (?1, 'reserved', ?2)
  ON CONFLICT DO NOTHING`;
const UPDATE = `UPDATE ledger SET status = 'sent', provider_id = ?2, updated_at = ?3
  WHERE recipient = ?1`;

export const D1_WAYS = ["rowByRow", "inBatches"] as const;
export type D1Way = (typeof D1_WAYS)[number];

/** @returns milliseconds of each round of `size` recipients */
export async function d1Rounds(
  db: D1Database,
  way: D1Way,
  rounds: number,
  size: number,
): Promise<number[]> {
  await db.prepare(TABLE).run();
  const milliseconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const name = crypto.randomUUID();
    const recipients = Array.from({ length: size }, (_, at) => `${name}-${at}`);
    const began = performance.now();
    await (way === "rowByRow" ? rowByRow(db, recipients) : inBatches(db, recipients));
    milliseconds.push(performance.now() - began);
  }
  return milliseconds;
}

function statements(db: D1Database, recipients: readonly string[]) {
  const [insert, update] = [db.prepare(INSERT), db.prepare(UPDATE)];
  return {
    inserts: recipients.map((id) => insert.bind(id, Date.now())),
    updates: recipients.map((id) => update.bind(id, `mail-${id}`, Date.now())),
  };
}

async function rowByRow(db: D1Database, recipients: readonly string[]): Promise<void> {
  const { inserts, updates } = statements(db, recipients);
  for (const each of [...inserts, ...updates]) await each.run();
}

async function inBatches(db: D1Database, recipients: readonly string[]): Promise<void> {
  const { inserts, updates } = statements(db, recipients);
  await db.batch(inserts);
  await db.batch(updates);
}
