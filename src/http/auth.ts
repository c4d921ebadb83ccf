/**
 * Who asks, and whether that is enough for the route.
 *
 * Tokens are compared over their SHA-256 digests, each byte whatever the others were: neither the
 * length nor a common beginning of a guess shows in the time of the answer.
 */
import { RETRY_NOT_CONFIGURED_SECONDS } from "../domain/limits.ts";
import { Refused } from "./problem.ts";
import type { Access, HttpDeps } from "./route.ts";

type Role = "operator" | "viewer";

/**
 * Lets the request through or refuses it.
 *
 * Without an operator token every protected route answers 503, also to the viewer: a service that
 * nobody may operate is not set up, and saying so is more use than a 401 (DESIGN §4).
 */
export async function authorize(
  request: Request,
  access: Access,
  tokens: HttpDeps["tokens"],
): Promise<void> {
  if (access === "public") return;
  if (!isSet(tokens.operator)) {
    throw new Refused("notConfigured", "Set the secret OPERATOR_TOKEN, then ask again.", {
      headers: { "retry-after": String(RETRY_NOT_CONFIGURED_SECONDS) },
      cause: "OPERATOR_TOKEN is not set",
    });
  }
  const role = await roleOf(bearerToken(request), tokens);
  if (access === "operate" && role !== "operator") {
    throw new Refused("viewerOnly", "The viewer's token reads; this needs the operator's.", {
      headers: { "www-authenticate": 'Bearer realm="sendonce", error="insufficient_scope"' },
    });
  }
}

/** The token of `Authorization: Bearer …` (RFC 6750 §2.1); the scheme's case is free (RFC 9110). */
function bearerToken(request: Request): string {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token !== undefined) return token;
  throw new Refused("noToken", "Send `Authorization: Bearer <token>`.", {
    headers: { "www-authenticate": 'Bearer realm="sendonce"' },
  });
}

async function roleOf(token: string, tokens: HttpDeps["tokens"]): Promise<Role> {
  // Both are compared whatever the first says, so that the time tells nothing about the role.
  const [operator, viewer] = await Promise.all([
    sameSecret(token, tokens.operator),
    sameSecret(token, tokens.viewer),
  ]);
  if (operator) return "operator";
  if (viewer) return "viewer";
  throw new Refused("unknownToken", "This token is not one of the service's.", {
    headers: { "www-authenticate": 'Bearer realm="sendonce", error="invalid_token"' },
  });
}

/** True for equal texts; false where the secret is not set. */
async function sameSecret(guess: string, secret: string | undefined): Promise<boolean> {
  const [left, right] = await Promise.all([digest(guess), digest(secret ?? "")]);
  let difference = 0;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return isSet(secret) && difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

function isSet(secret: string | undefined): secret is string {
  return secret !== undefined && secret !== "";
}
