/**
 * What has been changed of the schema since its first version (schema.ts), one migration each. A
 * ledger remembers the digest of what it ran, so none of these is ever edited (migrations.ts).
 */

/**
 * A fresh batch whose members' own rows do not say yet that they are in it (ledger/unwritten.ts). Its
 * CHECK keeps such a batch at its first lease: it can neither wait, be dissolved, nor count anybody
 * as settled or as perhaps accepted before its members are written. Nobody else can pick them
 * because they stand behind the cursor, which is therefore held to its direction from here on.
 */
export const UNWRITTEN_BATCHES = `
ALTER TABLE batches ADD COLUMN unwritten INTEGER NOT NULL DEFAULT 0 CHECK (unwritten = 0 OR (
  unwritten = 1 AND reservation IS NULL AND state = 'leased' AND token = 1 AND unsettled = size
  AND unknown_attempts = 0));

CREATE TRIGGER batch_written BEFORE UPDATE OF unwritten ON batches
WHEN NEW.unwritten > OLD.unwritten
BEGIN SELECT RAISE(ABORT, 'members are written once'); END;

CREATE TRIGGER counters_cursor BEFORE UPDATE OF next_seq ON counters
WHEN NEW.next_seq < OLD.next_seq
BEGIN SELECT RAISE(ABORT, 'the cursor over fresh recipients only moves forward'); END;
`;

/** What domain/measures.ts reads. It is no part of the status and decides nothing. */
export const MEASURES = `
ALTER TABLE counters ADD COLUMN measures TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(measures));
`;

/** How far a ledger has got, to be compared with what the directory knows (ledger/grant-mark.ts). */
export const GRANT_MARK = `
ALTER TABLE counters ADD COLUMN grants INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN witnessed INTEGER NOT NULL DEFAULT 0;
UPDATE counters SET grants = (SELECT count(*) FROM attempts);

CREATE TRIGGER counters_grants BEFORE UPDATE OF grants, witnessed ON counters
WHEN NEW.grants < OLD.grants OR NEW.witnessed < OLD.witnessed OR NEW.witnessed > NEW.grants
BEGIN SELECT RAISE(ABORT, 'the number of grants only rises, and nobody knows of more'); END;
`;

/**
 * Rows that are kept without what they said of somebody (ledger/erasure.ts, ledger/retention.ts).
 * Whatever is told later of such a recipient moves its status and brings nothing back: a late answer
 * of the provider has an id of the mail, or a sentence about the address. And since nobody knows any
 * more where its mail would go, it never waits for one again.
 */
export const ERASURE = `
ALTER TABLE recipients ADD COLUMN erased_at INTEGER;
ALTER TABLE suppressions ADD COLUMN erased_at INTEGER;

-- Erasures that wait until the request their recipient is in can't be repeated any more.
CREATE TABLE erasures (
  seq INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL
) STRICT;

CREATE TABLE retention (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  next_seq INTEGER NOT NULL,
  erased INTEGER NOT NULL,
  done_at INTEGER
) STRICT;

CREATE TRIGGER recipient_stays_erased AFTER UPDATE ON recipients
WHEN OLD.erased_at IS NOT NULL AND (NEW.provider_id IS NOT NULL OR NEW.email IS NOT NULL
  OR NEW.data <> '{}'
  OR (NEW.reason IS NOT NULL AND NEW.reason <> 'erased' AND NEW.reason IS NOT NEW.suppression))
BEGIN UPDATE recipients SET provider_id = NULL, email = NULL, data = '{}',
  reason = CASE WHEN NEW.reason IS NULL THEN NULL WHEN NEW.status = 'suppressed'
    THEN NEW.suppression ELSE 'erased' END WHERE seq = NEW.seq; END;

CREATE TRIGGER recipient_erased_rests BEFORE UPDATE OF status ON recipients
WHEN OLD.erased_at IS NOT NULL AND NEW.status IN ('pending', 'reserved')
BEGIN SELECT RAISE(ABORT, 'nobody who was erased is mailed'); END;

CREATE TRIGGER recipient_erased_once BEFORE UPDATE OF erased_at, id, address ON recipients
WHEN OLD.erased_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a recipient is erased once'); END;
`;

const MOVES_OF_A_RECIPIENT = [
  "pending>reserved pending>sent pending>suppressed pending>cancelled",
  "reserved>sent reserved>failed reserved>pending reserved>suppressed",
  "reserved>inDoubt reserved>cancelled",
  "failed>sent failed>pending failed>suppressed",
  "suppressed>sent",
  "inDoubt>reserved inDoubt>sent inDoubt>failed inDoubt>pending inDoubt>suppressed",
  "cancelled>sent",
].join(" ");

/**
 * The same moves, looked up in one text: SQLite builds a list behind NOT IN anew for each row, and that
 * was a third of the statement that accepts a batch.
 */
export const RECIPIENT_MOVES = `
DROP TRIGGER recipient_moves;

CREATE TRIGGER recipient_moves BEFORE UPDATE OF status ON recipients
WHEN OLD.status <> NEW.status AND NOT instr(' ${MOVES_OF_A_RECIPIENT} ',
  ' ' || OLD.status || '>' || NEW.status || ' ')
BEGIN SELECT RAISE(ABORT, 'a recipient makes no such move'); END;
`;

/**
 * Decisions that hold mails back, compared like the grants, and how far the ledger has learnt the
 * account's list (ledger/grant-mark.ts). An earlier ledger has its audit trail to count them by.
 */
export const DECISIONS = `
ALTER TABLE counters ADD COLUMN decisions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN decisions_witnessed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN restored INTEGER NOT NULL DEFAULT 0 CHECK (restored IN (0, 1));
ALTER TABLE counters ADD COLUMN list_number INTEGER;
UPDATE counters SET decisions = (SELECT count(*) FROM events
  WHERE type IN ('paused', 'cancelled', 'enrolmentClosed', 'resolved'));

CREATE TRIGGER counters_decisions BEFORE UPDATE OF decisions, decisions_witnessed ON counters
WHEN NEW.decisions < OLD.decisions OR NEW.decisions_witnessed < OLD.decisions_witnessed
  OR NEW.decisions_witnessed > NEW.decisions
BEGIN SELECT RAISE(ABORT, 'the number of decisions only rises, and nobody knows of more'); END;
`;

/** When each erasure that waits can be made (ledger/owed.ts); those of before are looked at anew. */
export const OWED_ERASURES = `
ALTER TABLE erasures ADD COLUMN due_at INTEGER;
UPDATE erasures SET due_at = 0;
CREATE INDEX erasures_due ON erasures (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX erasures_of_batch ON erasures (batch);
`;

/** What the rate gate said to a dispatch that went back (ledger/dispatch-window.ts). */
export const DISPATCH_ROOM = `
ALTER TABLE dispatches ADD COLUMN room INTEGER CHECK (room > 0);
`;

/** The name of a reservation goes with the person it names, once its batch is over; nothing else. */
export const RESERVATION_NAMES = `
DROP TRIGGER batch_frozen;

CREATE TRIGGER batch_frozen
BEFORE UPDATE OF batch, members, size, first_attempt_at, window_until ON batches
BEGIN SELECT RAISE(ABORT, 'a batch is frozen'); END;

CREATE TRIGGER batch_name BEFORE UPDATE OF reservation ON batches
WHEN NEW.reservation IS NOT NULL OR OLD.due_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a batch is found by its name while it is open'); END;
`;
