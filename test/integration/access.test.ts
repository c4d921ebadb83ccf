/** Who may what, with the platform's own rate limiter, the real account object and the real files. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_WRONG_TOKENS, SESSION_SECONDS } from "../../src/domain/limits.ts";
import { api, type Answer } from "./harness/api.ts";
import { campaign } from "./harness/campaign.ts";

const ORIGIN = "http://sendonce.test";
type Problem = { readonly code: string };

let addresses = 0;

/** An address that nothing else in this run comes from (RFC 5737). */
function address(): string {
  addresses += 1;
  return `192.0.2.${addresses}`;
}

const bearer = (token: string | null, from: string) =>
  api<Problem>("GET", "/api/suppressions", { token, headers: { "cf-connecting-ip": from } });
const signIn = (token: string, from: string) =>
  api<Problem>("POST", "/session", {
    token: null,
    body: { token },
    headers: { "cf-connecting-ip": from, origin: ORIGIN },
  });

/**
 * Guesses until it is too much. The limiter's minute is the clock's, and one may begin meanwhile, so
 * that it may take twice as many.
 */
async function exhaust(guess: () => Promise<Answer<Problem>>): Promise<number> {
  for (let nth = 1; nth <= 2 * MAX_WRONG_TOKENS + 1; nth += 1) {
    const { status, headers, body } = await guess();
    if (status !== 429) {
      expect(status).toBe(401);
      continue;
    }
    expect(body.code).toBe("tooManyGuesses");
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    return nth - 1;
  }
  throw new Error("nobody stopped it");
}

describe("wrong tokens", () => {
  it.each([
    ["as a bearer", bearer],
    ["at sign-in", signIn],
  ])("are stopped %s, and shut their address and no other", async (_, guess) => {
    const from = address();
    let nth = 0;
    const allowed = await exhaust(() => guess(`wrong-${(nth += 1)}`, from));
    expect(allowed).toBeGreaterThanOrEqual(MAX_WRONG_TOKENS);
    expect((await bearer(env.OPERATOR_TOKEN, from)).status).toBe(429);
    expect((await signIn(env.OPERATOR_TOKEN, from)).status).toBe(429);

    const other = address();
    expect((await bearer(env.OPERATOR_TOKEN, other)).status).toBe(200);
    expect((await signIn(env.OPERATOR_TOKEN, other)).status).toBe(200);
    expect((await bearer("wrong", other)).status).toBe(401);
  });

  it("of one network are one guesser's: the first half of an IPv6 address counts", async () => {
    const host = crypto.randomUUID().slice(0, 4);
    let nth = 0;
    await exhaust(() => bearer("wrong", `2001:db8:${host}:1::${(nth += 1)}`));
    expect((await bearer(env.OPERATOR_TOKEN, `2001:db8:${host}:1::ffff`)).status).toBe(429);
    expect((await bearer(env.OPERATOR_TOKEN, `2001:db8:${host}:2::1`)).status).toBe(200);
  });

  it("are all that counts: a busy address with the right one is never stopped", async () => {
    const from = address();
    for (let nth = 0; nth < 3 * MAX_WRONG_TOKENS; nth += 1) {
      expect((await bearer(env.OPERATOR_TOKEN, from)).status).toBe(200);
      expect((await bearer(null, from)).status).toBe(401);
    }
  });
});

const asCookie = (pair: string) => ({ token: null, headers: { cookie: pair, origin: ORIGIN } });

async function signedIn(): Promise<string> {
  const { status, headers } = await signIn(env.OPERATOR_TOKEN, address());
  expect(status).toBe(200);
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

describe("a session", () => {
  it("is over with its sign-out, also for a copy of its cookie; others go on", async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    const one = await campaign();
    expect((await api("GET", one.path, asCookie(mine))).status).toBe(200);
    expect((await api("DELETE", "/session", asCookie(mine))).status).toBe(204);
    for (const path of ["/session", one.path]) {
      expect(await api("GET", path, asCookie(mine))).toMatchObject({
        status: 401,
        body: { code: "sessionEnded" },
      });
    }
    expect((await api("POST", `${one.path}/start`, asCookie(mine))).status).toBe(401);
    expect((await api("GET", one.path, asCookie(other))).status).toBe(200);
  });

  it("watches no longer than it lasts", async () => {
    const pair = await signedIn();
    const one = await campaign();
    const response = await exports.default.fetch(
      new Request(`${ORIGIN}${one.path}/live`, {
        headers: { cookie: pair, origin: ORIGIN, upgrade: "websocket" },
      }),
    );
    expect(response.status).toBe(101);
    response.webSocket?.accept();
    const until = await one.inside((_, __, state) =>
      state
        .getWebSockets()
        .map((socket) => (socket.deserializeAttachment() as { until: number }).until),
    );
    response.webSocket?.close();
    const seconds = ((until[0] ?? 0) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(SESSION_SECONDS - 60);
    expect(seconds).toBeLessThanOrEqual(SESSION_SECONDS);
  });
});

describe("the files of the dashboard", () => {
  it.each(["/", "/icon.svg"])("%s comes with a strict policy", async (path) => {
    const { status, headers, body } = await env.ASSETS.fetch(`http://x.test${path}`);
    await body?.cancel();
    expect(status).toBe(200);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });
});
