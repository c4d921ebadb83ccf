/**
 * Resend's list and look-up of mails behind the MailLookup port (Resend, "List Emails", "Retrieve
 * Email"). A key with sending access only is answered with 401 here, which is no fault: whoever
 * wants doubts looked up gives a key with full access.
 */
import { fateOf, type Fate } from "../domain/feedback.ts";
import { LOOKUP_TIMEOUT_SECONDS } from "../domain/limits.ts";
import {
  addressesOf,
  fieldsOf,
  instantOf,
  ownerOf,
  providerIdOf,
  textOf,
} from "../domain/mail-fields.ts";
import type { ObservingClient } from "./observing-client.ts";
import type { ListedMail, Looked, MailLookup, MailPage, OwnMail } from "./reconcile.ts";
import { clientOf, type ResendProviderOptions } from "./resend-provider.ts";
import { rateResetSeconds, retryAfterSeconds } from "../domain/retry-after.ts";

const PAGE = 100; // The most that a list gives at a time (Resend, "List Emails": limit).
const NOT_ALLOWED: ReadonlySet<number> = new Set([401, 403, 405]);

/** @returns null where there is no key to ask with */
export function resendLookup(options: ResendProviderOptions): MailLookup | null {
  const { now } = options;
  const client = clientOf(options);
  if (client === null) return null;
  return {
    page: async (after) => {
      const query = after === null ? "" : `&after=${encodeURIComponent(after)}`;
      const answer = await get(client, `/emails?limit=${PAGE}${query}`, now());
      return answer.kind === "found" ? pageIn(answer.value) : answer;
    },
    mail: async (providerId) => {
      const answer = await get(client, `/emails/${encodeURIComponent(providerId)}`, now());
      return answer.kind === "found" ? { kind: "found", value: ownMailIn(answer.value) } : answer;
    },
  };
}

/** One GET; `null` for what is not there. */
async function get(client: ObservingClient, path: string, now: number): Promise<Looked<unknown>> {
  const signal = AbortSignal.timeout(LOOKUP_TIMEOUT_SECONDS * 1000);
  const { data, error, headers } = await client.get<unknown>(path, { signal });
  if (error === null) return { kind: "found", value: data };
  const { statusCode } = error;
  if (statusCode === 404) return { kind: "found", value: null };
  if (statusCode !== null && NOT_ALLOWED.has(statusCode)) return { kind: "notAllowed" };
  const wait = retryAfterSeconds(headers ?? {}, now) ?? rateResetSeconds(headers ?? {});
  return { kind: "later", retryAfterSeconds: wait };
}

/** A page that can't be read is asked for again: taken for an empty one it would end the list. */
function pageIn(body: unknown): Looked<MailPage> {
  const { data, has_more } = fieldsOf(body);
  if (!Array.isArray(data)) return { kind: "later", retryAfterSeconds: null };
  const mails = data.map(listedIn).filter((mail) => mail !== null);
  const last = has_more === true ? mails.at(-1) : undefined;
  return { kind: "found", value: { mails, after: last?.providerId ?? null } };
}

function listedIn(body: unknown): ListedMail | null {
  const { id, to, created_at } = fieldsOf(body);
  const providerId = providerIdOf(id);
  if (providerId === null) return null;
  return { providerId, addresses: addressesOf(to), createdAt: instantOf(created_at) };
}

function ownMailIn(body: unknown): OwnMail | null {
  const listed = listedIn(body);
  const { tags, last_event } = fieldsOf(body);
  const owner = ownerOf(tags);
  return listed === null || owner === null
    ? null
    : { ...listed, ...owner, fate: lastFate(last_event) };
}

/** What the provider has is accepted at least, also where its last event is `queued` or unknown. */
function lastFate(event: unknown): Fate {
  return fateOf(`email.${textOf(event) ?? ""}`) ?? "sent";
}
