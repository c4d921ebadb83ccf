/**
 * Mail addresses: what is one, and when two of them are the same mailbox.
 *
 * `address` is the normal form that uniqueness and suppression go by, and it is a fixed point:
 * parsing it again gives it again. `email` is what the provider is given: as it was written, with
 * the local part in its own case (RFC 5321 §2.4 leaves its meaning to the receiving host).
 * Nothing is guessed: an address that needs more than trimming to be valid is refused by name,
 * since a wrong guess mails a stranger. Dots and `+tags` stay, because only some hosts ignore them.
 */
import { CONTROL_CHARACTER } from "./control-characters.ts";
import type { Address } from "./ids.ts";
import {
  MAX_ADDRESS_OCTETS,
  MAX_DOMAIN_LABEL_OCTETS,
  MAX_DOMAIN_OCTETS,
  MAX_LOCAL_PART_OCTETS,
  MAX_WRITTEN_ADDRESS_CHARACTERS,
} from "./limits.ts";
import { accept, refuse, type Result } from "./result.ts";

export const ADDRESS_REFUSAL_CODES = [
  "emptyAddress",
  "addressTooLong",
  "controlCharacter",
  "invisibleCharacter",
  "notOneAtSign",
  "emptyLocalPart",
  "localPartTooLong",
  "nonAsciiLocalPart",
  "quotedLocalPart",
  "localPartCharacter",
  "localPartDots",
  "emptyDomain",
  "domainTooLong",
  "domainLiteral",
  "domainCharacter",
  "domainDots",
  "domainWithoutDot",
  "domainLabel",
  "topLevelDomain",
] as const;
export type AddressRefusalCode = (typeof ADDRESS_REFUSAL_CODES)[number];

/** `detail` is a sentence that says what to change. It never holds the whole address. */
export type AddressRefusal = { readonly code: AddressRefusalCode; readonly detail: string };
export type ParsedAddress = { readonly address: Address; readonly email: string };

/** Nothing to see: white space, format and filler characters, and the blank Braille pattern. */
const UNSEEN = /[\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ALL_VISIBLE_ASCII = /^[!-~]+$/;
/** RFC 5322 §3.2.3, atext, and the dot between atoms. */
const NOT_LOCAL = /[^A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]/u;
/** RFC 1123 §2.1: letters, digits and inner hyphens. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** RFC 1123 §2.1: the top level is alphabetic, which tells a name from an IP address. */
const TOP_LEVEL = /^(?:[a-z]+|xn--[a-z0-9-]*[a-z0-9])$/;
/** What an internationalised name may hold before mapping; URL syntax must not get through. */
const NOT_DOMAIN = /[^\p{L}\p{M}\p{N}\p{S}.\u3002\uff0e\uff61\u00b7\u0375\u30fb-]/u;
const ASCII_SYMBOL = /[$+<=>^`|~]/;

/**
 * Takes an address as a person or a file wrote it, without a display name. White space and
 * invisible characters around it are dropped; an internationalised domain becomes ASCII (UTS #46,
 * which includes NFC). Quoted local parts and address literals are valid in RFC 5321 and refused
 * all the same: no mailing list holds them but by mistake.
 */
export function parseAddress(written: string): Result<ParsedAddress, AddressRefusal> {
  if (written.length > MAX_WRITTEN_ADDRESS_CHARACTERS) {
    return no("addressTooLong", `An address has at most ${MAX_ADDRESS_OCTETS} characters.`);
  }
  const text = trimUnseen(written);
  const wrong = checkWhole(text);
  if (wrong !== null) return wrong;
  const at = text.indexOf("@");
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  const wrongLocal = checkLocal(local);
  if (wrongLocal !== null) return wrongLocal;
  const ascii = asciiDomain(domain);
  if (!ascii.ok) return ascii;
  // Looked at as well, since U+212A, the sign of a kelvin, is an ASCII `k` in lower case.
  const isSame = ALL_VISIBLE_ASCII.test(domain) && ascii.value === domain.toLowerCase();
  const email = `${local}@${isSame ? domain : ascii.value}`;
  if (email.length > MAX_ADDRESS_OCTETS) {
    return no("addressTooLong", `An address has at most ${MAX_ADDRESS_OCTETS} characters.`);
  }
  return accept({ address: `${local.toLowerCase()}@${ascii.value}` as Address, email });
}

/** `Ada <ada@example.org>` without its name; any other text as it is. */
export function withoutName(written: string): string {
  return /<([^<>]*)>\s*$/.exec(written)?.[1] ?? written;
}

/** Drops white space and invisible characters at both ends, for names of columns as well. */
export function trimUnseen(text: string): string {
  if (ALL_VISIBLE_ASCII.test(text)) return text;
  const characters = Array.from(text);
  const first = characters.findIndex(isSeen);
  if (first === -1) return "";
  return characters.slice(first, characters.findLastIndex(isSeen) + 1).join("");
}

function isSeen(character: string): boolean {
  return !UNSEEN.test(character);
}

type Refused = { readonly ok: false; readonly refusal: AddressRefusal };

function no(code: AddressRefusalCode, detail: string): Refused {
  return refuse({ code, detail });
}

/** U+200B and the like, since such a character can't be shown itself. */
function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function name(character: string): string {
  return /^[!-~]$/.test(character) ? `"${character}"` : `"${character}" (${codePoint(character)})`;
}

function checkWhole(text: string): Refused | null {
  if (text === "")
    return no("emptyAddress", "The address is empty; give one or leave the row out.");
  const control = CONTROL_CHARACTER.exec(text);
  if (control !== null) {
    const what = codePoint(control[0]);
    return no("controlCharacter", `Remove the control character ${what} inside the address.`);
  }
  const hidden = UNSEEN.exec(text);
  if (hidden !== null && hidden[0] !== " ") {
    const what = codePoint(hidden[0]);
    return no("invisibleCharacter", `Remove the invisible character ${what} inside the address.`);
  }
  return checkAtSign(text);
}

/**
 * The full-width and the small @ are refused, not read as one: whoever compares what was sent
 * with the list they uploaded should find each address as they wrote it.
 */
function checkAtSign(text: string): Refused | null {
  const count = text.split("@").length - 1;
  if (count === 1) return null;
  const lookalike = /[\uff20\ufe6b]/.exec(text);
  if (count === 0 && lookalike !== null) {
    const what = codePoint(lookalike[0]);
    return no("notOneAtSign", `Write an ordinary @ in place of the look-alike ${what}.`);
  }
  if (count === 0) return no("notOneAtSign", "An address has exactly one @; this has none.");
  return no("notOneAtSign", `An address has exactly one @; this has ${count}. One address a row.`);
}

function checkLocal(local: string): Refused | null {
  if (local === "") return no("emptyLocalPart", "Write the name of the mailbox before the @.");
  if (local.length > MAX_LOCAL_PART_OCTETS) {
    const most = MAX_LOCAL_PART_OCTETS;
    const detail = `The part before the @ has ${local.length} characters; ${most} is the most.`;
    return no("localPartTooLong", detail);
  }
  if (local.includes('"')) {
    return no("quotedLocalPart", "Quoted mailbox names are not taken; ask for another address.");
  }
  if (local.includes("<")) {
    return no("localPartCharacter", "Write the bare address, without a name and without < and >.");
  }
  const stranger = NOT_LOCAL.exec(local);
  if (stranger !== null) return strangeLocal(stranger[0]);
  if (local.startsWith(".") || local.endsWith(".") || local.includes("..")) {
    const detail = "A dot before the @ must stand single, between two other characters.";
    return no("localPartDots", detail);
  }
  return null;
}

function strangeLocal(character: string): Refused {
  const what = name(character);
  if (character > "~") {
    const why = `${what} before the @ needs SMTPUTF8 (RFC 6531), which the provider lacks`;
    return no("nonAsciiLocalPart", `${why}; ask for an address in ASCII.`);
  }
  return no("localPartCharacter", `Remove ${what} from the part before the @.`);
}

/** The domain in lower-case ASCII. */
function asciiDomain(domain: string): Result<string, AddressRefusal> {
  if (domain === "") return no("emptyDomain", "Write the domain after the @.");
  if (domain.startsWith("[")) {
    return no("domainLiteral", "Write a domain name after the @, not an IP address in brackets.");
  }
  const stranger = NOT_DOMAIN.exec(domain) ?? ASCII_SYMBOL.exec(domain);
  if (stranger !== null) {
    return no("domainCharacter", `Remove ${name(stranger[0])} from the part after the @.`);
  }
  const mapped = mapDomain(domain);
  if (mapped === null) {
    const detail = "The part after the @ is not a valid internationalised domain name.";
    return no("domainCharacter", detail);
  }
  return checkDomain(mapped) ?? accept(mapped);
}

/** Only names that need it go through the URL parser, which is slow, and reads `1.1` as an IP. */
function mapDomain(domain: string): string | null {
  const lower = domain.toLowerCase();
  if (ALL_VISIBLE_ASCII.test(domain) && !lower.includes("xn--")) return lower;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return null;
  }
}

function checkDomain(domain: string): Refused | null {
  if (domain.length > MAX_DOMAIN_OCTETS) {
    const detail = `The domain has ${domain.length} characters; ${MAX_DOMAIN_OCTETS} is the most.`;
    return no("domainTooLong", detail);
  }
  const labels = domain.split(".");
  if (labels.includes("")) {
    return no("domainDots", "A dot in the domain must stand single, between two other characters.");
  }
  const top = labels.at(-1) ?? "";
  if (labels.length === 1) {
    return no(
      "domainWithoutDot",
      `Complete the domain: "${shorten(top)}" has no ending like .com.`,
    );
  }
  const bad = labels.find((label) => label.length > MAX_DOMAIN_LABEL_OCTETS || !LABEL.test(label));
  if (bad !== undefined) {
    const rule = `1 to ${MAX_DOMAIN_LABEL_OCTETS} letters, digits or inner hyphens`;
    return no("domainLabel", `"${shorten(bad)}" in the domain must be ${rule}.`);
  }
  if (!TOP_LEVEL.test(top)) {
    return no("topLevelDomain", `No domain ends in ".${top}"; IP addresses are not taken either.`);
  }
  return null;
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}

const SPECIAL_USE = new Set([
  "test", // RFC 6761 §6.2, and the three after it
  "localhost",
  "invalid",
  "example",
  "example.com",
  "example.net",
  "example.org",
  "local", // RFC 6762 §3
  "onion", // RFC 7686
  "home.arpa", // RFC 8375
  "alt", // RFC 9476
  "internal", // ICANN board resolution 2024.07.29.06
  "test.com", // No special use, but refused by Resend together with the example domains.
]);

/**
 * Whether no mail can reach this domain, or the provider refuses it by name. Such addresses are
 * enrolled all the same, since trials against a stand-in use them; preflight warns of them.
 */
export function isSpecialUse(address: Address): boolean {
  const labels = address.slice(address.lastIndexOf("@") + 1).split(".");
  return labels.some((_, from) => SPECIAL_USE.has(labels.slice(from).join(".")));
}
