/** The account's tables: what campaigns share. */
import type { Migration } from "../ledger/migrations.ts";

const INITIAL_SCHEMA = `
CREATE TABLE campaigns (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  requests_per_second REAL CHECK (requests_per_second > 0),
  next REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX campaigns_by_age ON campaigns (created_at, id);

CREATE TABLE suppressions (
  address TEXT PRIMARY KEY,
  reason TEXT NOT NULL CHECK (reason IN ('operator', 'unsubscribe', 'hardBounce', 'complaint')),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gate (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  next REAL NOT NULL,
  held_until REAL NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;
INSERT INTO gate (one, next, held_until, epoch) VALUES (1, 0, 0, 0);
`;

const ENDED_SESSIONS = `
CREATE TABLE ended_sessions (
  id TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ended_sessions_by_end ON ended_sessions (until);
`;

export const ACCOUNT_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: INITIAL_SCHEMA },
  { name: "endedSessions", sql: ENDED_SESSIONS },
];
