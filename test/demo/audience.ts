/**
 * The shop's customers in D1, and the segment that the campaign goes to: the view
 * `active_customers`. Computed row by row from its number, so that every run mails the same people.
 */
import { RECIPIENTS } from "./faults.ts";

/** One customer in 25 is inactive and must not be in anybody's mail. */
const CUSTOMERS = 13_000;
const PAGE = 2_000;

export type Customer = {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
};

const TABLE = `CREATE TABLE IF NOT EXISTS customers (
  id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, first_name TEXT NOT NULL, active INTEGER NOT NULL
) STRICT`;
export const SEGMENT = "active_customers";
const VIEW = `CREATE VIEW IF NOT EXISTS ${SEGMENT} AS
  SELECT id, email, first_name FROM customers WHERE active = 1`;
// The domain is one of RFC 2606 that no real mail can ever reach.
const FILL = `INSERT OR IGNORE INTO customers
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CUSTOMERS}),
  named AS (SELECT i, json_extract(
    '["Ada","Grace","Edsger","Barbara","Alan","Frances","Donald","Radia","Tony","Margaret"]',
    '$[' || (i * 7 % 10) || ']') AS name FROM n)
  SELECT printf('u_%05d', i), printf('%s.%05d@mail.example', lower(name), i), name, i % 25 <> 0
  FROM named`;
const READ = `SELECT id, email, first_name FROM ${SEGMENT}
  WHERE id > ?1 ORDER BY id LIMIT ${PAGE}`;

/** Creates and fills the table and the view; safe to repeat. */
export async function fillAudience(db: D1Database): Promise<void> {
  await db.batch([db.prepare(TABLE), db.prepare(VIEW), db.prepare(FILL)]);
}

/** Everybody in the segment, in the order of their ids. */
export async function readAudience(db: D1Database): Promise<Customer[]> {
  const customers: Customer[] = [];
  let after = "";
  for (;;) {
    const { results } = await db.prepare(READ).bind(after).all<Customer>();
    customers.push(...results);
    const last = results.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  if (customers.length !== RECIPIENTS) {
    throw new Error(`the segment holds ${customers.length} customers instead of ${RECIPIENTS}`);
  }
  return customers;
}
