/**
 * `POST /emails` and `POST /emails/batch`: from a request to the decision what is accepted and how
 * it is answered. Synchronous from the first look at the state to the write of the log, so that two
 * requests never interleave; only the delivery of the answer takes time, and that is not done here.
 */
import { createHash } from "node:crypto";
import * as errors from "./errors.ts";
import { isBeforeFault, type BeforeFault, type FaultKind, type TakenFault } from "./faults.ts";
import type { KeyLine, LogLine, RequestLine } from "./log-file.ts";
import { addressesOf, bareAddress, faultOf, keptMail, type Mail } from "./mail.ts";
import type { World } from "./world.ts";

export type SendEndpoint = "POST /emails" | "POST /emails/batch";

export type SendRequest = {
  readonly endpoint: SendEndpoint;
  /** null: the header is missing. */
  readonly key: string | null;
  readonly permissive: boolean;
  readonly body: Buffer;
  /** When it came in, by the stand-in's clock. */
  readonly at: number;
};

/** How the answer reaches the client. `hang`: not before it is released. */
type Delivery =
  | { readonly how: "whole" | "drop" | "half" | "hang" }
  | { readonly how: "after"; readonly milliseconds: number };

export type Decision = {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  readonly delivery: Delivery;
  /** The key that stays in progress until the answer has been delivered. */
  readonly inProgress: string | null;
};

type Answer = {
  readonly status: number;
  readonly body: string;
  readonly name: string | null;
  readonly accepted: readonly Mail[];
  /** The place in the request of each accepted mail. */
  readonly indexes: readonly number[];
  readonly replay: boolean;
  /** Whether it is kept under the key. */
  readonly kept: boolean;
};

const MAX_BATCH = 100;
const MAX_KEY_CHARACTERS = 256;
const JSON_TYPE = "application/json; charset=utf-8";

const NOTHING_ACCEPTED = { accepted: [], indexes: [], replay: false } as const;

function errorAnswer(error: errors.ProviderError, kept: boolean): Answer {
  const { statusCode, name, message } = error;
  const body = JSON.stringify({ statusCode, name, message });
  return { status: statusCode, body, name, kept, ...NOTHING_ACCEPTED };
}

/** The decision about one request, already in the log when it is returned. */
export function decideSend(world: World, request: SendRequest): Decision {
  const bodyDigest = createHash("sha256").update(request.body).digest("hex");
  const emails = parsedEmails(request);
  const fault = world.faults.take(request.key, () => addressesOf(emails ?? []));
  const answer = answerTo(world, request, { bodyDigest, emails, fault });
  const delivery = deliveryOf(world, fault);
  const shown = shownAnswer(answer, fault);
  const line: RequestLine = {
    kind: "request",
    at: request.at,
    key: request.key,
    endpoint: request.endpoint,
    status: delivery.how === "whole" || delivery.how === "after" ? shown.status : null,
    name: answer.name,
    count: emails?.length ?? 0,
    bodyDigest,
    replay: answer.replay,
    fault: fault?.kind ?? null,
  };
  const waits = delivery.how === "hang" || delivery.how === "after";
  const inProgress = waits && answer.kept && request.key !== null ? request.key : null;
  if (inProgress !== null) world.keys.begin(request.endpoint, inProgress, bodyDigest);
  world.record([...effectsOf(world, request, answer, bodyDigest), line]);
  return { ...shown, delivery, inProgress };
}

/** null: not JSON, or not of the shape that the endpoint takes. */
function parsedEmails(request: SendRequest): readonly unknown[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(request.body.toString("utf8"));
  } catch {
    return null;
  }
  if (request.endpoint === "POST /emails") return Array.isArray(parsed) ? null : [parsed];
  return Array.isArray(parsed) ? (parsed as readonly unknown[]) : null;
}

type Read = {
  readonly bodyDigest: string;
  readonly emails: readonly unknown[] | null;
  readonly fault: TakenFault | null;
};

function answerTo(world: World, request: SendRequest, read: Read): Answer {
  const { fault, bodyDigest, emails } = read;
  const { requestsPerSecond, answer: fixed } = world.settings;
  if (fault !== null && isBeforeFault(fault.kind)) return answerOfFault(world, fault.kind);
  if (requestsPerSecond !== null && isOverLimit(world, request.at, requestsPerSecond)) {
    return errorAnswer(errors.rateLimitExceeded(requestsPerSecond), false);
  }
  if (fixed !== null) return errorAnswer({ ...fixed, statusCode: fixed.status }, false);
  const { key } = request;
  if (key !== null && (key.length < 1 || key.length > MAX_KEY_CHARACTERS)) {
    return errorAnswer(errors.INVALID_IDEMPOTENCY_KEY, false);
  }
  const known =
    key === null ? null : world.keys.recall(request.endpoint, key, bodyDigest, request.at);
  if (known?.kind === "otherBody") return errorAnswer(errors.INVALID_IDEMPOTENT_REQUEST, false);
  if (known?.kind === "inProgress") {
    return errorAnswer(errors.CONCURRENT_IDEMPOTENT_REQUESTS, false);
  }
  if (known?.kind === "replay") {
    const { status, answer: body } = known;
    // `kept`: it is in the memory, and a slow replay is in progress like a slow first answer.
    return { ...NOTHING_ACCEPTED, status, body, name: null, replay: true, kept: true };
  }
  return freshAnswer(world, request, emails);
}

/** Counts the request into the limit unless it is over it. */
export function isOverLimit(world: World, at: number, requestsPerSecond: number): boolean {
  const over = world.admitted.count(at) >= requestsPerSecond;
  if (!over) world.admitted.note(at);
  return over;
}

/** For `dropBefore` nobody sees it. */
const ERROR_OF: Readonly<Record<BeforeFault, errors.ProviderError>> = {
  dropBefore: errors.APPLICATION_ERROR,
  answer500: errors.APPLICATION_ERROR,
  rate: errors.rateLimitExceeded(10),
  quota: errors.DAILY_QUOTA_EXCEEDED,
  conflictBody: errors.INVALID_IDEMPOTENT_REQUEST,
  conflictProgress: errors.CONCURRENT_IDEMPOTENT_REQUESTS,
};

function answerOfFault(world: World, kind: BeforeFault): Answer {
  return errorAnswer(ERROR_OF[kind], kind === "answer500" && world.settings.cacheErrors);
}

type RowError = { readonly index: number; readonly error: errors.ProviderError };

/** Validation and quotas: the request is seen for the first time. */
function freshAnswer(
  world: World,
  request: SendRequest,
  emails: readonly unknown[] | null,
): Answer {
  const { cacheErrors, dailyQuota, monthlyQuota } = world.settings;
  const whole = wholeFault(request, emails);
  if (whole !== null || emails === null) {
    return errorAnswer(whole ?? errors.validationError("Invalid body."), cacheErrors);
  }
  const rows = emails.flatMap((email, index): RowError[] => {
    const error = faultOf(email, world.settings);
    return error === null ? [] : [{ index, error }];
  });
  const first = rows[0];
  if (first !== undefined && !request.permissive) return errorAnswer(first.error, cacheErrors);
  const refused = new Set(rows.map((row) => row.index));
  const indexes = [...emails.keys()].filter((index) => !refused.has(index));
  const accepted = indexes.map((index) => keptMail(emails[index], world.settings));
  const recipients = accepted.reduce((sum, mail) => sum + mail.to.length, 0);
  const used = world.tally.usage(request.at);
  if (dailyQuota !== null && used.day + recipients > dailyQuota) {
    return errorAnswer(errors.DAILY_QUOTA_EXCEEDED, false);
  }
  if (monthlyQuota !== null && used.month + recipients > monthlyQuota) {
    return errorAnswer(errors.MONTHLY_QUOTA_EXCEEDED, false);
  }
  const body = JSON.stringify(successBody(world, request, accepted.length, rows));
  return { status: 200, body, name: null, accepted, indexes, replay: false, kept: true };
}

function wholeFault(
  request: SendRequest,
  emails: readonly unknown[] | null,
): errors.ProviderError | null {
  if (emails === null) {
    const name = "validation_error";
    return { statusCode: 400, name, message: "The request body is not the JSON expected here." };
  }
  if (request.endpoint === "POST /emails") return null;
  const fits = emails.length >= 1 && emails.length <= MAX_BATCH;
  return fits ? null : errors.validationError("The batch must contain between 1 and 100 emails.");
}

function successBody(
  world: World,
  request: SendRequest,
  accepted: number,
  rows: readonly RowError[],
): unknown {
  const first = world.log.count("accepted");
  const data = Array.from({ length: accepted }, (_, n) => ({ id: world.idOf(first + n) }));
  if (request.endpoint === "POST /emails") return data[0];
  if (!request.permissive) return { data };
  return { data, errors: rows.map(({ index, error }) => ({ index, message: error.message })) };
}

/** The lines of what was accepted, and of what is remembered under the key. */
function effectsOf(
  world: World,
  request: SendRequest,
  answer: Answer,
  bodyDigest: string,
): readonly LogLine[] {
  const { at, key, endpoint } = request;
  const first = world.log.count("accepted");
  const mails = answer.accepted.map((mail, n): LogLine => {
    const { to, ...rest } = mail;
    const index = answer.indexes[n] ?? 0;
    const common = {
      kind: "accepted",
      at,
      key,
      endpoint,
      index,
      id: world.idOf(first + n),
    } as const;
    return { ...common, to: to.map(bareAddress).join(", "), ...rest, replay: false };
  });
  if (key === null || !answer.kept || answer.replay) return mails;
  const { status, body } = answer;
  const kept: KeyLine = { kind: "key", at, key, endpoint, bodyDigest, status, answer: body };
  return [...mails, kept];
}

const CUT_SHORT: Readonly<Partial<Record<FaultKind, Delivery>>> = {
  dropBefore: { how: "drop" },
  acceptThenDrop: { how: "drop" },
  acceptThenHalf: { how: "half" },
  acceptThenHang: { how: "hang" },
};

function deliveryOf(world: World, fault: TakenFault | null): Delivery {
  const cut = fault === null ? undefined : CUT_SHORT[fault.kind];
  if (cut !== undefined) return cut;
  const latency = world.settings.latencyMilliseconds;
  const milliseconds = fault?.kind === "slow" ? fault.milliseconds : latency;
  return milliseconds > 0 ? { how: "after", milliseconds } : { how: "whole" };
}

type Shown = { readonly status: number; readonly body: string; readonly contentType: string };

const SHOWN_INSTEAD: Readonly<Partial<Record<FaultKind, Shown>>> = {
  acceptThenHtml: { status: 200, body: "<!doctype html><p>OK", contentType: "text/html" },
  acceptThenEmpty: { status: 200, body: "", contentType: JSON_TYPE },
  acceptThenBraces: { status: 200, body: "{}", contentType: JSON_TYPE },
  acceptThen500: {
    status: 500,
    body: JSON.stringify(errors.APPLICATION_ERROR),
    contentType: JSON_TYPE,
  },
};

/** What the client sees, which a fault may have put in place of its answer. */
function shownAnswer(answer: Answer, fault: TakenFault | null): Shown {
  const instead = fault === null ? undefined : SHOWN_INSTEAD[fault.kind];
  if (instead !== undefined) return instead;
  const body = fault?.kind === "wrongCount" ? withOneIdLess(answer.body) : answer.body;
  return { status: answer.status, body, contentType: JSON_TYPE };
}

function withOneIdLess(body: string): string {
  const parsed = JSON.parse(body) as { data?: unknown[] };
  return JSON.stringify(parsed.data === undefined ? {} : { ...parsed, data: parsed.data.slice(1) });
}
