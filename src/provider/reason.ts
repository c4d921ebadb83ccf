/**
 * What is kept of a provider's message. Resend's messages can echo the addresses of a request, and
 * a reason is shown to people and kept in logs: no address stays in it, except a member's own in
 * that member's own reason.
 */
import { MAX_PROVIDER_MESSAGE_CHARACTERS, MAX_REASON_CHARACTERS } from "../domain/limits.ts";

/** The counts are bounded, so that a long message without an @ costs no square time. */
const ADDRESS = /[^\s<>"`,;:()[\]]{1,320}@[^\s<>"`,;:()[\]]{1,320}/gu;
const QUOTES_AND_STOPS = /^['.]+|['.!?]+$/gu;
// What would break a line of a log or a CSV file: C0, DEL, C1, and Unicode's own line ends.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu;
const HIDDEN = "<address>";

/** @param own the only address that may stay, in whatever case */
export function shownReason(message: string, own: string | null = null): string {
  const kept = own?.toLowerCase();
  const shown = message
    .slice(0, MAX_PROVIDER_MESSAGE_CHARACTERS)
    .replace(CONTROL, " ")
    .replaceAll(ADDRESS, (found) => (spoken(found) === kept ? found : HIDDEN));
  return shown.slice(0, MAX_REASON_CHARACTERS);
}

/** Every address that a message names, lowercased. */
export function addressesIn(message: string): ReadonlySet<string> {
  const found = message.slice(0, MAX_PROVIDER_MESSAGE_CHARACTERS).match(ADDRESS) ?? [];
  return new Set(found.map(spoken));
}

/** The address itself, without the quotes and full stops of the sentence it stands in. */
function spoken(found: string): string {
  return found.replaceAll(QUOTES_AND_STOPS, "").toLowerCase();
}
