/** From what came back over HTTP to what is known of the attempt (DESIGN §3, the outcome table). */
import type { AttemptOutcome, MemberOutcome } from "../../src/domain/outcome.ts";
import type { Seq } from "../../src/domain/ids.ts";
import type { HttpAnswer } from "./provider.ts";

const unknown = (reason: string, retryAfterSeconds: number | null = null): AttemptOutcome => ({
  kind: "unknown",
  reason,
  retryAfterSeconds,
  repeat: true,
});

/** @param namesFaults whether a refusal of the whole request is told with the members at fault */
export function outcomeOf(
  answer: HttpAnswer | null,
  seqs: readonly Seq[],
  namesFaults: boolean,
): AttemptOutcome {
  if (answer === null) return unknown("no answer");
  const { status, name, retryAfterSeconds } = answer;
  if (status < 300) return answered(answer, seqs);
  const reason = `${status} ${name}`;
  if (status >= 500 || name === "concurrent_idempotent_requests") {
    return unknown(reason, retryAfterSeconds);
  }
  if (status === 409) return { kind: "unknown", reason, retryAfterSeconds: null, repeat: false };
  if (status === 422) {
    const faults = answer.errors.flatMap(({ index, message }) => {
      const seq = seqs[index];
      return seq === undefined ? [] : [{ seq, reason: message }];
    });
    return { kind: "rejected", reason, faults: namesFaults ? faults : [] };
  }
  const pause =
    name === "daily_quota_exceeded"
      ? "providerQuota"
      : status === 401
        ? "providerAuth"
        : status === 403
          ? "senderRefused"
          : null;
  return { kind: "deferred", reason, retryAfterSeconds, pause };
}

function answered(answer: HttpAnswer, seqs: readonly Seq[]): AttemptOutcome {
  if (answer.isBroken || answer.ids.length + answer.errors.length !== seqs.length) {
    return unknown("the answer can't be read");
  }
  const errors = new Map(answer.errors.map((error) => [error.index, error.message]));
  const ids = answer.ids.values();
  const results = seqs.map((seq, index): MemberOutcome => {
    const error = errors.get(index);
    if (error !== undefined) return { seq, outcome: "failed", reason: error };
    return { seq, outcome: "sent", providerId: ids.next().value ?? "" };
  });
  return { kind: "answered", results };
}
