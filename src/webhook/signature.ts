/**
 * Whether a webhook comes from the provider: the scheme of Svix, which is that of Standard Webhooks
 * (symmetric signatures). Signed are the id, the time and the very bytes of the body, so nothing of
 * the body is read before this has said yes.
 *
 * WebCrypto does the work of the `standardwebhooks` package here, since that takes the time from
 * the machine and not as an argument, and reads a header like `1700000000abc` as a time.
 */
import { MAX_WEBHOOK_SIGNATURES, WEBHOOK_TOLERANCE_SECONDS } from "../domain/limits.ts";
import type { Instant } from "../domain/ids.ts";

export type SignedRequest = {
  /** `svix-id` */
  readonly id: string | null;
  /** `svix-timestamp`: whole seconds since 1970. */
  readonly timestamp: string | null;
  /** `svix-signature`: `v1,<base64>`, several of them with spaces between while a key rotates. */
  readonly signature: string | null;
  readonly body: Uint8Array<ArrayBuffer>;
};

/** Why a request isn't believed; `unusableSecret` is our own configuration's fault. */
export type SignatureFault =
  | "unusableSecret"
  | "missingHeaders"
  | "malformedTimestamp"
  | "tooOld"
  | "tooNew"
  | "noneMatches";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" } as const;
const SECONDS = /^\d{1,12}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * @param secret as the provider shows it: base64 behind `whsec_`
 * @returns null where one of the signatures is right
 */
export async function signatureFault(
  secret: string,
  request: SignedRequest,
  now: Instant,
): Promise<SignatureFault | null> {
  const key = await importSecret(secret);
  if (key === null) return "unusableSecret";
  const { id, timestamp, signature, body } = request;
  if (!id || !timestamp || !signature) return "missingHeaders";
  if (!SECONDS.test(timestamp)) return "malformedTimestamp";
  const age = Math.floor(now / 1000) - Number(timestamp);
  if (age > WEBHOOK_TOLERANCE_SECONDS) return "tooOld";
  if (age < -WEBHOOK_TOLERANCE_SECONDS) return "tooNew";
  const signed = concatenated(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  for (const each of signature.split(" ", MAX_WEBHOOK_SIGNATURES)) {
    const bytes = signatureBytes(each);
    // `verify` compares in constant time, so a guess can't be felt out byte by byte.
    if (bytes !== null && (await crypto.subtle.verify(ALGORITHM.name, key, bytes, signed))) {
      return null;
    }
  }
  return "noneMatches";
}

async function importSecret(secret: string): Promise<CryptoKey | null> {
  const text = secret.trim().replace(/^whsec_/, "");
  if (!BASE64.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0) return null;
  return crypto.subtle.importKey("raw", bytes, ALGORITHM, false, ["verify"]);
}

/** The 32 bytes of a `v1` signature; null for other versions, which are not ours to judge. */
function signatureBytes(written: string): Uint8Array<ArrayBuffer> | null {
  const text = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(written)?.[1];
  return text === undefined ? null : Uint8Array.from(Buffer.from(text, "base64"));
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
