/**
 * Sessions of the dashboard: a signed cookie in place of a token that a page would have to keep.
 *
 * The cookie says a role, an end and a name, and the signature covers them together with a digest of
 * the role's token: a session ends at its time, and at once when that token is changed or taken away.
 * Nothing is stored of a session but that it was signed out (account/ended-sessions.ts), so that a
 * copy of its cookie is dead as well; whoever reads one has to ask for that. No script can read it
 * (HttpOnly), and no other site's page makes the browser send it (SameSite=Strict); the router checks
 * the origin of every change as well.
 */
import { Buffer } from "node:buffer";
import type { Instant } from "../domain/ids.ts";
import { SESSION_SECONDS } from "../domain/limits.ts";
import type { Access } from "./route.ts";

export type Role = "operator" | "viewer";

export type Session = {
  readonly role: Role;
  readonly expiresAt: Instant;
  /** Its name, drawn when it was opened. */
  readonly id: string;
};

/** What a session is made of: the key that signs it, and the token it stands for. */
export type SessionSecrets = {
  readonly signingKey: string | undefined;
  readonly operator: string | undefined;
  readonly viewer: string | undefined;
};

/** Names this use of the key, so that no other signature made with it passes for a session. */
const PURPOSE = "sendonce session 2";

const VALUE = /^(operator|viewer)\.(\d{1,12})\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;

export function isSet(secret: string | undefined): secret is string {
  return secret !== undefined && secret !== "";
}

export function mayDo(role: Role, access: Access): boolean {
  return role === "operator" || access !== "operate";
}

/**
 * The value of a new session's cookie, and its end.
 * @param id drawn for this session; fits `[A-Za-z0-9_-]{1,64}`
 * @param secrets with a `signingKey` that is not empty
 */
export async function openSession(
  role: Role,
  id: string,
  secrets: SessionSecrets & { readonly signingKey: string },
  now: Instant,
): Promise<{ value: string; session: Session }> {
  const seconds = Math.floor(now / 1000) + SESSION_SECONDS;
  const key = await keyOf(secrets.signingKey, "sign");
  const signed = await signedText(role, seconds, id, secrets);
  const signature = Buffer.from(await crypto.subtle.sign("HMAC", key, signed));
  return {
    value: `${role}.${seconds}.${id}.${signature.toString("base64url")}`,
    session: { role, expiresAt: seconds * 1000, id },
  };
}

/**
 * The session that a cookie's value stands for; null where it is forged, over, or of a token that
 * was changed. Whether it was signed out is for the account to say.
 */
export async function readSession(
  value: string,
  secrets: SessionSecrets,
  now: Instant,
): Promise<Session | null> {
  const parts = VALUE.exec(value);
  if (parts === null || !isSet(secrets.signingKey)) return null;
  const [, role, end, id, signature] = parts as unknown as [string, Role, string, string, string];
  const seconds = Number(end);
  if (seconds * 1000 <= now || !isSet(secrets[role])) return null;
  const key = await keyOf(secrets.signingKey, "verify");
  const bytes = Uint8Array.from(Buffer.from(signature, "base64url"));
  // `verify` takes the same time wherever the two signatures differ.
  const signed = await signedText(role, seconds, id, secrets);
  const isOurs = await crypto.subtle.verify("HMAC", key, bytes, signed);
  return isOurs ? { role, expiresAt: seconds * 1000, id } : null;
}

function keyOf(signingKey: string, use: "sign" | "verify"): Promise<CryptoKey> {
  const raw = new TextEncoder().encode(signingKey);
  return crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

async function signedText(
  role: Role,
  seconds: number,
  id: string,
  secrets: SessionSecrets,
): Promise<Uint8Array> {
  const token = new TextEncoder().encode(secrets[role] ?? "");
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", token)).toString("hex");
  return new TextEncoder().encode([PURPOSE, role, seconds, id, digest].join("\n"));
}

/**
 * The name of the cookie. With `__Host-` a browser takes it only when it is Secure and of exactly
 * this host (RFC 6265bis §4.1.3); over plain http, on the operator's own machine, it can't be.
 */
function cookieName(url: URL): string {
  return isLocal(url) ? "sendonce" : "__Host-sendonce";
}

function isLocal({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** The `Set-Cookie` header. @param seconds how long a browser keeps it; 0 takes it away */
export function cookieHeader(url: URL, value: string, seconds: number): string {
  const secure = isLocal(url) ? "" : "; Secure";
  return `${cookieName(url)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** The value of the session's cookie in a request; null where it has none. */
export function cookieValue(request: Request): string | null {
  const name = cookieName(new URL(request.url));
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key = "", value = ""] = pair.split("=", 2);
    if (key.trim() === name) return value.trim();
  }
  return null;
}

/**
 * Whether a request comes from a page of the service itself. A browser names the page's origin with
 * every change and every upgrade. Behind something that ends TLS the Worker sees http where the page
 * has https, and that is let pass; the other way round would be a page that anybody can tamper with.
 */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  const asked = new URL(request.url);
  return page.host === asked.host && (page.protocol === "https:" || asked.protocol === "http:");
}
