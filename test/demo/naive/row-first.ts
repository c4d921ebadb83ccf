/** The usual fix: a row for each recipient first, and whoever has one already is skipped. */
import type { MailMessage } from "./message.ts";
import type { Mailer } from "./mailer.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS mailed (
  recipient TEXT PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT`;
const RESERVE = "INSERT INTO mailed (recipient) VALUES (?1) ON CONFLICT DO NOTHING";

export async function createRows(db: D1Database): Promise<void> {
  await db.prepare(TABLE).run();
}

export async function sendRowFirst(
  message: MailMessage,
  mailer: Mailer,
  db: D1Database,
): Promise<void> {
  const reserve = db.prepare(RESERVE);
  const rows = await db.batch(message.recipients.map(({ id }) => reserve.bind(id)));
  const mine = message.recipients.filter((_, index) => rows[index]?.meta.changes === 1);
  if (mine.length === 0) return;
  await mailer.send(message.batch, mine, () => sendRowFirst(message, mailer, db));
}
