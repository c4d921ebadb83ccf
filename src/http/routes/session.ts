/** Signing in and out of the dashboard, and who is signed in. */
import * as z from "zod";
import { assert } from "../../domain/result.ts";
import {
  MAX_ENDED_SESSIONS,
  MAX_TOKEN_CHARACTERS,
  RETRY_NOT_CONFIGURED_SECONDS,
  SESSION_SECONDS,
} from "../../domain/limits.ts";
import { expectSameOrigin, notConfigured, roleOf, secretsOf } from "../auth.ts";
import { readJson } from "../body.ts";
import { askAgain } from "../object-call.ts";
import { Refused } from "../problem.ts";
import type { Call } from "../route.ts";
import { check } from "../schemas/check.ts";
import { expectNoFields } from "../schemas/empty.ts";
import {
  cookieHeader,
  cookieValue,
  isSet,
  openSession,
  readSession,
  type Role,
  type Session,
} from "../session.ts";
import { timeText, timeTextOrNull } from "../time.ts";
import * as wire from "../wire.ts";

export const signIn = z.strictObject({
  token: z.string().min(1, "is empty").max(MAX_TOKEN_CHARACTERS),
});

/** Takes one of the two tokens and gives a cookie for it, good for twelve hours. */
export async function openBrowserSession({ request, deps }: Call): Promise<Response> {
  // Another site could sign its visitors in with a token of its own; a program has no origin.
  if (request.headers.has("origin")) expectSameOrigin(request);
  const { signingKey, tokens } = deps;
  if (!isSet(tokens.operator)) throw notConfigured("OPERATOR_TOKEN");
  if (!isSet(signingKey)) throw notConfigured("SIGNING_KEY");
  const { token } = check(signIn, await readJson(request));
  const role = await roleOf(token.trim(), request, deps);
  const secrets = { ...secretsOf(deps), signingKey };
  const { value, session } = await openSession(role, deps.newId(), secrets, deps.now());
  const cookie = cookieHeader(new URL(request.url), value, SESSION_SECONDS);
  return identity(role, session.expiresAt, { "set-cookie": cookie });
}

export function getSession({ identity: who }: Call): Response {
  assert(who !== null, "the route is not public");
  return identity(who.role, who.expiresAt);
}

/**
 * Takes the cookie away, whatever it was, and ends the session that it stood for: a copy of it that
 * somebody has kept is worth nothing from now on.
 */
export async function closeBrowserSession({ request, deps }: Call): Promise<Response> {
  const value = cookieValue(request);
  if (value !== null || request.headers.has("origin")) expectSameOrigin(request);
  await expectNoFields(request);
  const session = value === null ? null : await readSession(value, secretsOf(deps), deps.now());
  if (session !== null) await endSession(session, deps);
  const cookie = cookieHeader(new URL(request.url), "", 0);
  return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
}

async function endSession({ id, expiresAt }: Session, deps: Call["deps"]): Promise<void> {
  if (await askAgain(() => deps.account().endSession(id, expiresAt))) return;
  const detail =
    `${MAX_ENDED_SESSIONS} sessions have been signed out already, and none more is taken: this one ` +
    `lasts until ${timeText(expiresAt)}. A new SIGNING_KEY ends them all.`;
  throw new Refused("overloaded", detail, {
    headers: { "retry-after": String(RETRY_NOT_CONFIGURED_SECONDS) },
  });
}

function identity(role: Role, expiresAt: number | null, headers: Record<string, string> = {}) {
  return wire.json({ role, expiresAt: timeTextOrNull(expiresAt) }, 200, headers);
}
