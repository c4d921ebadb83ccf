/** Requests of consumers on other queues (DESIGN §6). */
import * as z from "zod";
import type { ReportRequest, ReserveRequest } from "../../campaign/rpc.ts";
import type { Token } from "../../domain/ids.ts";
import {
  MAX_BATCH_SIZE,
  MAX_CLAIM_CHARACTERS,
  MAX_PROVIDER_ID_CHARACTERS,
  MAX_RESERVATION_ID_CHARACTERS,
  RETRY_AFTER_MOST_SECONDS,
} from "../../domain/limits.ts";
import { invalidFields, Refused, type FieldError } from "../problem.ts";
import { check } from "./check.ts";
import { line, list, reason, recipientId, said } from "./field.ts";
import { enrolment, recipient } from "./recipient.ts";

const limitText = `has to be a whole number from 1 to ${MAX_BATCH_SIZE}`;

export const reservation = z
  .strictObject({
    reservationId: line(MAX_RESERVATION_ID_CHARACTERS).describe(
      "The id of the queue's message. One that holds an address is forgotten when its person is.",
    ),
    recipients: list(recipient, MAX_BATCH_SIZE)
      .optional()
      .describe("Enrols those that the ledger doesn't know, then reserves."),
    limit: z
      .int(limitText)
      .min(1, limitText)
      .max(MAX_BATCH_SIZE, limitText)
      .optional()
      .describe("So many of whoever is next, in place of recipients."),
  })
  .meta({ oneOf: [{ required: ["recipients"] }, { required: ["limit"] }] });

/** @param claim names this ask, so that the same ask again gets the same grant; null: none */
export function parseReservation(body: unknown, claim: string | null): ReserveRequest {
  const { reservationId, recipients, limit } = check(reservation, body);
  if (recipients !== undefined && limit !== undefined) {
    throw invalidFields([{ path: "limit", detail: "can't stand beside recipients" }]);
  }
  if (recipients !== undefined) {
    const enrolments = recipients.map((each, index) => enrolment(each, index + 1));
    expectOnce(enrolments, "recipients");
    return { by: "recipients", reservationId, recipients: enrolments, claim };
  }
  if (limit !== undefined) return { by: "limit", reservationId, limit, claim };
  throw invalidFields([{ path: "recipients", detail: "is required where there is no limit" }]);
}

/** The `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header): visible ASCII. */
export function parseClaim(request: Request): string | null {
  const claim = request.headers.get("idempotency-key");
  if (claim === null) return null;
  if (/^[\u0020-\u007e]+$/.test(claim) && claim.length <= MAX_CLAIM_CHARACTERS) return claim;
  const detail = `has to be 1 to ${MAX_CLAIM_CHARACTERS} visible ASCII characters`;
  throw new Refused("invalidHeader", `The header \`Idempotency-Key\` ${detail}.`, {
    errors: [{ path: "Idempotency-Key", detail }],
  });
}

const result = z.discriminatedUnion("outcome", [
  z.strictObject({
    id: recipientId,
    outcome: z.literal("sent"),
    providerId: said(MAX_PROVIDER_ID_CHARACTERS),
  }),
  z.strictObject({ id: recipientId, outcome: z.literal("failed"), reason }),
]);

const tokenText = "has to be the token of the reservation, a whole number from 1";
const retryText = `has to be a number from 0 to ${RETRY_AFTER_MOST_SECONDS}`;

export const report = z
  .strictObject({
    token: z
      .int(tokenText)
      .min(1, tokenText)
      .transform((token) => token as Token)
      .describe("As the reservation gave it."),
    results: list(result, MAX_BATCH_SIZE).optional().describe("One outcome for each member."),
    outcome: z
      .enum(["unknown", "deferred"])
      .optional()
      .describe(
        "For the whole batch, in place of results. `unknown`: it may have been accepted. " +
          "`deferred`: nothing was accepted.",
      ),
    retryAfterSeconds: z
      .number(retryText)
      .min(0, retryText)
      .max(RETRY_AFTER_MOST_SECONDS, retryText)
      .optional()
      .describe("How long to wait before the batch is tried again."),
    reason: reason
      .optional()
      .describe("Required beside an outcome. An address in it is kept as a keyed hash."),
  })
  .meta({ oneOf: [{ required: ["results"] }, { required: ["outcome", "reason"] }] });

/** One outcome for each member in `results`, or one `outcome` for the whole batch. */
export function parseReport(body: unknown, reservationId: string): ReportRequest {
  const { token, results, outcome, ...rest } = check(report, body);
  const batch = { reservationId };
  if (results !== undefined) {
    const beside = { outcome, ...rest };
    refuseBesideResults(beside);
    expectOnce(results, "results");
    return { batch, token, outcome: { kind: "results", results } };
  }
  const missing = { results: outcome, reason: rest.reason };
  refuseMissing(missing);
  const why = rest.reason ?? "";
  const retryAfterSeconds = rest.retryAfterSeconds ?? null;
  return outcome === "deferred"
    ? { batch, token, outcome: { kind: outcome, reason: why, retryAfterSeconds, pause: null } }
    : {
        batch,
        token,
        outcome: { kind: "unknown", reason: why, retryAfterSeconds, repeat: true },
      };
}

function refuseBesideResults(beside: Readonly<Record<string, unknown>>): void {
  const faults = Object.entries(beside)
    .filter(([, value]) => value !== undefined)
    .map(([path]) => ({ path, detail: "can't stand beside results" }));
  if (faults.length > 0) throw invalidFields(faults);
}

function refuseMissing(required: { results: unknown; reason: unknown }): void {
  const faults: FieldError[] = [];
  if (required.results === undefined) {
    faults.push({ path: "results", detail: "is required where there is no outcome" });
  } else if (required.reason === undefined) {
    faults.push({ path: "reason", detail: "is required beside an outcome" });
  }
  if (faults.length > 0) throw invalidFields(faults);
}

/** Two entries for one id could say two things about it. */
function expectOnce(entries: readonly { readonly id: string }[], name: string): void {
  const seen = new Set<string>();
  const faults: FieldError[] = [];
  for (const [index, { id }] of entries.entries()) {
    if (seen.has(id)) faults.push({ path: `${name}.${index}.id`, detail: "stands there twice" });
    seen.add(id);
  }
  if (faults.length > 0) throw invalidFields(faults);
}
