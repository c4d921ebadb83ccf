/**
 * Unsubscribe links (RFC 8058): `<public URL>/unsubscribe/<campaign>.<seq>.<signature>`.
 *
 * The token names a place in a ledger, so it holds no address and tells a reader of logs nothing
 * about a person. The signature is HMAC-SHA-256 under a secret that was drawn for this campaign,
 * so nobody can unsubscribe others by counting, and a secret that leaks opens one campaign only.
 * The same member has the same token for ever: it is part of the bytes that must repeat.
 */
import { parseCampaignId, type CampaignId, type Seq } from "../domain/ids.ts";
import { assert } from "../domain/result.ts";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" } as const;
/** Tells this use of the secret from any other there may be. */
const PURPOSE = "unsubscribe:v1";
const SECRET = /^(?:[0-9a-f]{2}){32}$/;
/** A seq has no leading zero, so that a member has one token; 43 characters are 32 bytes. */
const TOKEN = /^([A-Za-z0-9_-]+)\.([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{43})$/;

export type UnsubscribeToken = {
  readonly campaign: CampaignId;
  readonly seq: Seq;
  readonly signature: Uint8Array<ArrayBuffer>;
};

/** Takes the campaign's `linkSecret`, hex of 32 bytes. Once for many tokens. */
export async function importLinkSecret(secret: string): Promise<CryptoKey> {
  assert(SECRET.test(secret), "a link secret is the hex of 32 bytes");
  const bytes = Buffer.from(secret, "hex");
  return await crypto.subtle.importKey("raw", bytes, ALGORITHM, false, ["sign", "verify"]);
}

export async function unsubscribeToken(
  key: CryptoKey,
  campaign: CampaignId,
  seq: Seq,
): Promise<string> {
  const signature = await crypto.subtle.sign(ALGORITHM.name, key, signed(campaign, seq));
  return `${campaign}.${seq}.${Buffer.from(signature).toString("base64url")}`;
}

/** Reads a token without judging its signature; null for anything that is none. */
export function parseUnsubscribeToken(token: string): UnsubscribeToken | null {
  const [, id = "", digits = "", text = ""] = TOKEN.exec(token) ?? [];
  const campaign = parseCampaignId(id);
  const seq = Number(digits);
  if (campaign === null || !Number.isSafeInteger(seq)) return null;
  const signature = Uint8Array.from(Buffer.from(text, "base64url"));
  return { campaign, seq: seq as Seq, signature };
}

/** Whether the campaign with this secret has signed the token. */
export async function verifyUnsubscribeToken(
  secret: string,
  token: UnsubscribeToken,
): Promise<boolean> {
  const key = await importLinkSecret(secret);
  const { campaign, seq, signature } = token;
  return await crypto.subtle.verify(ALGORITHM.name, key, signature, signed(campaign, seq));
}

/** `publicUrl` is an origin without a slash at the end. */
export function unsubscribeUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/unsubscribe/${token}`;
}

function signed(campaign: CampaignId, seq: Seq): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${PURPOSE}:${campaign}:${seq}`) as Uint8Array<ArrayBuffer>;
}
