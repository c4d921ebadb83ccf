import { describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/http/router.ts";
import { api, OPERATOR, problemOf, VIEWER } from "./api.ts";

/** Any path that a pattern matches. */
function pathOf(pattern: string): string {
  return pattern.replaceAll(/:\w+/g, "x");
}

const PROTECTED = ROUTES.filter((route) => route.access !== "public");
const CHANGING = ROUTES.filter((route) => route.access === "operate");

describe("tokens", () => {
  it.each(PROTECTED)("$method $path wants a token", async ({ method, path }) => {
    const { ask, calls } = api();
    const response = await ask(method, pathOf(path), { token: null });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="sendonce"');
    expect((await problemOf(response)).code).toBe("noToken");
    expect(calls).toEqual([]);
  });

  it.each(PROTECTED)("$method $path refuses a wrong token", async ({ method, path }) => {
    const { ask, calls } = api();
    const response = await ask(method, pathOf(path), { token: `${OPERATOR}x` });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect((await problemOf(response)).code).toBe("unknownToken");
    expect(calls).toEqual([]);
  });

  it.each(CHANGING)("$method $path is not for the viewer", async ({ method, path }) => {
    const { ask, calls } = api();
    const response = await ask(method, pathOf(path), { token: VIEWER });
    expect(response.status).toBe(403);
    expect((await problemOf(response)).code).toBe("viewerOnly");
    expect(calls).toEqual([]);
  });

  it.each(PROTECTED)("$method $path says that no operator is set", async ({ method, path }) => {
    const { ask, calls } = api({ deps: { tokens: { operator: "", viewer: VIEWER } } });
    const response = await ask(method, pathOf(path), { token: VIEWER });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("60");
    const { code, detail } = await problemOf(response);
    expect(code).toBe("notConfigured");
    expect(detail).toContain("OPERATOR_TOKEN");
    expect(calls).toEqual([]);
  });

  it.each(PROTECTED.filter((route) => route.access === "view"))(
    "$method $path lets the viewer through",
    async ({ method, path }) => {
      const response = await api().ask(method, pathOf(path), { token: VIEWER });
      expect([401, 403]).not.toContain(response.status);
    },
  );

  it("every route that changes something is the operator's", () => {
    const reading = ROUTES.filter((route) => route.access === "view" && route.method !== "GET");
    expect(reading.map((route) => route.path)).toEqual([
      "/preview-frame",
      "/api/campaigns/:id/preview",
      "/api/campaigns/:id/preflight",
    ]);
  });

  it("an empty viewer token lets nobody in", async () => {
    const { ask } = api({ deps: { tokens: { operator: OPERATOR, viewer: "" } } });
    const response = await ask("GET", "/api/campaigns/spring", {
      token: null,
      headers: { authorization: "Bearer " },
    });
    expect(response.status).toBe(401);
  });

  it("the scheme may be in any case, and nothing but Bearer is taken", async () => {
    const { ask } = api();
    const as = (authorization: string) =>
      ask("GET", "/api/campaigns/spring", { token: null, headers: { authorization } });
    expect((await as(`bearer ${OPERATOR}`)).status).toBe(200);
    expect((await as(`Basic ${OPERATOR}`)).status).toBe(401);
  });

  it("healthz asks for no token and needs none to be set", async () => {
    const { ask } = api({ deps: { tokens: { operator: undefined, viewer: undefined } } });
    const response = await ask("GET", "/healthz", { token: null });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "ok" });
  });
});
