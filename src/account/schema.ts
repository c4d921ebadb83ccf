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

/**
 * Which campaigns are worth a look: 2 is at work or paused, 1 not begun or lately ended. One that has
 * no row is at rest. Apart from the directory, whose rows nobody's looking should write.
 */
const WATCH = `
CREATE TABLE watch (
  id TEXT PRIMARY KEY,
  standing INTEGER NOT NULL CHECK (standing IN (1, 2)),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX watch_first ON watch (standing DESC, at DESC, id);
INSERT INTO watch (id, standing, at) SELECT id, 1, created_at FROM campaigns;
`;

/** How far each ledger has got (account/marks.ts), and when the watchdog looks at it next. */
const WATCHED = `
ALTER TABLE campaigns ADD COLUMN grants INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN next_number INTEGER NOT NULL DEFAULT 1;
ALTER TABLE campaigns ADD COLUMN look_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX campaigns_to_look ON campaigns (look_at, id);

CREATE TRIGGER campaign_grants BEFORE UPDATE OF grants ON campaigns WHEN NEW.grants < OLD.grants
BEGIN SELECT RAISE(ABORT, 'the number of grants only rises'); END;
`;

/** Since when nothing but the suppression is kept of somebody; NULL: nobody asked for that. */
const ERASURE = `
ALTER TABLE suppressions ADD COLUMN erased_at INTEGER;
`;

/**
 * How many decisions of each ledger are known, what was known of erased ones (account/marks.ts), and
 * the order in which the list of suppressions has grown, so that a ledger can ask for what is new.
 * What was there before has none.
 */
const DECISIONS = `
ALTER TABLE campaigns ADD COLUMN decisions INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER campaign_decisions BEFORE UPDATE OF decisions ON campaigns
WHEN NEW.decisions < OLD.decisions
BEGIN SELECT RAISE(ABORT, 'the number of decisions only rises'); END;

CREATE TABLE erased_marks (
  id TEXT PRIMARY KEY,
  grants INTEGER NOT NULL,
  next_number INTEGER NOT NULL,
  decisions INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE suppressions ADD COLUMN number INTEGER;
CREATE UNIQUE INDEX suppressions_by_number ON suppressions (number) WHERE number IS NOT NULL;
CREATE TABLE suppressions_given (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  number INTEGER NOT NULL
) STRICT;
INSERT INTO suppressions_given (one, number) VALUES (1, 0);
CREATE TRIGGER suppressions_given_rises BEFORE UPDATE OF number ON suppressions_given
WHEN NEW.number < OLD.number
BEGIN SELECT RAISE(ABORT, 'a number is given once'); END;
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
  { name: "watch", sql: WATCH },
  { name: "watched", sql: WATCHED },
  { name: "erasure", sql: ERASURE },
  { name: "endedSessions", sql: ENDED_SESSIONS },
  { name: "decisions", sql: DECISIONS },
];
