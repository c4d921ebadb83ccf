/**
 * What is kept of a provider's message. Resend's messages can echo the addresses of a request, and
 * a reason is shown to people and kept in logs: no address stays in it, except a member's own in
 * that member's own reason.
 */
import {
  ADDRESS_IN_TEXT,
  hiddenAddress,
  spokenAddress,
  withoutAddresses,
  type NameOf,
} from "../domain/fault-text.ts";
import { MAX_PROVIDER_MESSAGE_CHARACTERS, MAX_REASON_CHARACTERS } from "../domain/limits.ts";

// What would break a line of a log or a CSV file: C0, DEL, C1, and Unicode's own line ends.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu;

/**
 * @param own the only address that may stay, in whatever case
 * @param nameOf what the others are called
 */
export function shownReason(
  message: string,
  own: string | null = null,
  nameOf: NameOf = hiddenAddress,
): string {
  const line = message.slice(0, MAX_PROVIDER_MESSAGE_CHARACTERS).replace(CONTROL, " ");
  return withoutAddresses(line, nameOf, own).slice(0, MAX_REASON_CHARACTERS);
}

/** Every address that a message names, lowercased. */
export function addressesIn(message: string): ReadonlySet<string> {
  const found = message.slice(0, MAX_PROVIDER_MESSAGE_CHARACTERS).match(ADDRESS_IN_TEXT) ?? [];
  return new Set(found.map(spokenAddress));
}
