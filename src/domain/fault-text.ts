/**
 * What may be said of a fault, or of a provider's words, where people other than the operator read
 * it: logs, dead letters and alerts (SPEC R-no-address).
 *
 * Two things are taken out. Addresses, wherever they stand, are replaced by whatever the caller names
 * them by. And what a message quotes is emptied: V8 quotes the text that it could not parse, and a
 * provider the field that it did not like, and either may be somebody's data. A name of a field or of
 * a property stays, since it is ours.
 */
import { LOOKED_AT_CHARACTERS, MAX_LOGGED_CHARACTERS, MAX_STACK_CHARACTERS } from "./limits.ts";

/** Every address in a text as others may see it: a keyed hash, or one word for all of them. */
export type NameOf = (address: string) => string;

/**
 * A text that has gone through `faultOf`: it quotes nothing. Addresses may still stand in it, for the
 * log's writer and the ledger's owner to name by their key. No other text fits where it is asked for.
 */
export type FaultText = string & { readonly [faultText]: true };
declare const faultText: unique symbol;

export type Fault = { readonly error: FaultText; readonly stack: FaultText | null };

/** The @ of a text that was made for html, is JSON within JSON, or is full-width. */
const SPELT_AT = /[\uff20\ufe6b]|&(?:#64|#x40|commat);|\\u0040/giu;
/** The counts are bounded, so that a long message without an @ costs no square time. */
const LOCAL_PART = /(?:"[^"\s]{1,64}"|[^\s<>"`,;:()[\]]{1,320})/u;
const DOMAIN = /(?:[\p{L}\p{M}\p{N}._-]|%[0-9a-f]{2}){1,320}['.!?]*/u;
/** In a URL an @ is %40, and %2540 in one that stands in another. */
export const ADDRESS_IN_TEXT = new RegExp(
  `${LOCAL_PART.source}(?:@|%(?:25)*40|${SPELT_AT.source})${DOMAIN.source}`,
  "giu",
);
const QUOTES_AND_STOPS = /^['.]+|['.!?]+$/gu;
const ELIDED = "…";

export const hiddenAddress: NameOf = () => "<address>";

/** The address itself, without the quotes and full stops of the sentence it stands in. */
export function spokenAddress(found: string): string {
  return found.replaceAll(QUOTES_AND_STOPS, "").replaceAll(SPELT_AT, "@").toLowerCase();
}

/** Stands in Resend's own sentence about a malformed field, and is nobody's (RFC 2606 §3). */
export const SAMPLE_ADDRESS = "email@example.com";

/** @param own the only address that may stay, as it stands there, in whatever case */
export function withoutAddresses(
  text: string,
  nameOf: NameOf = hiddenAddress,
  own: string | null = null,
): string {
  const staying = [SAMPLE_ADDRESS, own?.toLowerCase()];
  return text.replaceAll(ADDRESS_IN_TEXT, (found) => {
    const address = spokenAddress(found);
    return staying.includes(address) ? found : nameOf(address);
  });
}

/** The same value with no address in any of its texts. Takes and gives plain JSON. */
export function withoutAddressesIn<Value extends object>(value: Value, nameOf?: NameOf): Value {
  const named = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? withoutAddresses(part, nameOf) : part,
  );
  return JSON.parse(named) as Value;
}

/**
 * Empties what a text quotes. Quoted text may hold quotes itself, and where they end can't be told;
 * so all from the first to the last is taken, and too much goes rather than too little.
 */
export function withoutQuoted(text: string): string {
  return text
    .replace(/".*"/su, `"${ELIDED}"`)
    .replace(/`.*`/su, (quoted) => kept(quoted, "`"))
    .replace(/(?<!\p{L})'.*'(?!\p{L})/su, (quoted) => kept(quoted, "'"));
}

/** A single name, such as that of a property, is no text of a person's. */
function kept(quoted: string, mark: string): string {
  return /^.[\w$.-]{1,40}.$/u.test(quoted) ? quoted : `${mark}${ELIDED}${mark}`;
}

/** Both at once, for a text on its way to others: a reason, a provider's message. */
export function discreet(text: string, nameOf: NameOf = hiddenAddress): string {
  return withoutAddresses(withoutQuoted(text.slice(0, LOOKED_AT_CHARACTERS)), nameOf);
}

/** A line that ends with a place in the code; a message of several lines has others. */
const FRAME = /^\s*at\s.*(?::\d+:\d+|<anonymous>|native)\)?$/u;

/** The frames of a stack without its head, which repeats the message; null where it has none. */
export function framesOf(stack: string | null | undefined): string | null {
  if (typeof stack !== "string") return null;
  const lines = stack.slice(0, LOOKED_AT_CHARACTERS).split("\n");
  const frames = lines.filter((line) => FRAME.test(line)).join("\n");
  return frames === "" ? null : frames.slice(0, MAX_STACK_CHARACTERS);
}

/** What is logged of something that was thrown. Of what is no Error nothing is known to be safe. */
export function faultOf(thrown: unknown): Fault {
  if (!(thrown instanceof Error)) {
    const error = typeof thrown === "string" ? short(thrown) : "something that is no Error";
    return { error: error as FaultText, stack: null };
  }
  const error = `${thrown.name}: ${short(thrown.message)}` as FaultText;
  return { error, stack: framesOf(thrown.stack) as FaultText | null };
}

function short(text: string): string {
  return withoutQuoted(text.slice(0, LOOKED_AT_CHARACTERS)).slice(0, MAX_LOGGED_CHARACTERS);
}

/**
 * What is logged of a reason that a provider gave: its status and the name of its error, and not its
 * sentence, which may be about somebody. Without a status the words are this platform's own.
 */
export function loggedReason(reason: string): FaultText {
  const isAnswer = /^\d{3}\b/u.test(reason);
  return (isAnswer ? (reason.split(":", 1)[0] ?? "") : short(reason)) as FaultText;
}

/** A dead letter without addresses, and of its stack the frames alone. */
export function discreetLetter<
  Letter extends { readonly error: string; readonly stack: string | null },
>(letter: Letter, nameOf?: NameOf): Letter {
  const stack = framesOf(letter.stack);
  return {
    ...letter,
    error: discreet(letter.error, nameOf),
    stack: stack === null ? null : withoutAddresses(stack, nameOf),
  };
}
