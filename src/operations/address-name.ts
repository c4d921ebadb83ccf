/**
 * What an address is called where it must not stand itself: `address:` and the first 16 hex digits of
 * HMAC-SHA-256 over its normal form, under a key that is derived from SIGNING_KEY. Equal addresses have
 * equal names, so that a fault can be followed, and only who has the key can find the name of one.
 *
 * An operator computes it with the command in ARCHITECTURE.md, "Logs"; a test runs that.
 */
import { createHmac } from "node:crypto";
import { parseAddress } from "../domain/address.ts";
import { hiddenAddress, type NameOf } from "../domain/fault-text.ts";

/** Tells this use of the key from the others: sessions are signed with it. */
const PURPOSE = "sendonce address name v1";
const HEX_DIGITS = 16;

/** @param signingKey SIGNING_KEY; where it is missing, all addresses have one name */
export function addressNames(signingKey: string | undefined): NameOf {
  if (signingKey === undefined || signingKey === "") return hiddenAddress;
  // Synchronous on purpose: a line is written where it happens, and never waits for its own hash.
  const key = createHmac("sha256", signingKey).update(PURPOSE).digest();
  return (written) => {
    const parsed = parseAddress(unescaped(written));
    const normal = parsed.ok ? parsed.value.address : written.toLowerCase();
    const hash = createHmac("sha256", key).update(normal).digest("hex");
    return `address:${hash.slice(0, HEX_DIGITS)}`;
  };
}

/** As it was before it was put into URLs. With an @ in it, it is in none: a % is part of it. */
function unescaped(written: string): string {
  if (written.includes("@")) return written;
  try {
    const decoded = decodeURIComponent(written);
    return decoded === written ? written : unescaped(decoded);
  } catch {
    return written;
  }
}
