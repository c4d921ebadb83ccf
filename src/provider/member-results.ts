/**
 * Which member of a batch got which id. A guess here would credit one person's mail to another, so
 * an answer that does not add up in every respect says nothing at all (SPEC C29, C30).
 */
import { MAX_PROVIDER_ID_CHARACTERS } from "../domain/limits.ts";
import type { Seq } from "../domain/ids.ts";
import type { MemberOutcome } from "../domain/outcome.ts";
import type { NameOf } from "../domain/fault-text.ts";
import { shownReason } from "./reason.ts";

/** In the frozen order of the request. */
export type RequestMember = { readonly seq: Seq; readonly email: string };

/**
 * Resend's permissive answer: `data` holds the ids of the accepted mails only and is therefore
 * shorter than the request, `errors[].index` is a place in the request (Resend, "Send Batch
 * Emails"). So the request is walked, errors are taken out, and the ids fall to the rest in order.
 *
 * @returns one outcome for each member; null unless both lists are well-formed, each index is a
 *   different place of the request, each id is a different non-empty string, and they add up
 */
export function memberResults(
  data: unknown,
  errors: unknown,
  members: readonly RequestMember[],
  nameOf?: NameOf,
): readonly MemberOutcome[] | null {
  const ids = parseIds(data);
  const reasons = parseErrors(errors ?? [], members.length);
  if (ids === null || reasons === null) return null;
  if (ids.length + reasons.size !== members.length) return null;
  let next = 0;
  return members.map(({ seq, email }, index): MemberOutcome => {
    const reason = reasons.get(index);
    if (reason !== undefined) {
      return { seq, outcome: "failed", reason: shownReason(reason, email, nameOf) };
    }
    const providerId = ids[next] ?? "";
    next += 1;
    return { seq, outcome: "sent", providerId };
  });
}

function parseIds(data: unknown): readonly string[] | null {
  if (!Array.isArray(data)) return null;
  const ids = data.map((item: unknown) => (isRecord(item) ? item["id"] : null));
  const allIds = ids.every(
    (id) => typeof id === "string" && id.length >= 1 && id.length <= MAX_PROVIDER_ID_CHARACTERS,
  );
  const allDiffer = new Set(ids).size === ids.length;
  return allIds && allDiffer ? (ids as readonly string[]) : null;
}

/** Place in the request → what the provider says is wrong with it. */
function parseErrors(errors: unknown, count: number): ReadonlyMap<number, string> | null {
  if (!Array.isArray(errors)) return null;
  const reasons = new Map<number, string>();
  for (const error of errors as readonly unknown[]) {
    if (!isRecord(error)) return null;
    const { index, message } = error;
    if (typeof index !== "number" || !Number.isInteger(index)) return null;
    if (index < 0 || index >= count || reasons.has(index)) return null;
    reasons.set(index, typeof message === "string" ? message : "refused without a reason");
  }
  return reasons;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
