/**
 * What is kept of a provider's message. Resend's messages can echo the addresses of a request, and
 * a reason is shown to people and kept in logs: no address stays in it, except a member's own in
 * that member's own reason.
 */
import { CONTROL_CHARACTERS } from "../domain/control-characters.ts";
import {
  ADDRESS_IN_TEXT,
  hiddenAddress,
  spokenAddress,
  withoutAddresses,
  type NameOf,
} from "../domain/fault-text.ts";
import { MAX_PROVIDER_MESSAGE_CHARACTERS, MAX_REASON_CHARACTERS } from "../domain/limits.ts";

/**
 * @param own the only address that may stay, in whatever case
 * @param nameOf what the others are called
 */
export function shownReason(
  message: string,
  own: string | null = null,
  nameOf: NameOf = hiddenAddress,
): string {
  const line = message.slice(0, MAX_PROVIDER_MESSAGE_CHARACTERS).replace(CONTROL_CHARACTERS, " ");
  return withoutAddresses(line, nameOf, own).slice(0, MAX_REASON_CHARACTERS);
}

/** Every address that a message names, lowercased. */
export function addressesIn(message: string): ReadonlySet<string> {
  const found = message.slice(0, MAX_PROVIDER_MESSAGE_CHARACTERS).match(ADDRESS_IN_TEXT) ?? [];
  return new Set(found.map(spokenAddress));
}
