import { describe, expect, it } from "vitest";
import { SESSION_SECONDS } from "../../../src/domain/limits.ts";
import { api, NOW, OPERATOR, problemOf, SIGNING_KEY, VIEWER } from "./api.ts";

const ORIGIN = "https://mail.test";

async function signIn(token: string, headers: Record<string, string> = { origin: ORIGIN }) {
  const { ask } = api();
  const response = await ask("POST", "/session", { token: null, body: { token }, headers });
  const cookie = response.headers.get("set-cookie") ?? "";
  return { response, cookie, pair: cookie.split(";")[0] ?? "" };
}

/** Asks with the cookie of a session, as a page of the service would. */
function withCookie(pair: string, headers: Record<string, string> = { origin: ORIGIN }) {
  return { token: null, headers: { cookie: pair, ...headers } };
}

describe("signing in", () => {
  it("gives a cookie that no script can read and no other site can use", async () => {
    const { response, cookie } = await signIn(OPERATOR);
    expect(response.status).toBe(200);
    const expiresAt = new Date(NOW + SESSION_SECONDS * 1000).toISOString();
    expect(await response.json()).toEqual({ role: "operator", expiresAt });
    expect(cookie).toMatch(/^__Host-sendonce=operator\.\d+\.drawn-id\.[\w-]{43}; /);
    const attributes = cookie.split("; ").slice(1);
    expect(attributes).toEqual([
      "Path=/",
      "Max-Age=43200",
      "HttpOnly",
      "SameSite=Strict",
      "Secure",
    ]);
  });

  it("leaves Secure away on the operator's own machine only", async () => {
    const { ask } = api();
    const local = await ask("POST", "http://127.0.0.1:8787/session", { body: { token: OPERATOR } });
    expect(local.headers.get("set-cookie")).toMatch(/^sendonce=.*SameSite=Strict$/);
    const other = await ask("POST", "http://mail.test/session", { body: { token: OPERATOR } });
    expect(other.headers.get("set-cookie")).toMatch(/^__Host-sendonce=.*Secure$/);
  });

  it("refuses a token that is nobody's", async () => {
    const { response, cookie } = await signIn(`${OPERATOR}x`);
    expect(response.status).toBe(401);
    expect((await problemOf(response)).code).toBe("unknownToken");
    expect(cookie).toBe("");
  });

  it("refuses a page of another origin, which could sign in its visitors", async () => {
    const { response } = await signIn(OPERATOR, { origin: "https://evil.test" });
    expect(response.status).toBe(403);
    expect((await problemOf(response)).code).toBe("wrongOrigin");
  });

  it.each([
    {},
    { token: "" },
    { token: 1 },
    { token: OPERATOR, more: 1 },
    { token: "x".repeat(1025) },
  ])("refuses the body %j", async (body) => {
    const response = await api().ask("POST", "/session", { token: null, body });
    expect(response.status).toBe(400);
  });

  it("says which secret is missing", async () => {
    const { ask } = api({ deps: { signingKey: "" } });
    const response = await ask("POST", "/session", { token: null, body: { token: OPERATOR } });
    expect(response.status).toBe(503);
    expect((await problemOf(response)).detail).toContain("SIGNING_KEY");
  });
});

describe("a session", () => {
  it("says who is signed in, and the API takes it beside the bearer token", async () => {
    const { pair } = await signIn(VIEWER);
    const { ask } = api();
    expect(await (await ask("GET", "/session", withCookie(pair))).json()).toMatchObject({
      role: "viewer",
    });
    const path = "/api/campaigns/spring/delivery-status";
    expect((await ask("GET", path, withCookie(pair, {}))).status).toBe(200);
    const bearer = await ask("GET", "/session", { token: OPERATOR });
    expect(await bearer.json()).toEqual({ role: "operator", expiresAt: null });
  });

  it("of a viewer changes nothing", async () => {
    const { pair } = await signIn(VIEWER);
    const response = await api().ask("POST", "/api/campaigns/spring/pause", withCookie(pair));
    expect((await problemOf(response)).code).toBe("viewerOnly");
  });

  it.each([
    ["none", {}],
    ["null", { origin: "null" }],
    ["another host", { origin: "https://evil.test" }],
    ["another port", { origin: "https://mail.test:444" }],
    ["a host that only begins alike", { origin: "https://mail.test.evil.test" }],
    ["a page without TLS", { origin: "http://mail.test" }],
  ])("changes nothing from an origin that is %s", async (_, headers) => {
    const { pair } = await signIn(OPERATOR);
    const { ask, calls } = api();
    const response = await ask("POST", "/api/campaigns/spring/pause", withCookie(pair, headers));
    expect(response.status).toBe(403);
    expect((await problemOf(response)).code).toBe("wrongOrigin");
    expect(calls).toEqual([]);
  });

  it("is over at its time, and not a moment before", async () => {
    const { pair } = await signIn(OPERATOR);
    const at = (now: number) =>
      api({ deps: { now: () => now } }).ask("GET", "/session", withCookie(pair));
    expect((await at(NOW + SESSION_SECONDS * 1000 - 1)).status).toBe(200);
    const over = await at(NOW + SESSION_SECONDS * 1000);
    expect(over.status).toBe(401);
    expect((await problemOf(over)).code).toBe("sessionEnded");
  });

  it("is over when the token it stands for is changed, or taken away", async () => {
    const { pair } = await signIn(VIEWER);
    for (const viewer of ["another", undefined, ""]) {
      const { ask } = api({ deps: { tokens: { operator: OPERATOR, viewer } } });
      expect((await ask("GET", "/session", withCookie(pair))).status).toBe(401);
    }
  });

  it("signed with another key, for another role or with another end is not one", async () => {
    const { pair } = await signIn(VIEWER);
    const other = api({ deps: { signingKey: `${SIGNING_KEY}x` } });
    expect((await other.ask("GET", "/session", withCookie(pair))).status).toBe(401);
    const { ask } = api();
    const forgeries = [
      pair.replace("viewer.", "operator."),
      pair.replace(/\.(\d+)\./, (_, end: string) => `.${Number(end) + 1}.`),
      pair.slice(0, -1),
      `${pair}A`,
      "__Host-sendonce=",
      "__Host-sendonce=operator.9999999999.",
    ];
    for (const forged of forgeries) {
      expect((await ask("GET", "/session", withCookie(forged))).status, forged).toBe(401);
    }
  });

  it("counts for nothing beside a bearer token, good or bad", async () => {
    const { pair } = await signIn(OPERATOR);
    const { ask } = api();
    const bad = await ask("GET", "/session", { token: "wrong", headers: { cookie: pair } });
    expect((await problemOf(bad)).code).toBe("unknownToken");
    const viewer = await ask("GET", "/session", { token: VIEWER, headers: { cookie: pair } });
    expect(await viewer.json()).toEqual({ role: "viewer", expiresAt: null });
  });

  it("is found among other cookies", async () => {
    const { pair } = await signIn(OPERATOR);
    const response = await api().ask("GET", "/session", withCookie(`a=1; ${pair}; b=2`));
    expect(response.status).toBe(200);
  });

  it("ends with its sign-out, for every copy of its cookie", async () => {
    const { pair } = await signIn(OPERATOR);
    const ended = new Map<string, number>();
    const { ask } = api({
      account: {
        endSession: async (id, until) => ended.set(id, until).size > 0,
        isSessionEnded: async (id) => ended.has(id),
      },
    });
    expect((await ask("GET", "/session", withCookie(pair))).status).toBe(200);
    const out = await ask("DELETE", "/session", withCookie(pair));
    expect(out.status).toBe(204);
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect([...ended]).toEqual([["drawn-id", NOW + SESSION_SECONDS * 1000]]);
    const copy = await ask("GET", "/session", withCookie(pair));
    expect(copy.status).toBe(401);
    expect((await problemOf(copy)).code).toBe("sessionEnded");
  });

  it("is not signed out by another site, nor by a cookie that is none", async () => {
    const { pair } = await signIn(OPERATOR);
    const { ask, calls } = api();
    for (const headers of [{}, { origin: "https://evil.test" }]) {
      const response = await ask("DELETE", "/session", withCookie(pair, headers));
      expect((await problemOf(response)).code).toBe("wrongOrigin");
    }
    const forged = await ask("DELETE", "/session", withCookie(`${pair}A`));
    expect(forged.status).toBe(204);
    expect(calls).toEqual([]);
  });

  it("that can't be ended says so, and keeps its cookie", async () => {
    const { pair } = await signIn(OPERATOR);
    const { ask } = api({ account: { endSession: async () => false } });
    const response = await ask("DELETE", "/session", withCookie(pair));
    expect(response.status).toBe(503);
    expect(response.headers.get("set-cookie")).toBeNull();
    expect((await problemOf(response)).detail).toContain("SIGNING_KEY");
  });

  it("takes its cookie away also where there is none", async () => {
    const response = await api().ask("DELETE", "/session", {
      token: null,
      headers: { origin: ORIGIN },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("set-cookie")).toContain("__Host-sendonce=; Path=/; Max-Age=0");
    const foreign = { token: null, headers: { origin: "https://evil.test" } };
    expect((await api().ask("DELETE", "/session", foreign)).status).toBe(403);
  });
});

describe("the upgrade to the live stream", () => {
  const path = "/api/campaigns/spring/live";
  const upgrade = { upgrade: "websocket" };
  // Node knows no response of status 101, and a stub's one is passed on as it is.
  const upgraded = Object.create(new Response(null), { status: { value: 101 } }) as Response;
  const watched = { deps: { watch: async () => upgraded } };

  it("takes a program's bearer token without an origin", async () => {
    const response = await api(watched).ask("GET", path, { token: VIEWER, headers: upgrade });
    expect(response).toBe(upgraded);
  });

  it("takes a browser's cookie from a page of the same origin only", async () => {
    const { pair } = await signIn(VIEWER);
    const { ask } = api(watched);
    const own = withCookie(pair, { ...upgrade, origin: ORIGIN });
    expect(await ask("GET", path, own)).toBe(upgraded);
    for (const headers of [upgrade, { ...upgrade, origin: "https://evil.test" }]) {
      const response = await ask("GET", path, withCookie(pair, headers));
      expect((await problemOf(response)).code).toBe("wrongOrigin");
    }
  });

  it("is asked for by name, and refused where the campaign is unknown or everybody watches", async () => {
    const plain = await api(watched).ask("GET", path);
    expect(plain.status).toBe(426);
    expect(plain.headers.get("upgrade")).toBe("websocket");
    expect((await api().ask("GET", path, { headers: upgrade })).status).toBe(404);
    const full = { deps: { watch: async () => new Response(null, { status: 503 }) } };
    const refused = await api(full).ask("GET", path, { headers: upgrade });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("30");
  });
});

describe("the frame of a preview", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const send = (html: string, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ html }).toString();
    const length = { "content-length": String(body.length) };
    return api().ask("POST", "/preview-frame", {
      body,
      headers: { ...form, ...length, ...headers },
    });
  };

  it("is the html as it was given, in a document that may do nothing", async () => {
    const response = await send("<p style='color: red'>Ünï &amp; + <script>alert(1)</script></p>");
    expect(await response.text()).toBe(
      "<p style='color: red'>Ünï &amp; + <script>alert(1)</script></p>",
    );
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(expect.arrayContaining(["sandbox", "default-src 'none'"]));
    expect(policy).not.toMatch(/script-src|allow-scripts|allow-same-origin/);
  });

  it("is for those who may see campaigns, from a page of the service", async () => {
    const body = "html=x";
    const headers = { ...form, "content-length": "6" };
    const stranger = await api().ask("POST", "/preview-frame", { token: null, body, headers });
    expect(stranger.status).toBe(401);
    const { pair } = await signIn(VIEWER);
    const foreign = { ...headers, cookie: pair, origin: "https://evil.test" };
    const response = await api().ask("POST", "/preview-frame", {
      token: null,
      body,
      headers: foreign,
    });
    expect((await problemOf(response)).code).toBe("wrongOrigin");
  });

  it("is refused where the form is too long, whether it says so or not", async () => {
    expect((await send("x", { "content-length": "2097153" })).status).toBe(413);
    const long = `html=${"x".repeat(2_097_152)}`;
    const response = await api().ask("POST", "/preview-frame", { body: long, headers: form });
    expect(response.status).toBe(413);
  });
});
