/** Who a mail is from: an address, or a name with one. */
import { parseAddress } from "../domain/address.ts";
import { MAX_NAME_CHARACTERS, MAX_WRITTEN_ADDRESS_CHARACTERS } from "../domain/limits.ts";
import { accept, refuse, type Result } from "../domain/result.ts";

/** A name, an address, and the space and brackets around them. */
export const MAX_MAILBOX_CHARACTERS = MAX_NAME_CHARACTERS + MAX_WRITTEN_ADDRESS_CHARACTERS;

const NAMED = /^(.*?)\s*<([^<>]*)>$/su;
// RFC 5322 §3.2.4: a quoted name may hold anything, with `\` before a quote and a backslash.
const QUOTED = /^"(?:[^"\\]|\\["\\])*"$/u;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/**
 * Reads `a@d` or `Name <a@d>` (RFC 5322 §3.4, mailbox).
 *
 * A name without quotes may not hold `<`, `>` or `"`, which would end it early, nor a comma or a
 * semicolon, which would make two mailboxes of it. What is doubtful is refused here, with a reason,
 * since a provider would refuse each batch of the campaign for it.
 *
 * @returns the mailbox without stray spaces, or a sentence that goes on after the field's name
 */
export function parseMailbox(written: string): Result<string, string> {
  if (written.length > MAX_MAILBOX_CHARACTERS) {
    return refuse(`has more than ${MAX_MAILBOX_CHARACTERS} characters`);
  }
  if (CONTROL.test(written)) return refuse("has a line break or another control character");
  const named = NAMED.exec(written.trim());
  const name = (named?.[1] ?? "").trim();
  if (name.length > MAX_NAME_CHARACTERS) {
    return refuse(`has a name of more than ${MAX_NAME_CHARACTERS} characters`);
  }
  if (/[<>",;]/.test(name) && !QUOTED.test(name)) {
    return refuse('has a name with one of < > " , ; in it; put the name in double quotes');
  }
  if (!name.isWellFormed()) return refuse("has half of a character");
  const parsed = parseAddress(named?.[2] ?? written);
  if (!parsed.ok) return refuse(`has to be a@d or Name <a@d>: ${parsed.refusal.detail}`);
  const { email } = parsed.value;
  return accept(name === "" ? email : `${name} <${email}>`);
}
