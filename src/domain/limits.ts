/**
 * Every bound of the product in one place: what may be asked for, how much is done at a time, and
 * how long anything waits. Each says where it comes from when it is not ours to choose.
 */

// What a request may contain.
export const MAX_CAMPAIGN_ID_CHARACTERS = 64; // A part of the provider's key, which has 256.
export const MAX_RECIPIENT_ID_CHARACTERS = 256;
export const MAX_NAME_CHARACTERS = 200;
export const MAX_SUBJECT_CHARACTERS = 998; // RFC 5322 §2.1.1: a line has at most 998 characters.
export const MAX_CONTENT_CHARACTERS = 500_000; // Each of html and text; far below Resend's 40 MB.
export const MAX_CONTENT_BYTES = 1_900_000; // All of it as JSON, which is one row; that has 2 MB.
export const MAX_HEADERS = 20;
export const MAX_HEADER_CHARACTERS = 998; // With its name, the colon and the space.
export const MAX_TAGS = 20; // Resend allows 75 an email; four of ours come on top.
export const MAX_TAG_CHARACTERS = 256; // Resend, "Send Email": tags.
export const MAX_DATA_BYTES = 16_384; // One recipient's merge fields as JSON.
export const MAX_JSON_BODY_BYTES = 2_097_152; // A JSON body that is read whole.
export const MAX_PASSED_OVER_BYTES = 104_857_600; // Of a refused body: all that Cloudflare lets in by default.
export const MAX_RECORD_BYTES = 65_536; // One CSV or NDJSON record of an upload.
export const MAX_PROBLEMS = 100; // Problems named in the answer to an upload.
export const MAX_REASON_CHARACTERS = 500; // A reason kept with a row, an attempt or a pause.
export const MAX_PROVIDER_ID_CHARACTERS = 256;
export const MAX_PAGE = 1_000; // Rows of one page of a list.
export const DEFAULT_PAGE = 100;
export const LIST_ROWS_AT_MOST = 20_000; // That one page of a list looks at, whatever it finds.
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
// Nobody asked for so long: the hints were lost. Consumers may sit out a wait (SLOT_SIT_OUT_SECONDS).
export const DISPATCH_QUIET_SECONDS = 30;
export const DISPATCH_QUIET_AFTER_OPENING_SECONDS = 3; // The same, for what an earlier life sent.
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

// What a ledger keeps, and what is said of a fault.
export const MAX_EVENTS = 10_000;
export const MAX_DEAD_LETTERS = 10_000;
export const MAX_STACK_CHARACTERS = 4_000; // The frames of a fault, kept or logged.
export const MAX_LOGGED_CHARACTERS = 1_000; // Its message in the log.
export const LOOKED_AT_CHARACTERS = 10_000; // Before it is cut, so that a huge one costs no time.
export const SWEEP_AT_MOST = 100; // Batches that one alarm looks at.

// The rate gate.
export const SLOT_SPACING = 1.025; // Slots stand so much further apart, for the jitter on the way.
export const PACE_SPACING = 1.02; // Closer than slots, so that an isolate that fell behind catches up.
export const SHARE_AHEAD_SECONDS = 15; // So far ahead of its share may a campaign have places.
export const SHARE_RETURN_SECONDS = 10; // A dispatch is back at the gate so soon after its time.
export const SLOT_LEAD_MILLISECONDS = 60; // Reserve and render happen so long before the slot.
export const PLACE_LATE_MILLISECONDS = 500; // So long after its place a slot may come, or one slot.

// Consumers, and the alarm.
export const CALL_TRIES = 4; // A call to an object whose answer was lost is made again at once.
export const CALL_AGAIN_MILLISECONDS = 100; // Before the first of these; twice as long each time.
export const RESERVE_AGAIN_SECONDS = 30; // After a no to a reserve that has no time of its own.
export const QUEUE_MAX_RETRIES = 5; // As in wrangler.toml; a test compares the two.
export const DEAD_LETTER_RETRY_SECONDS = 30;
export const CONTENTS_CACHED = 8; // Compiled contents a consumer keeps.
export const ALARM_ROUNDS = 20; // Sweeps and sends of one alarm before it arms itself again.

// The HTTP contract.
export const MAX_SUPPRESSION_ADDRESSES = 1_000; // Addresses of one PUT /api/suppressions.
export const SUPPRESSED_AT_ONCE = 20; // Campaigns told of a suppression at a time, a request each.
export const MAX_NAMED_RECIPIENTS = 1_000; // Ids of one replay or resolve.
export const MAX_FIELD_ERRORS = 100; // Faults of a request named in its refusal.
export const MAX_PATH_CHARACTERS = 300; // The name of a field as a refusal gives it back.
export const MAX_TIME_CHARACTERS = 64; // An RFC 3339 time, with more digits than anybody needs.
export const MAX_CLAIM_CHARACTERS = 256; // The Idempotency-Key header of a reservation.
export const MAX_CURSOR_CHARACTERS = 1_024;
export const MAX_PAGE_WITH_STATUS = 25; // Each entry asks one object; the free plan has 50 calls.
export const EXPORT_PAGE = 500; // Recipients that a CSV export holds at a time.
export const MAX_START_DELAY_SECONDS = 366 * 86_400; // Further ahead is a mistyped year.
export const MAX_START_PAST_SECONDS = 60; // The clocks of two machines differ by less.
export const CHANGE_TRIES = 10; // Of a change of a draft that others change at the same time.
export const OBJECT_RETRY_MILLISECONDS = [25, 100, 400]; // Waits before a call on a new stub.
export const RETRY_OVERLOADED_SECONDS = 5;
export const RETRY_FULL_SECONDS = 300; // Somebody has to make room first.
export const RETRY_UNAVAILABLE_SECONDS = 1;
export const RETRY_NOT_CONFIGURED_SECONDS = 60;

// Addresses.
export const MAX_WRITTEN_ADDRESS_CHARACTERS = 1_024; // With the spaces around it.
export const MAX_ADDRESS_OCTETS = 254; // RFC 5321 §4.5.3.1.3: a path of 256 less its brackets.
export const MAX_LOCAL_PART_OCTETS = 64; // RFC 5321 §4.5.3.1.1.
export const MAX_DOMAIN_OCTETS = 253; // RFC 1035 §2.3.4: 255 octets on the wire.
export const MAX_DOMAIN_LABEL_OCTETS = 63; // RFC 1035 §2.3.4.

// Uploads.
export const MAX_DATA_DEPTH = 8; // Objects and arrays inside one another in a recipient's data.
export const UPLOAD_SLICE_BYTES = 65_536; // An upload is parsed in pieces of this size at most.
export const UPLOAD_PAGE_BYTES = 4_194_304; // Of the upload, in one page; RPC allows 32 MiB.
export const SPLIT_PARTS_AT_MOST = 40; // Campaigns that one scrape asks (METRICS_CAMPAIGNS).
// Cloudflare Workers, "Limits": a request has 100 MB at the most on the smaller plans.
export const SPLIT_FILE_BYTES = 90_000_000;
export const MAX_CSV_SWALLOWS = 1_000; // Open quotes that ran over lines and had to be read again.

// Rendering. Counted, never timed, so that a batch comes out the same on every machine.
export const MAX_RENDER_STEPS = 2_000_000; // Nodes of one template, and characters filters make.
export const MAX_RENDERED_CHARACTERS = 1_000_000; // Of one part of one mail.
export const MAX_TEXT_FROM_DEPTH = 500; // Elements in one another, of which a text is made.
export const MAX_TEMPLATE_DEPTH = 100; // Tags of a template in one another.
// What is read of a provider's answer.
export const MAX_PROVIDER_MESSAGE_CHARACTERS = 10_000; // The rest of a message is not looked at.
export const MAX_ANSWER_CHARACTERS = 1_000_000; // An answer for 100 mails has some 10,000.

// Segments, preflight and test sends.
export const MAX_TEST_ADDRESSES = 5;
export const TEST_SLOT_SECONDS = 5; // A test waits so long for a slot of the provider's rate.
export const MAX_SEGMENT_TIES = 10_000; // Rows of a segment with one and the same id.
export const MAX_SEGMENT_NAME_CHARACTERS = 128; // Of a view, and of its columns.
export const WITHHOLD_PAGE = 5_000; // Addresses that a beginning asks the account about at a time.
export const PREFLIGHT_PAGE = 2_000; // Recipients that a preflight holds at a time.
export const PREFLIGHT_SHAPES = 10_000; // Kinds of recipients that it remembers the faults of.
export const PREFLIGHT_RENDERS = 20_000; // Mails that it renders; whoever is left is unchecked.
export const PREFLIGHT_ROUNDS = 50; // Missing fields that it looks for in one mail.
export const NAMED_BY_PREFLIGHT = 100; // Recipients that a finding names.
// A consumer holds a request as mails and as JSON, in an isolate of 128 MB.
export const MAX_REQUEST_BYTES = 24_000_000;
export const LARGE_HTML_BYTES = 102_400; // Gmail cuts a longer one off.

// Feedback, doubts and alerts.
export const MAX_WEBHOOK_BYTES = 262_144; // An event of Resend has some 2 kB.
export const WEBHOOK_TOLERANCE_SECONDS = 300; // Standard Webhooks: five minutes, both ways.
export const MAX_WEBHOOK_SIGNATURES = 20; // Signatures of one header that are looked at.
export const PROVIDER_SKEW_SECONDS = 60; // The provider's clock is no further from ours.
export const MAX_MAIL_ADDRESSES = 50; // Of one mail, as Resend allows; ours have one.
export const MAX_FEEDBACK_EVENTS = 1_000; // Events of one recordFeedback call.
export const DUPLICATES_ALERT_FROM = 1_000; // Duplicates prevented that are worth an alert.
export const ALERT_GATHER_SECONDS = 5; // Doubts that come so close together are one alert.
export const ALERT_TRIES = 12; // Posts of one alert before it is given up, over an hour or so.
export const ALERTS_AT_ONCE = 10; // Posts of one round.
export const ALERT_TIMEOUT_SECONDS = 10; // One post.
export const MAX_ALERTS = 1_000; // Facts that a ledger keeps.
export const INQUIRY_DELAY_SECONDS = 60; // After a doubt arose: most webhooks have come by then.
export const INQUIRY_AGAIN_SECONDS = 960; // A consumer lives 15 minutes at the most.
export const INQUIRY_TRIES = 5;
export const INQUIRY_BATCHES = 50; // Batches in doubt that one inquiry is about, the newest first.
export const INQUIRY_PAGES = 200; // Of the provider's list, 100 mails each.
export const INQUIRY_SECONDS = 120; // Then it leaves the rest for later: others wait for its slots.
export const LOOKUP_TIMEOUT_SECONDS = 15; // One request of an inquiry.

// The live stream.
export const MAX_VIEWERS = 2_000; // Sockets of one campaign; the platform allows 32,768.
export const LIVE_PULSE_MILLISECONDS = 250; // At most four messages a second (DESIGN §5).
export const LIVE_PULSE_VIEWERS = 125; // Told in one pulse; the others are told in the next ones.
export const LIVE_EVENTS_AT_MOST = 20; // Events of one pulse; older ones are in the audit trail.
export const VIEWER_SILENT_SECONDS = 90; // A viewer that has pinged goes on; three pings missed.
export const VIEWER_UNHEARD_SECONDS = 3_600; // A program that never pings is let be for an hour.
export const VIEWER_LOOK_SECONDS = 30; // How often dead viewers are looked for, while it sends.
export const RETRY_WATCH_SECONDS = 30;

// Looking on: metrics, health and logs.
export const METRICS_CAMPAIGNS = 40; // Asked by one scrape; the free plan has 50 calls.
export const METRICS_REST_SECONDS = 86_400; // So long after its end a campaign is still told of.
export const METRICS_CALL_SECONDS = 5; // For one campaign; Prometheus itself waits 10 s by default.
export const AT_WORK_SECONDS = 60; // How often a sending campaign says so to the account.
export const HEALTH_CAMPAIGNS = 10; // Asked by one look at the health, those heard of last.
export const CAMPAIGNS_HEARD_OF = 1_000; // That the account remembers to be at work.
export const HEALTH_LOOK_SECONDS = 10; // The account looks no oftener, whoever asks.
export const HEALTH_KEPT_SECONDS = 5; // An isolate asks the account no oftener.
export const HEALTH_CALL_SECONDS = 5; // Storage that does not answer in that time is down.
export const QUEUE_SLOW_SECONDS = 60; // Nobody asks for what is on the queue: degraded, and then
export const QUEUE_DEAD_SECONDS = 300; // down.
export const PROVIDER_FAILING_ATTEMPTS = 3; // In a row, in one campaign: degraded, and where it is
export const PROVIDER_DEAD_SECONDS = 300; // so in all of them for so long: down.
export const ALARM_LATE_SECONDS = 60;

// Keeping it running.
export const WITNESS_SECONDS = 5; // The directory knows of a grant so long after it at the latest.
export const RESTORED_NUMBERS_SKIPPED = 1_000_000; // Far more than are given out in that time.
export const SUPPRESSED_SINCE_PAGE = 1_000; // Entries of the list that a ledger learns at a time.
export const WATCH_EVERY_SECONDS = 240; // Less than the time between two runs (wrangler.toml).
export const WATCH_RESTING_SECONDS = 86_400; // A campaign at rest is looked at so seldom.
export const WATCH_PAGE = 40; // Campaigns; the free plan has 50 calls to objects a run.
export const WATCH_PAGES = 5;
export const WATCHED_AT_ONCE = 5; // The platform lets six calls of an invocation run.
export const WATCH_TIMEOUT_SECONDS = 10; // One campaign.
export const OVERDUE_SECONDS = 120; // An alarm may be a minute late when the platform moves it.
export const ALARM_BEHIND_SECONDS = 60; // One that stands so much later than the work that is due.

// People's data.
export const PERSON_CAMPAIGNS_AT_ONCE = 20; // Asked about one person at a time.
export const PERSON_CALL_SECONDS = 10; // One campaign; what has not answered by then is named.
export const ERASURES_AT_ONCE = 1_000; // Of those whose batch is over, by one sweep.
export const RETENTION_PAGE = 1_000; // Rows that one step of the retention empties.

// Who may what.
export const MAX_TOKEN_CHARACTERS = 1_024; // A longer one is nobody's.
export const MAX_WRONG_TOKENS = 10; // Of one address in a period; as in wrangler.toml, compared.
export const WRONG_TOKEN_SECONDS = 60; // The period: 10 or 60, says the rate limiter.
export const MAX_SHUT_ADDRESSES = 10_000; // Addresses without guesses that an isolate remembers.
export const SESSION_SECONDS = 43_200;
export const MAX_ENDED_SESSIONS = 10_000; // Signed out, and not yet over by themselves.

// The dashboard.
/** Among so many of the first recipients one is looked for who was not erased. */
export const PREVIEW_LOOKS_AT = 100;
export const MAX_PREVIEW_BYTES = 2_097_152; // A form escapes most of its bytes threefold.

// The consumer kit.
export const CAMPAIGN_CALL_TIMEOUT_SECONDS = 15; // One request of it to the API.
export const REPORT_PATIENCE_SECONDS = 10; // A report is repeated so long, and while the lease runs.
export const REPORT_WAIT_SECONDS = 2;
export const MESSAGE_AGAIN_SECONDS = 2; // Before a message of which more can be done at once.
export const UNCOVERED_AGAIN_SECONDS = 60; // Before one of which the ledger says nothing.

// The typed client.
export const CLIENT_TRIES = 4; // Of one call that may be repeated, the first included.
export const CLIENT_WAIT_MOST_SECONDS = 30; // A server that asks for longer is not waited for.
export const CLIENT_CALL_SECONDS = 60; // One try of a call, until its answer is read.
export const CLIENT_LONG_CALL_SECONDS = 600; // The same, where the server looks at everybody.
export const CLIENT_UPLOAD_SLICE_CHARACTERS = 65_536; // Of recipients that are written as NDJSON.
export const CLIENT_RETRY_FIRST_MILLISECONDS = 500;
export const CLIENT_RETRY_MOST_MILLISECONDS = 15_000;
export const WATCH_EVENTS_AT_MOST = 1_000; // Events that wait for a slow watcher, the newest.
export const WATCH_PATIENCE_SECONDS = 120; // A server that answered once may be away so long.
export const WATCH_PING_MILLISECONDS = 25_000; // After the last word of the other side.
export const WATCH_PONG_MILLISECONDS = 10_000; // Without one a connection is given up.
export const WATCH_SNAPSHOT_MILLISECONDS = 10_000; // The same for its first word.
export const WATCH_ASK_MILLISECONDS = 1_000; // How often the status is asked for without a stream.
