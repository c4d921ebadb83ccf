/** Who a mail is from: an address, or a name with one. */
import { parseAddress } from "../domain/address.ts";
import { CONTROL_CHARACTER } from "../domain/control-characters.ts";
import { MAX_NAME_CHARACTERS, MAX_WRITTEN_ADDRESS_CHARACTERS } from "../domain/limits.ts";
import { accept, refuse, type Result } from "../domain/result.ts";

/** A name, an address, and the space and brackets around them. */
export const MAX_MAILBOX_CHARACTERS = MAX_NAME_CHARACTERS + MAX_WRITTEN_ADDRESS_CHARACTERS;

const NAMED = /^(.*?)\s*<([^<>]*)>$/su;
// RFC 5322 §3.2.4, without its escapes: few programs that show a name take them out again.
const QUOTED = /^"[^"\\]*"$/u;
/** What would end a name early, or make two mailboxes, a group or an address of it. */
const NOT_IN_A_NAME = /[<>",;:@]/;

/**
 * Reads `a@d` or `Name <a@d>` (RFC 5322 §3.4, mailbox).
 *
 * What is doubtful is refused here, with a reason, since a provider would refuse each batch of the
 * campaign for it.
 *
 * @returns the mailbox without stray spaces, or a sentence that goes on after the field's name
 */
export function parseMailbox(written: string): Result<string, string> {
  if (written.length > MAX_MAILBOX_CHARACTERS) {
    return refuse(`has more than ${MAX_MAILBOX_CHARACTERS} characters`);
  }
  if (CONTROL_CHARACTER.test(written))
    return refuse("has a line break or another control character");
  const named = NAMED.exec(written.trim());
  const name = (named?.[1] ?? "").trim();
  if (name.length > MAX_NAME_CHARACTERS) {
    return refuse(`has a name of more than ${MAX_NAME_CHARACTERS} characters`);
  }
  if (NOT_IN_A_NAME.test(name) && !QUOTED.test(name)) {
    return refuse('has a name with one of < > " , ; : @ in it; put the name in double quotes');
  }
  if (!name.isWellFormed()) return refuse("has half of a character");
  const parsed = parseAddress(named?.[2] ?? written);
  if (!parsed.ok) return refuse(`has to be a@d or Name <a@d>: ${parsed.refusal.detail}`);
  const { email } = parsed.value;
  return accept(name === "" ? email : `${name} <${email}>`);
}
