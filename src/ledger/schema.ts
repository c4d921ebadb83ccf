/**
 * The ledger's tables. They restate the machines of `domain/`: closed sets by CHECK, columns that
 * are present exactly in the states that need them, and triggers that refuse a move which the
 * transition tables don't have. A bug above can then be loud, but it can't mail anybody twice.
 *
 * What keeps the row count down: `pending` needs no index, since fresh recipients are found by a
 * cursor over `seq` (counters.next_seq) and only those put back carry `released` and are indexed;
 * the members of a batch are a list in its row, not an index over recipients; and a fresh batch that
 * is accepted as a whole writes its members' rows once (ledger/unwritten.ts).
 */
export const INITIAL_SCHEMA = `
CREATE TABLE campaign (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  delivery TEXT NOT NULL CHECK (delivery IN ('managed', 'external')),
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  state TEXT NOT NULL
    CHECK (state IN ('draft', 'scheduled', 'sending', 'paused', 'finished', 'cancelled')),
  pause_reason TEXT CHECK (pause_reason IN
    ('operator', 'providerAuth', 'providerQuota', 'senderRefused', 'failureRate', 'deadLetters')),
  pause_detail TEXT,
  paused_at INTEGER,
  created_at INTEGER NOT NULL,
  scheduled_at INTEGER,
  started_at INTEGER,
  finished_at INTEGER,
  enrolment_closed INTEGER NOT NULL DEFAULT 0 CHECK (enrolment_closed IN (0, 1)),
  CHECK ((state = 'paused') = (pause_reason IS NOT NULL)),
  CHECK ((state = 'paused') = (pause_detail IS NOT NULL)),
  CHECK ((state = 'paused') = (paused_at IS NOT NULL)),
  CHECK (state <> 'scheduled' OR scheduled_at IS NOT NULL),
  CHECK (state NOT IN ('sending', 'finished') OR started_at IS NOT NULL),
  CHECK (state NOT IN ('draft', 'scheduled') OR started_at IS NULL),
  CHECK ((state IN ('finished', 'cancelled')) = (finished_at IS NOT NULL))
) STRICT;

CREATE TRIGGER campaign_moves BEFORE UPDATE OF state ON campaign
WHEN OLD.state <> NEW.state AND OLD.state || '>' || NEW.state NOT IN (
  'draft>scheduled', 'draft>sending', 'draft>cancelled',
  'scheduled>sending', 'scheduled>paused', 'scheduled>cancelled',
  'sending>paused', 'sending>cancelled', 'sending>finished',
  'paused>sending', 'paused>scheduled', 'paused>cancelled', 'paused>finished',
  'finished>sending')
BEGIN SELECT RAISE(ABORT, 'a campaign makes no such move'); END;

-- Apart from the campaign's row, since a status must not read half a megabyte of html.
CREATE TABLE content (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  content TEXT NOT NULL CHECK (json_valid(content)),
  public_url TEXT,
  content_id TEXT,
  link_secret TEXT,
  CHECK ((content_id IS NULL) = (link_secret IS NULL))
) STRICT;

CREATE TRIGGER content_frozen BEFORE UPDATE ON content WHEN OLD.content_id IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'content is frozen once the campaign has begun'); END;

CREATE TABLE counters (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  total INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  sent INTEGER NOT NULL DEFAULT 0 CHECK (sent >= 0),
  failed INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0),
  suppressed INTEGER NOT NULL DEFAULT 0 CHECK (suppressed >= 0),
  in_doubt INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt >= 0),
  cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
  delivered INTEGER NOT NULL DEFAULT 0 CHECK (delivered >= 0),
  delayed INTEGER NOT NULL DEFAULT 0 CHECK (delayed >= 0),
  bounced INTEGER NOT NULL DEFAULT 0 CHECK (bounced >= 0),
  complained INTEGER NOT NULL DEFAULT 0 CHECK (complained >= 0),
  duplicates_prevented INTEGER NOT NULL DEFAULT 0 CHECK (duplicates_prevented >= 0),
  dead_letters INTEGER NOT NULL DEFAULT 0 CHECK (dead_letters >= 0),
  version INTEGER NOT NULL DEFAULT 1,
  next_seq INTEGER NOT NULL DEFAULT 1,
  next_number INTEGER NOT NULL DEFAULT 1,
  heard_at INTEGER NOT NULL DEFAULT 0,
  breaker_sent INTEGER NOT NULL DEFAULT 0,
  breaker_failed INTEGER NOT NULL DEFAULT 0,
  recent TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(recent)),
  CHECK (total = pending + reserved + sent + failed + suppressed + in_doubt + cancelled)
) STRICT;

CREATE TRIGGER counters_version BEFORE UPDATE OF version ON counters
WHEN NEW.version < OLD.version
BEGIN SELECT RAISE(ABORT, 'the version of a status only rises'); END;

CREATE TABLE recipients (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  address TEXT NOT NULL UNIQUE,
  email TEXT,
  data TEXT NOT NULL CHECK (json_valid(data)),
  status TEXT NOT NULL CHECK (status IN
    ('pending', 'reserved', 'sent', 'failed', 'suppressed', 'inDoubt', 'cancelled')),
  reason TEXT,
  provider_id TEXT,
  batch INTEGER,
  released INTEGER CHECK (released >= 1),
  suppression TEXT CHECK (suppression IN ('operator', 'unsubscribe', 'hardBounce', 'complaint')),
  suppressed_at INTEGER,
  feedback TEXT CHECK (feedback IN
    ('sent', 'delayed', 'delivered', 'failed', 'suppressed', 'bounced', 'complained')),
  feedback_at INTEGER,
  updated_at INTEGER NOT NULL,
  CHECK (status NOT IN ('reserved', 'inDoubt') OR batch IS NOT NULL),
  CHECK (status NOT IN ('failed', 'inDoubt') OR reason IS NOT NULL),
  CHECK (status <> 'pending' OR suppression IS NULL),
  CHECK (status <> 'suppressed' OR suppression IS NOT NULL),
  CHECK ((suppression IS NULL) = (suppressed_at IS NULL)),
  CHECK ((feedback IS NULL) = (feedback_at IS NULL)),
  CHECK (feedback IS NULL OR status = 'sent'),
  CHECK (provider_id IS NULL OR status = 'sent')
) STRICT;

CREATE INDEX released ON recipients (released, seq)
WHERE status = 'pending' AND released IS NOT NULL;
CREATE INDEX problems ON recipients (status, updated_at, seq)
WHERE status IN ('failed', 'suppressed', 'inDoubt', 'cancelled');

CREATE TRIGGER recipient_moves BEFORE UPDATE OF status ON recipients
WHEN OLD.status <> NEW.status AND OLD.status || '>' || NEW.status NOT IN (
  'pending>reserved', 'pending>sent', 'pending>suppressed', 'pending>cancelled',
  'reserved>sent', 'reserved>failed', 'reserved>pending', 'reserved>suppressed',
  'reserved>inDoubt', 'reserved>cancelled',
  'failed>sent', 'failed>pending', 'failed>suppressed',
  'suppressed>sent',
  'inDoubt>reserved', 'inDoubt>sent', 'inDoubt>failed', 'inDoubt>pending', 'inDoubt>suppressed',
  'cancelled>sent')
BEGIN SELECT RAISE(ABORT, 'a recipient makes no such move'); END;

-- Each fate stands in the text before those that outweigh it (domain/feedback.ts).
CREATE TRIGGER recipient_fate BEFORE UPDATE OF feedback ON recipients
WHEN OLD.feedback IS NOT NULL AND instr('sent delayed delivered failed suppressed bounced complained',
  coalesce(NEW.feedback, '?')) < instr(
  'sent delayed delivered failed suppressed bounced complained', OLD.feedback)
BEGIN SELECT RAISE(ABORT, 'a fate never falls back'); END;

CREATE TABLE batches (
  batch INTEGER PRIMARY KEY,
  reservation TEXT,
  state TEXT NOT NULL CHECK (state IN ('leased', 'waiting', 'settled', 'dissolved', 'inDoubt')),
  members TEXT NOT NULL CHECK (json_valid(members)),
  size INTEGER NOT NULL CHECK (size BETWEEN 1 AND 100),
  unsettled INTEGER NOT NULL CHECK (unsettled BETWEEN 0 AND size),
  token INTEGER NOT NULL CHECK (token >= 1),
  claim TEXT,
  first_attempt_at INTEGER NOT NULL,
  window_until INTEGER NOT NULL,
  unknown_attempts INTEGER NOT NULL DEFAULT 0 CHECK (unknown_attempts >= 0),
  accepted_at INTEGER CHECK (accepted_at IS NULL OR unknown_attempts > 0),
  repeat_at INTEGER,
  due_at INTEGER,
  CHECK ((state IN ('leased', 'waiting')) = (due_at IS NOT NULL)),
  CHECK ((state = 'waiting') = (repeat_at IS NOT NULL)),
  CHECK (claim IS NULL OR state = 'leased'),
  CHECK (state <> 'settled' OR unsettled = 0),
  CHECK (state <> 'dissolved' OR unknown_attempts = 0)
) STRICT;

CREATE INDEX reservations ON batches (reservation, batch) WHERE reservation IS NOT NULL;
CREATE INDEX deadlines ON batches (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX doubts ON batches (batch) WHERE state = 'inDoubt';

-- Once a batch was dissolved nothing of it is left, so its reservation may form another.
CREATE TRIGGER batch_of_reservation BEFORE INSERT ON batches
WHEN NEW.reservation IS NOT NULL AND EXISTS (
  SELECT 1 FROM batches WHERE reservation = NEW.reservation AND state <> 'dissolved')
BEGIN SELECT RAISE(ABORT, 'a reservation has one batch at a time'); END;

CREATE TRIGGER batch_moves BEFORE UPDATE OF state ON batches
WHEN OLD.state <> NEW.state AND OLD.state || '>' || NEW.state NOT IN (
  'leased>waiting', 'leased>settled', 'leased>dissolved', 'leased>inDoubt',
  'waiting>leased', 'waiting>settled', 'waiting>dissolved', 'waiting>inDoubt',
  'dissolved>settled', 'inDoubt>settled', 'inDoubt>waiting')
BEGIN SELECT RAISE(ABORT, 'a batch makes no such move'); END;

-- The provider compares bytes, so whom a key stands for and since when never changes.
CREATE TRIGGER batch_frozen
BEFORE UPDATE OF batch, reservation, members, size, first_attempt_at, window_until ON batches
BEGIN SELECT RAISE(ABORT, 'a batch is frozen'); END;

CREATE TRIGGER batch_token BEFORE UPDATE OF token ON batches
WHEN NEW.token NOT IN (OLD.token, OLD.token + 1)
BEGIN SELECT RAISE(ABORT, 'a token rises by one'); END;

CREATE TABLE attempts (
  batch INTEGER NOT NULL,
  token INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT
    CHECK (outcome IN ('answered', 'rejected', 'deferred', 'unknown', 'expired')),
  reason TEXT,
  PRIMARY KEY (batch, token),
  CHECK ((outcome IS NULL) = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Work orders that nobody has answered yet. \`due\`: to be put on the queue at due_at;
-- \`out\`: put there at due_at. An answered one is deleted, whatever the answer was.
CREATE TABLE dispatches (
  dispatch INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('due', 'out')),
  due_at INTEGER NOT NULL,
  sends INTEGER NOT NULL DEFAULT 0,
  repeats INTEGER NOT NULL CHECK (repeats IN (0, 1))
) STRICT;
CREATE INDEX outbox ON dispatches (state, due_at);

CREATE TABLE suppressions (
  address TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_letters (
  number INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL UNIQUE,
  dispatch INTEGER,
  error TEXT NOT NULL,
  stack TEXT,
  attempts INTEGER NOT NULL,
  at INTEGER NOT NULL,
  replayed_at INTEGER
) STRICT;

-- Facts an operator is told of: to be posted at due_at, and no more once that is NULL.
CREATE TABLE alerts (
  number INTEGER PRIMARY KEY,
  fact TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN
    ('paused', 'inDoubt', 'deadLetters', 'duplicatesPrevented', 'finished')),
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  at INTEGER NOT NULL,
  due_at INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER,
  CHECK (sent_at IS NULL OR due_at IS NULL)
) STRICT;
CREATE INDEX alerts_due ON alerts (due_at) WHERE due_at IS NOT NULL;

-- The order to ask the provider about doubts: to be put on the queue at due_at, if anything.
CREATE TABLE inquiry (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  number INTEGER NOT NULL,
  due_at INTEGER,
  tries INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;

CREATE TRIGGER events_kept BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'an event is written once'); END;
`;
