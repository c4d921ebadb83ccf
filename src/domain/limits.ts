/**
 * Every bound of the product in one place: what may be asked for, how much is done at a time, and
 * how long anything waits. Each says where it comes from when it is not ours to choose.
 */

// What a request may contain.
export const MAX_RECIPIENT_ID_CHARACTERS = 256;
export const MAX_NAME_CHARACTERS = 200;
export const MAX_SUBJECT_CHARACTERS = 998; // RFC 5322 §2.1.1: a line has at most 998 characters.
export const MAX_CONTENT_CHARACTERS = 500_000; // Each of html and text; far below Resend's 40 MB.
export const MAX_HEADERS = 20;
export const MAX_HEADER_CHARACTERS = 998;
export const MAX_TAGS = 20; // Resend allows 75 an email; four of ours come on top.
export const MAX_TAG_CHARACTERS = 256; // Resend, "Send Email": tags.
export const MAX_DATA_BYTES = 16_384; // One recipient's merge fields as JSON.
export const MAX_JSON_BODY_BYTES = 2_097_152; // A JSON body that is read whole.
export const MAX_RECORD_BYTES = 65_536; // One CSV or NDJSON record of an upload.
export const MAX_PROBLEMS = 100; // Problems named in the answer to an upload.
export const MAX_REASON_CHARACTERS = 500; // A reason kept with a row, an attempt or a pause.
export const MAX_PROVIDER_ID_CHARACTERS = 256;
export const MAX_PAGE = 1_000; // Rows of one page of a list.
export const DEFAULT_PAGE = 100;
export const MAX_RESERVATION_ID_CHARACTERS = 256;

// Recipients, batches and leases.
export const MAX_BATCH_SIZE = 100; // Resend, "Send Batch Emails": 100 emails a request.
export const MIN_LEASE_SECONDS = 5;
export const MAX_LEASE_SECONDS = 900; // A queue consumer lives 15 minutes at the most.
export const MAX_ATTEMPTS = 100;
export const MAX_WINDOW_SECONDS = 86_400; // Resend keeps a key for 24 hours.
export const REPEAT_MOST_SECONDS = 85_500; // So much of them is used: a request may arrive late.
export const MAX_REQUESTS_PER_SECOND = 1_000;
export const ENROL_PAGE = 1_000; // Recipients of one enrol call.

// Dispatch.
export const DISPATCH_WINDOW = 40; // Work orders and open batches of a campaign at a time.
export const DISPATCH_REFILL = 20; // The window is filled up when this much of it is free.
export const UNKNOWN_BATCHES_AT_MOST = 10; // With so many in trouble, no fresh batch is started.
export const DISPATCH_QUIET_SECONDS = 15; // Nobody asked for so long: the hints were lost.
export const QUEUE_SEND_TIMEOUT_SECONDS = 10; // A send that hangs is given up and repeated.
export const QUEUE_SEND_BATCH = 100; // Cloudflare Queues: 100 messages a sendBatch.

// Waiting.
export const BACKOFF_FIRST_SECONDS = 2;
export const BACKOFF_FACTOR = 3;
export const BACKOFF_MOST_SECONDS = 600;
export const CALL_TIMEOUT_SECONDS = 30; // One provider call.
export const CALL_MARGIN_SECONDS = 2; // A call ends so long before its lease does.
export const SLOT_SIT_OUT_SECONDS = 20; // A longer wait for a slot goes back to the ledger.
export const RETRY_AFTER_MOST_SECONDS = 86_400;

// Breakers.
export const FAILURE_RATE_SAMPLE = 50; // Settled recipients before the failure rate says anything.

// What a ledger keeps.
export const MAX_EVENTS = 10_000;
export const MAX_DEAD_LETTERS = 10_000;
export const SWEEP_AT_MOST = 100; // Batches that one alarm looks at.

// The rate gate.
export const SLOT_SPACING = 1.03; // Slots stand so much further apart, for the jitter on the way.
export const SLOT_LEAD_MILLISECONDS = 60; // Reserve and render happen so long before the slot.
export const CALL_TRIES = 4; // A call to an object whose answer was lost is made again at once.
export const QUEUE_MAX_RETRIES = 5; // As in wrangler.toml; a test compares the two.
export const CONTENTS_CACHED = 8; // Compiled contents a consumer keeps.
export const ALARM_ROUNDS = 20; // Sweeps and sends of one alarm before it arms itself again.
