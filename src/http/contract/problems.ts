/**
 * What each problem means, when it is answered where nothing else is said, and what it brings along.
 * A code without an entry fails `tsc`.
 */
import * as z from "zod";
import { CAMPAIGN_COMMANDS, CAMPAIGN_STATES } from "../../domain/campaign.ts";
import { DELIVERIES } from "../../domain/draft.ts";
import { MAX_FIELD_ERRORS, MAX_WRONG_TOKENS, WRONG_TOKEN_SECONDS } from "../../domain/limits.ts";
import type { ProblemCode } from "../problem.ts";
import { finding } from "./answers/campaign.ts";
import { recipientStatus, rowProblem } from "./answers/recipient.ts";
import { count } from "./answers/status.ts";

type Members = Readonly<Record<string, z.ZodType>>;
export type DescribedProblem = {
  readonly when: string;
  readonly members?: Members;
  /** Headers that come with it. */
  readonly headers?: Readonly<Record<string, string>>;
};

const fieldErrors = z
  .array(z.object({ path: z.string().describe("As in `settings.batchSize`."), detail: z.string() }))
  .max(MAX_FIELD_ERRORS);
const errors = { errors: fieldErrors };

const ids = z.array(z.string());

/** Where an upload was stopped: what came before is stored, and these say how much that was. */
const counts: Members = {
  added: count.optional(),
  already: count.optional(),
  duplicates: count.optional(),
  suppressed: count.optional(),
  invalid: count.optional(),
  total: count.optional(),
  problems: z.array(rowProblem).optional(),
};
const place: Members = {
  line: z.int().nullable().describe("Null where no line can be named."),
  reason: z.string(),
};

const authenticate = { "WWW-Authenticate": "How to authenticate (RFC 6750)." };
const retryAfter = { "Retry-After": "Seconds to wait." };

export const PROBLEM_TEXTS: Readonly<Record<ProblemCode, DescribedProblem>> = {
  malformedPath: { when: "A part of the path has a percent sign that begins no UTF-8." },
  invalidQuery: {
    when: "A query parameter is unknown here, stands there twice, or is out of range.",
    members: errors,
  },
  invalidHeader: { when: "A header is out of range.", members: errors },
  bodyInterrupted: {
    when: "The connection was lost, or the body's framing broken, before the body was whole.",
  },
  malformedText: { when: "The body is not UTF-8." },
  malformedJson: {
    when: "The body is not JSON.",
    members: { line: z.int().optional(), column: z.int().optional() },
  },
  invalidFields: { when: "A field is missing, unknown or out of range.", members: errors },
  invalidUpload: {
    when: "The upload can't be read; nothing is stored.",
    members: place,
  },
  uploadInterrupted: {
    when: "The upload stopped being readable after rows of it had been stored. Repeating is safe.",
    members: { ...place, ...counts },
  },
  notInBatch: { when: "A result names somebody who is not in the reservation.", members: { ids } },
  templateFault: {
    when: "The content can't be rendered for this recipient.",
    members: {
      ...errors,
      preview: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("The parts that can be rendered."),
    },
  },
  noToken: { when: "There is no bearer token, and no session.", headers: authenticate },
  badSignature: { when: "The event is not signed with the secret, or not in these minutes." },
  unknownToken: { when: "The token is none of the service's.", headers: authenticate },
  sessionEnded: { when: "The cookie's session is over.", headers: authenticate },
  viewerOnly: {
    when: "The viewer's token reads; this needs the operator's.",
    headers: authenticate,
  },
  wrongOrigin: { when: "A session is used from a page of another origin." },
  pathNotFound: { when: "Nothing is at this path; answered for paths that are not listed here." },
  campaignNotFound: { when: "There is no campaign with this id." },
  recipientNotFound: {
    when: "The campaign has no recipient with this id.",
    members: { ids: ids.optional().describe("Those that are unknown, where several were named.") },
  },
  reservationNotFound: { when: "The campaign has no reservation with this id." },
  segmentNotFound: { when: "The audience's database has no view of this name." },
  suppressionNotFound: { when: "The address is not suppressed." },
  methodNotAllowed: {
    when: "The path is listed here, but not with this method.",
    headers: { Allow: "The methods that the path knows." },
  },
  campaignExists: { when: "The id is taken by a campaign that is not the same." },
  wrongState: {
    when: "The state of the campaign doesn't allow it.",
    members: { state: z.enum(CAMPAIGN_STATES), command: z.enum(CAMPAIGN_COMMANDS), ...counts },
  },
  wrongDelivery: {
    when: "Not for this kind of delivery.",
    members: { delivery: z.enum(DELIVERIES) },
  },
  segmentUnfit: { when: "The view can't be read as recipients.", members: counts },
  stillReserved: {
    when: "Recipients are with a consumer right now.",
    members: { reserved: count },
  },
  staleToken: {
    when: "Somebody else holds the reservation by now; nothing was changed.",
  },
  duplicateRisk: {
    when: "Some of them may have been mailed already, and the risk was not accepted.",
    members: { inDoubt: count.optional(), forgotten: count.optional() },
  },
  preflightFailed: {
    when: "Mails would fail; the errors are those of a preflight.",
    members: { errors: z.array(finding) },
  },
  notInDoubt: {
    when: "Somebody named is not in doubt; nothing was changed.",
    members: { recipients: z.array(z.object({ id: z.string(), status: recipientStatus })) },
  },
  changedMeanwhile: {
    when: "`If-Match` names what has changed since it was read; nothing was changed.",
    headers: { ETag: "Of what it is now." },
  },
  tooLarge: {
    when: "The body is larger than it may be.",
    members: {
      mostBytes: count.optional(),
      line: z.int().nullable().optional(),
      reason: z.string().optional(),
    },
  },
  unsupportedMediaType: {
    when: "The content type, its charset or its encoding is not read here.",
    headers: { Accept: "What is." },
  },
  upgradeRequired: {
    when: "The path is a WebSocket.",
    headers: { Upgrade: "`websocket`" },
  },
  tooManyGuesses: {
    when: `More than ${MAX_WRONG_TOKENS} wrong tokens came from this address within ${WRONG_TOKEN_SECONDS} seconds.`,
    headers: retryAfter,
  },
  internal: { when: "A fault on our side; it has been recorded." },
  testNotSent: {
    when: "The provider has accepted none of them, or didn't say so.",
    members: {
      outcome: z.enum(["answered", "rejected", "deferred", "unknown"]),
      failed: z.array(z.object({ to: z.string(), reason: z.string() })),
    },
  },
  notConfigured: { when: "The service has no operator's token yet.", headers: retryAfter },
  webhookNotConfigured: {
    when: "The service lacks the secret of the webhook.",
    headers: retryAfter,
  },
  overloaded: {
    when: "Too many requests at once.",
    members: counts,
    headers: retryAfter,
  },
  storageFull: {
    when: "The campaign's storage has no room left; nothing was changed.",
    members: counts,
    headers: retryAfter,
  },
  campaignsSilent: {
    when: "Some campaigns have not answered. The others have, and it is safe to ask again.",
    members: {
      unanswered: z.array(z.string()).describe("Their ids."),
      address: z.string().optional(),
      suppression: z.unknown().optional(),
      erasedAt: z.unknown().optional(),
      campaigns: z.array(z.unknown()).optional(),
      erased: count.optional(),
      pending: z.array(z.unknown()).optional(),
    },
    headers: retryAfter,
  },
  unavailable: {
    when: "The answer was lost on its way. It is safe to ask again.",
    members: counts,
    headers: retryAfter,
  },
};
