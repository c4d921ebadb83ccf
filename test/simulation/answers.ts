/** The model's answers as the client of the product sees them; what they mean its own table says. */
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import type { Instant, Seq } from "../../src/domain/ids.ts";
import { outcomeOf } from "../../src/provider/outcome-table.ts";
import type { Email } from "../../src/provider/port.ts";
import type { HttpAnswer } from "./provider.ts";

const NOTHING = { status: null, name: null, message: "", headers: {}, data: null, errors: null };

/**
 * @param answer null: the call was given up
 * @param namesFaults whether a refusal of the whole request names the address at fault
 */
export function attemptOutcome(
  answer: HttpAnswer | null,
  request: { readonly emails: readonly Email[]; readonly seqs: readonly Seq[] },
  namesFaults: boolean,
  now: Instant,
): AttemptOutcome {
  const members = request.seqs.map((seq, index) => ({
    seq,
    email: request.emails[index]?.to ?? "",
  }));
  if (answer === null || answer.isBroken) return outcomeOf(NOTHING, members, now);
  const { status, name, retryAfterSeconds, errors, ids } = answer;
  const atFault = members[errors[0]?.index ?? -1]?.email;
  const message = status === 422 && namesFaults ? `${atFault} is no address` : "";
  const headers = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
  const data = ids.map((id) => ({ id }));
  return outcomeOf({ status, name, message, headers, data, errors }, members, now);
}
