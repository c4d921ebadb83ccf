/**
 * Walks the table of routes: none answers without a check unless it is listed here as public, and
 * every answer carries the security headers, whatever it says.
 */
import { describe, expect, it } from "vitest";
import { openSession } from "../../../src/http/session.ts";
import { ROUTES } from "../../../src/http/router.ts";
import { api, NOW, OPERATOR, problemOf, SIGNING_KEY, VIEWER, type Ask } from "./api.ts";

/** Each with what stands in for a token. A route that is added as public has to be added here. */
const PUBLIC: ReadonlyMap<string, string> = new Map([
  ["GET /healthz", "says nothing but that it is there"],
  ["GET /openapi.json", "what anybody may read in the source"],
  ["GET /docs", "the same as a page"],
  ["POST /webhooks/resend", "the provider's signature"],
  ["GET /unsubscribe/:token", "the signed link; changes nothing"],
  ["POST /unsubscribe/:token", "the signed link"],
  ["POST /session", "the token in the body"],
  ["DELETE /session", "only ever takes the asker's own session away"],
]);

const ORIGIN = "https://mail.test";
const FOREIGN = [{}, { origin: "null" }, { origin: "https://evil.test" }] as const;

const pathOf = (pattern: string) => pattern.replaceAll(/:\w+/g, "x");
const named = ROUTES.map((route) => ({ ...route, name: `${route.method} ${route.path}` }));
const isRead = ({ method }: { readonly method: string }) => method === "GET";

async function cookie(role: "operator" | "viewer"): Promise<string> {
  const secrets = { signingKey: SIGNING_KEY, operator: OPERATOR, viewer: VIEWER };
  const { value } = await openSession(role, "session-1", secrets, NOW);
  return `__Host-sendonce=${value}`;
}

async function asSession(
  role: "operator" | "viewer",
  headers: Readonly<Record<string, string>>,
): Promise<Ask> {
  return { token: null, headers: { cookie: await cookie(role), ...headers } };
}

describe("the table of routes", () => {
  it("has as public what is listed as public", () => {
    const open = named.filter(({ access }) => access === "public").map(({ name }) => name);
    expect(open.toSorted()).toEqual([...PUBLIC.keys()].toSorted());
  });

  it("has each method of a path once, so that none hides behind another", () => {
    const names = named.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

const guarded = named.filter(({ access }) => access !== "public");
const changing = named.filter((route) => !isRead(route) && route.access !== "public");

describe("a session", () => {
  it.each(changing)(
    "$name: from a page of another origin it is refused",
    async ({ method, path }) => {
      for (const headers of FOREIGN) {
        const { ask, calls } = api();
        const response = await ask(method, pathOf(path), await asSession("operator", headers));
        expect(response.status).toBe(403);
        expect((await problemOf(response)).code).toBe("wrongOrigin");
        expect(calls).toEqual([]);
      }
    },
  );

  it.each(guarded)("$name: an upgrade from another origin is refused", async ({ method, path }) => {
    for (const origin of FOREIGN) {
      const { ask, calls } = api();
      const asked = await asSession("operator", { ...origin, upgrade: "websocket" });
      const response = await ask(method, pathOf(path), asked);
      expect((await problemOf(response)).code).toBe("wrongOrigin");
      expect(calls).toEqual([]);
    }
  });

  it.each(guarded.filter(({ access }) => access === "operate"))(
    "$name: a viewer's is refused",
    async ({ method, path }) => {
      const { ask, calls } = api();
      const asked = await asSession("viewer", { origin: ORIGIN });
      const response = await ask(method, pathOf(path), asked);
      expect(response.status).toBe(403);
      expect((await problemOf(response)).code).toBe("viewerOnly");
      expect(calls.map((call) => call.method)).toEqual(["isSessionEnded"]);
    },
  );

  it.each(guarded)("$name: one that was signed out is refused", async ({ method, path }) => {
    const { ask, calls } = api({ account: { isSessionEnded: async () => true } });
    const response = await ask(
      method,
      pathOf(path),
      await asSession("operator", { origin: ORIGIN }),
    );
    expect(response.status).toBe(401);
    expect((await problemOf(response)).code).toBe("sessionEnded");
    expect(calls.map((call) => call.method)).toEqual(["isSessionEnded"]);
  });

  it.each(guarded)("$name: one from the own origin gets in", async ({ method, path }) => {
    const { ask } = api();
    const response = await ask(
      method,
      pathOf(path),
      await asSession("operator", { origin: ORIGIN }),
    );
    expect([401, 403]).not.toContain(response.status);
  });
});

const CONTRACT: ReadonlySet<string> = new Set(["/openapi.json", "/docs"]);

/** As a browser reads them, but for what differs on purpose from page to page. */
function expectSecured({ headers }: Response, what: string, path = ""): void {
  const seen = Object.fromEntries(
    ["x-content-type-options", "cache-control", "referrer-policy", "cross-origin-resource-policy"]
      .concat("strict-transport-security")
      .map((name) => [name, headers.get(name)]),
  );
  expect(seen, what).toEqual({
    "x-content-type-options": "nosniff",
    // The contract is nobody's data: a browser may keep it, and asks whether it is still the same.
    "cache-control": CONTRACT.has(path) && headers.has("etag") ? "no-cache" : "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "strict-transport-security": "max-age=31536000",
  });
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy, what).toContain("default-src 'none'");
  // A mail is made of inline styles; what shows one is in a sandbox and runs nothing.
  const isSandboxed = policy.split("; ").includes("sandbox");
  expect(headers.get("x-frame-options"), what).toBe(isSandboxed ? "SAMEORIGIN" : "DENY");
  expect(policy, what).toContain(`frame-ancestors ${isSandboxed ? "'self'" : "'none'"}`);
  const unsafe = policy.match(/'unsafe-[\w-]+'/g) ?? [];
  expect(unsafe, what).toEqual(isSandboxed ? ["'unsafe-inline'"] : []);
  expect(policy, what).not.toMatch(/script-src|allow-scripts|allow-same-origin/);
  expect(
    [...headers.keys()].filter((name) => name.startsWith("access-control")),
    what,
  ).toEqual([]);
}

const broken = async () => {
  throw new Error("broken");
};

describe("the security headers are on", () => {
  it.each(named)("every answer of $name", async ({ method, path }) => {
    for (const token of [null, "wrong", VIEWER, OPERATOR]) {
      const response = await api().ask(method, pathOf(path), { token });
      expectSecured(response, `${response.status}`, path);
    }
    const unset = { deps: { tokens: { operator: undefined, viewer: undefined } } };
    expectSecured(await api(unset).ask(method, pathOf(path)), "without an operator", path);
  });

  it.each(["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"])("%s of every path", async (method) => {
    for (const { path } of ROUTES) {
      const response = await api().ask(method, pathOf(path));
      expectSecured(response, `${path} ${response.status}`, path);
    }
  });

  it.each(["/", "/nowhere", "/api", "//api/campaigns", "/api/campaigns/%ff"])(
    "%s",
    async (path) => {
      expectSecured(await api().ask("GET", `https://mail.test${path}`), path);
    },
  );

  it("faults of our own", async () => {
    const { ask } = api({ campaign: { describe: broken, linkTarget: broken } });
    const fault = await ask("GET", "/api/campaigns/spring");
    expect(fault.status).toBe(500);
    expectSecured(fault, "500");
    const token = `spring.1.${"A".repeat(43)}`;
    expectSecured(await ask("GET", `/unsubscribe/${token}`), "the page that says sorry");
  });

  it("the html of a mail, which is in a sandbox", async () => {
    const body = "html=%3Cp%3EHi";
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
    };
    const response = await api().ask("POST", "/preview-frame", { body, headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-security-policy")).toMatch(/^sandbox; /);
    expectSecured(response, "preview");
  });
});
