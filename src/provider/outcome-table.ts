/**
 * From an answer of the provider to what it means: the one table (DESIGN §3, SPEC R-outcome).
 *
 * It reads the HTTP status first, then the error's name, then its text, since Resend's list of
 * names grows without notice ("Errors"); a name it does not know falls back to its status, and a
 * status it does not know is unknown. It leans one way only: "nothing was accepted" is said where
 * the provider's page says so, and everything else may have been accepted.
 */
import { counted } from "../domain/counted.ts";
import type { PauseReason } from "../domain/campaign.ts";
import type { NameOf } from "../domain/fault-text.ts";
import type { Instant } from "../domain/ids.ts";
import type { AttemptOutcome } from "../domain/outcome.ts";
import { unreachable } from "../domain/result.ts";
import { memberResults, type RequestMember } from "./member-results.ts";
import { addressesIn, shownReason } from "./reason.ts";
import { rateResetSeconds, retryAfterSeconds, type AnswerHeaders } from "../domain/retry-after.ts";

export type ObservedAnswer = {
  /** Of HTTP itself, not of the body; null: there was no answer, or no whole one. */
  readonly status: number | null;
  /** The error's name; null: it has none. */
  readonly name: string | null;
  readonly message: string;
  readonly headers: AnswerHeaders;
  /** `data` and `errors` of the body of a 2xx, unchecked. */
  readonly data: unknown;
  readonly errors: unknown;
};

type Verdict =
  | { readonly kind: "answered" | "rejected" }
  | { readonly kind: "deferred"; readonly pause: PauseReason | null }
  | { readonly kind: "unknown"; readonly repeat: boolean };

/** A row holds where status, name and text all fit; what a row leaves out fits anything. */
type Row = {
  readonly statuses: readonly number[] | "success" | "any";
  readonly names?: readonly string[];
  readonly says?: RegExp;
  readonly verdict: Verdict;
};

const ANSWERED: Verdict = { kind: "answered" };
const REJECTED: Verdict = { kind: "rejected" };
const LATER: Verdict = { kind: "deferred", pause: null };
const BAD_AUTH: Verdict = { kind: "deferred", pause: "providerAuth" };
const NO_QUOTA: Verdict = { kind: "deferred", pause: "providerQuota" };
const BAD_SENDER: Verdict = { kind: "deferred", pause: "senderRefused" };
const ASK_AGAIN: Verdict = { kind: "unknown", repeat: true };
const STOP: Verdict = { kind: "unknown", repeat: false };

const ABOUT_API_KEY = /\bapi key\b/iu;
/** Of a domain that is not verified, of the `from` field, or of an account still in testing. */
const ABOUT_SENDER =
  /`from`|\bdomain\b.{0,300}\bnot verified\b|\bverify a domain\b|testing emails/iu;

/** The first row that fits decides. */
const TABLE: readonly Row[] = [
  { statuses: "success", verdict: ANSWERED },

  // The key is known with another body: an earlier attempt may have been accepted, and no repeat
  // of ours can have its bytes.
  { statuses: [409], names: ["invalid_idempotent_request"], verdict: STOP },
  // In progress, a locked resource, or a conflict with a name of tomorrow: the first attempt may
  // be the very thing that it conflicts with.
  { statuses: [409], verdict: ASK_AGAIN },

  {
    statuses: [429],
    names: ["daily_quota_exceeded", "monthly_quota_exceeded", "email_above_quota"],
    verdict: NO_QUOTA,
  },
  { statuses: [429], verdict: LATER },
  // 402 is not on Resend's page; where it comes, it is about money.
  { statuses: [402], verdict: NO_QUOTA },
  { statuses: [403], names: ["email_above_quota"], verdict: NO_QUOTA },

  // Seen with 400, 401 and 403. As a rejection it would fail every recipient for our key.
  { statuses: [400, 401, 403, 422], names: ["invalid_api_key"], verdict: BAD_AUTH },
  { statuses: [400, 401, 403, 422], says: ABOUT_API_KEY, verdict: BAD_AUTH },
  // Our own bug: keys have one form, so no new key would do better, and halving the batch would
  // blame its recipients. Nothing was accepted, so they wait behind the pause that shows it.
  { statuses: [400, 422], names: ["invalid_idempotency_key"], verdict: BAD_AUTH },
  { statuses: [401], verdict: BAD_AUTH },

  // The sender is the campaign's, the same in every mail of it.
  { statuses: [400, 403, 422], names: ["invalid_from_address"], verdict: BAD_SENDER },
  { statuses: [400, 403, 422], says: ABOUT_SENDER, verdict: BAD_SENDER },
  // All three meanings that the page gives this pair are about domains.
  { statuses: [403], names: ["validation_error"], verdict: BAD_SENDER },
  { statuses: [451], names: ["security_error"], verdict: BAD_SENDER },
  { statuses: [403], verdict: BAD_AUTH },

  // Not the address of the API, or not any more: nothing of ours has been read. `providerAuth` is
  // the pause for "the provider does not let us in". Redirects are never followed (a 303 would
  // become a GET, a 307 would hand the mails to another host); the ones that were not acted upon
  // are told from 300, 303 and 304, which may follow an acceptance (RFC 9110 §15.4).
  { statuses: [404, 405, 301, 302, 307, 308], verdict: BAD_AUTH },

  // 413: the halves of a batch are smaller.
  { statuses: [400, 413, 422], verdict: REJECTED },

  // No answer, 5xx, 408, and whatever has not been thought of.
  { statuses: "any", verdict: ASK_AGAIN },
];

function fits(row: Row, answer: ObservedAnswer): boolean {
  const { status, name, message } = answer;
  const { statuses, names, says } = row;
  if (names !== undefined && (name === null || !names.includes(name))) return false;
  if (says !== undefined && !says.test(shownReason(message))) return false;
  if (statuses === "any") return true;
  if (status === null) return false;
  return statuses === "success" ? status >= 200 && status < 300 : statuses.includes(status);
}

/**
 * @param answer what was seen
 * @param members whom the request was for, in its order
 * @param now for a `Retry-After` that is a date
 * @param nameOf what addresses are called that a message quotes
 */
export function outcomeOf(
  answer: ObservedAnswer,
  members: readonly RequestMember[],
  now: Instant,
  nameOf?: NameOf,
): AttemptOutcome {
  const verdict = TABLE.find((row) => fits(row, answer))?.verdict ?? ASK_AGAIN;
  const reason = reasonOf(answer, nameOf);
  switch (verdict.kind) {
    case "answered":
      return answered(answer, members, now, nameOf);
    case "rejected":
      return { kind: "rejected", reason, faults: faultsOf(answer, members, nameOf) };
    case "deferred": {
      const wait = retryAfterSeconds(answer.headers, now) ?? rateResetSeconds(answer.headers);
      return { kind: "deferred", reason, retryAfterSeconds: wait, pause: verdict.pause };
    }
    case "unknown": {
      const wait = retryAfterSeconds(answer.headers, now);
      return { kind: "unknown", reason, retryAfterSeconds: wait, repeat: verdict.repeat };
    }
    default:
      return unreachable(verdict);
  }
}

/** A 2xx that does not add up was accepted, but nobody can say for whom: asked again (C30). */
function answered(
  answer: ObservedAnswer,
  members: readonly RequestMember[],
  now: Instant,
  nameOf: NameOf | undefined,
): AttemptOutcome {
  const results = memberResults(answer.data, answer.errors, members, nameOf);
  if (results !== null) return { kind: "answered", results };
  return {
    kind: "unknown",
    reason: `${answer.status} that does not add up: ${whatCame(answer, members.length)}`,
    retryAfterSeconds: retryAfterSeconds(answer.headers, now),
    repeat: true,
  };
}

function whatCame({ data, errors }: ObservedAnswer, mails: number): string {
  const told = `${listed(data, "id")} and ${listed(errors ?? [], "error")}`;
  return `${told} for ${counted(mails, "mail")}`;
}

function listed(list: unknown, noun: string): string {
  return Array.isArray(list) ? counted(list.length, noun) : `no list of ${noun}s`;
}

/** The member at fault, where the message names the address of exactly one. */
function faultsOf(
  answer: ObservedAnswer,
  members: readonly RequestMember[],
  nameOf: NameOf | undefined,
): Extract<AttemptOutcome, { kind: "rejected" }>["faults"] {
  const named = addressesIn(answer.message);
  const found = members.filter(({ email }) => named.has(email.toLowerCase()));
  const [only] = found;
  if (only === undefined || found.length > 1) return [];
  return [{ seq: only.seq, reason: shownReason(answer.message, only.email, nameOf) }];
}

function reasonOf({ status, name, message }: ObservedAnswer, nameOf: NameOf | undefined): string {
  const what = [status ?? "no readable answer", ...(name === null ? [] : [name])].join(" ");
  return shownReason(message === "" ? what : `${what}: ${message}`, null, nameOf);
}
