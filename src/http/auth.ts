/**
 * Who asks, and whether that is enough for the route: a program by its bearer token, a browser by
 * the cookie of its session.
 *
 * Tokens are compared over their SHA-256 digests, each byte whatever the others were: neither the
 * length nor a common beginning of a guess shows in the time of the answer.
 */
import type { Instant } from "../domain/ids.ts";
import { MAX_TOKEN_CHARACTERS, RETRY_NOT_CONFIGURED_SECONDS } from "../domain/limits.ts";
import { askAgain } from "./object-call.ts";
import { Refused } from "./problem.ts";
import type { Access, HttpDeps } from "./route.ts";
import {
  cookieValue,
  isSameOrigin,
  isSet,
  mayDo,
  readSession,
  type Role,
  type SessionSecrets,
} from "./session.ts";

export type AuthDeps = Pick<HttpDeps, "account" | "tokens" | "signingKey" | "guesses" | "now">;

/** Whoever has been let through. `expiresAt` is null for a token, which has no end. */
export type Identity = { readonly role: Role; readonly expiresAt: Instant | null };

/**
 * Lets the request through or refuses it; null stands for everybody, on a public route.
 *
 * Without an operator token every protected route answers 503, also to the viewer: a service that
 * nobody may operate is not set up, and saying so is more use than a 401 (DESIGN §4).
 */
export async function authorize(
  request: Request,
  access: Access,
  deps: AuthDeps,
): Promise<Identity | null> {
  if (access === "public") return null;
  if (!isSet(deps.tokens.operator)) throw notConfigured("OPERATOR_TOKEN");
  const identity = await identityOf(request, deps);
  if (mayDo(identity.role, access)) return identity;
  throw new Refused("viewerOnly", "The viewer's token reads; this needs the operator's.", {
    headers: { "www-authenticate": 'Bearer realm="sendonce", error="insufficient_scope"' },
  });
}

export function notConfigured(secret: string): Refused {
  return new Refused("notConfigured", `Set the secret ${secret}, then ask again.`, {
    headers: { "retry-after": String(RETRY_NOT_CONFIGURED_SECONDS) },
  });
}

export function secretsOf({ tokens, signingKey }: Pick<HttpDeps, "tokens" | "signingKey">) {
  return { ...tokens, signingKey } satisfies SessionSecrets;
}

/** A bearer token counts alone, whatever cookie stands beside it. */
async function identityOf(request: Request, deps: AuthDeps): Promise<Identity> {
  const cookie = cookieValue(request);
  if (cookie === null || request.headers.has("authorization")) {
    return { role: await roleOf(bearerToken(request), request, deps), expiresAt: null };
  }
  const session = await readSession(cookie, secretsOf(deps), deps.now());
  if (session === null) throw sessionEnded();
  if (mayChange(request)) expectSameOrigin(request);
  // Asked each time and remembered nowhere: a sign-out holds from the moment it is answered.
  if (await askAgain(() => deps.account().isSessionEnded(session.id))) throw sessionEnded();
  return { role: session.role, expiresAt: session.expiresAt };
}

function sessionEnded(): Refused {
  return new Refused("sessionEnded", "The session is over. Sign in again.", {
    headers: { "www-authenticate": 'Bearer realm="sendonce"' },
  });
}

/** Reading is safe from anywhere, since no other site's page can see the answer; a socket it could. */
function mayChange(request: Request): boolean {
  const isRead = request.method === "GET" || request.method === "HEAD";
  return !isRead || request.headers.has("upgrade");
}

/** Refuses what a page of another site has made the browser ask. */
export function expectSameOrigin(request: Request): void {
  if (isSameOrigin(request)) return;
  throw new Refused("wrongOrigin", "A session is only for the pages of the service itself.");
}

/** The token of `Authorization: Bearer …` (RFC 6750 §2.1); the scheme's case is free (RFC 9110). */
function bearerToken(request: Request): string {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token !== undefined) return token;
  throw new Refused("noToken", "Send `Authorization: Bearer <token>`.", {
    headers: { "www-authenticate": 'Bearer realm="sendonce"' },
  });
}

/** Whose token it is; refuses one that is nobody's, and any from where too many of those came. */
export async function roleOf(
  token: string,
  request: Request,
  { tokens, guesses }: Pick<HttpDeps, "tokens" | "guesses">,
): Promise<Role> {
  guesses.expectOpen(request);
  // Both are compared whatever the first says, so that the time tells nothing about the role.
  const [operator, viewer] = await Promise.all([
    sameSecret(token, tokens.operator),
    sameSecret(token, tokens.viewer),
  ]);
  if (operator) return "operator";
  if (viewer) return "viewer";
  await guesses.count(request);
  throw new Refused("unknownToken", "This token is not one of the service's.", {
    headers: { "www-authenticate": 'Bearer realm="sendonce", error="invalid_token"' },
  });
}

/** True for equal texts; false where the secret is not set. */
async function sameSecret(guess: string, secret: string | undefined): Promise<boolean> {
  // What is longer than a token may be is cut, and still as long as none is.
  const cut = guess.slice(0, MAX_TOKEN_CHARACTERS + 1);
  const [left, right] = await Promise.all([digest(cut), digest(secret ?? "")]);
  let difference = 0;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return isSet(secret) && difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
