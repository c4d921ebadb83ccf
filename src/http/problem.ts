/**
 * Every way a request can be refused, in RFC 9457 form. The set of codes is closed: clients
 * branch on `code`, so a code once given keeps its meaning and its status.
 *
 * A handler refuses by throwing `Refused`; the router turns it into the answer in one place, so
 * that no refusal leaves without its media type and headers.
 */

/** RFC 9457 §6.1. */
export const PROBLEM_TYPE = "application/problem+json";

/** Title and HTTP status of each code. The title is the same for every occurrence (§3.1.3). */
export const PROBLEMS = {
  malformedPath: { status: 400, title: "The path can't be decoded" },
  invalidQuery: { status: 400, title: "A query parameter is unknown or out of range" },
  invalidHeader: { status: 400, title: "A header is out of range" },
  bodyInterrupted: { status: 400, title: "The body has no end" },
  malformedText: { status: 400, title: "The body is not UTF-8" },
  malformedJson: { status: 400, title: "The body is not JSON" },
  invalidFields: { status: 400, title: "Fields are missing, unknown or out of range" },
  invalidUpload: { status: 400, title: "The upload can't be read" },
  uploadInterrupted: { status: 400, title: "The upload stopped being readable half-way" },
  notInBatch: { status: 400, title: "Results name recipients that are not in the reservation" },
  templateFault: { status: 400, title: "The content can't be rendered" },
  noToken: { status: 401, title: "A bearer token is required" },
  badSignature: { status: 401, title: "The webhook is not signed by its sender" },
  unknownToken: { status: 401, title: "The bearer token is unknown" },
  sessionEnded: { status: 401, title: "The session is over" },
  viewerOnly: { status: 403, title: "The token may only read" },
  wrongOrigin: { status: 403, title: "The request comes from a page of another origin" },
  pathNotFound: { status: 404, title: "There is nothing at this path" },
  campaignNotFound: { status: 404, title: "There is no such campaign" },
  recipientNotFound: { status: 404, title: "There is no such recipient in the campaign" },
  reservationNotFound: { status: 404, title: "There is no such reservation" },
  segmentNotFound: { status: 404, title: "There is no such segment" },
  suppressionNotFound: { status: 404, title: "The address is not suppressed" },
  methodNotAllowed: { status: 405, title: "The path doesn't know this method" },
  campaignExists: { status: 409, title: "The id is taken by another campaign" },
  wrongState: { status: 409, title: "Not in this state of the campaign" },
  wrongDelivery: { status: 409, title: "Not for this kind of delivery" },
  segmentUnfit: { status: 409, title: "The segment can't be read as recipients" },
  stillReserved: { status: 409, title: "Recipients are still reserved" },
  staleToken: { status: 409, title: "The token of the reservation is no longer current" },
  duplicateRisk: { status: 409, title: "Somebody may be mailed twice" },
  preflightFailed: { status: 409, title: "The campaign has errors and was not started" },
  notInDoubt: { status: 409, title: "Recipients are not in doubt" },
  changedMeanwhile: { status: 412, title: "It is not any more what the change was made from" },
  tooLarge: { status: 413, title: "The body is too large" },
  unsupportedMediaType: { status: 415, title: "The content type is not supported here" },
  upgradeRequired: { status: 426, title: "The path is a WebSocket" },
  tooManyGuesses: { status: 429, title: "Too many wrong tokens came from this address" },
  internal: { status: 500, title: "Something went wrong on our side" },
  testNotSent: { status: 502, title: "The provider has not accepted the test" },
  notConfigured: { status: 503, title: "The service has no operator token yet" },
  webhookNotConfigured: { status: 503, title: "The service can't tell who sends the webhook" },
  overloaded: { status: 503, title: "Too many requests at once" },
  storageFull: { status: 503, title: "There is no room left" },
  campaignsSilent: { status: 503, title: "Some campaigns have not answered" },
  unavailable: { status: 503, title: "The answer was lost on its way" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One fault of a request; `path` is the field, as in `settings.batchSize` or `recipients.3.id`. */
export type FieldError = { readonly path: string; readonly detail: string };

export type ProblemExtra = {
  readonly errors?: readonly FieldError[];
  /** Extension members (RFC 9457 §3.2): what the client needs to go on. */
  readonly evidence?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What brought it about, for the log alone. */
  readonly cause?: unknown;
};

/** A typed no on its way to the client. Those that are the client's doing are not logged. */
export class Refused extends Error {
  readonly code: ProblemCode;
  readonly extra: ProblemExtra;

  constructor(code: ProblemCode, detail: string, extra: ProblemExtra = {}) {
    super(detail, { cause: extra.cause });
    this.name = "Refused";
    this.code = code;
    this.extra = extra;
  }
}

/** The answer for a problem. `detail` is written for the person who made the request. */
export function problem(code: ProblemCode, detail: string, extra: ProblemExtra = {}): Response {
  const { status, title } = PROBLEMS[code];
  const { errors, evidence, headers } = extra;
  const members = {
    // What the caller brings comes first, so that it can never displace a member of the standard.
    ...evidence,
    type: `urn:sendonce:problem:${code}`,
    title,
    status,
    code,
    detail,
    ...(errors === undefined ? {} : { errors }),
  };
  return new Response(JSON.stringify(members), {
    status,
    headers: { ...headers, "content-type": PROBLEM_TYPE },
  });
}

/**
 * Refuses the request because of one or more of its fields. A detail is the end of a sentence that
 * begins with the field's name; one that is sentences of its own, as about an address, ends like one.
 */
export function invalidFields(faults: readonly FieldError[]): Refused {
  const errors = faults.map(({ path, detail }) => ({ path, detail: detail.replace(/\.$/, "") }));
  const [first] = errors;
  const where = first === undefined || first.path === "" ? "The body" : `\`${first.path}\``;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  return new Refused("invalidFields", `${where} ${first?.detail ?? "is invalid"}${more}.`, {
    errors,
  });
}
