import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Address, Seq } from "../../../src/domain/ids.ts";
import { importLinkSecret, unsubscribeToken } from "../../../src/message/unsubscribe-link.ts";
import { api, SPRING } from "./api.ts";

const SECRET = "0123456789abcdef".repeat(4);
const ADA = "ada@example.org" as Address;

async function pathOf(seq: number, secret = SECRET) {
  const token = await unsubscribeToken(await importLinkSecret(secret), SPRING, seq as Seq);
  return `/unsubscribe/${token}`;
}

function site(suppress: () => Promise<void> = async () => undefined) {
  const rig = api({
    campaign: {
      linkTarget: async (seq) => (seq === 7 ? { address: ADA, linkSecret: SECRET } : null),
    },
    account: { suppress },
  });
  const ask = (method: string, path: string, more: object = {}) =>
    rig.ask(method, path, { token: null, ...more });
  return { ...rig, ask };
}

const named = (calls: readonly { method: string }[]) => calls.map((call) => call.method);

describe("GET /unsubscribe/:token", () => {
  it("C61: shows a page and changes nothing, to GET and to HEAD, however often", async () => {
    const { ask, calls } = site();
    const path = await pathOf(7);
    for (const method of ["GET", "HEAD", "GET", "HEAD"]) {
      expect((await ask(method, path)).status).toBe(200);
    }
    expect(new Set(named(calls))).toEqual(new Set(["linkTarget"]));
  });

  it("is a form that works without a script and posts to itself", async () => {
    const response = await site().ask("GET", await pathOf(7));
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await response.text();
    expect(html).toMatch(/^<!doctype html>\s*<html lang="en">/);
    expect(html).toMatch(/<title>[^<]+<\/title>/);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(html).toContain("<main>");
    expect(html).toContain('<form method="post">');
    expect(html).toContain('name="List-Unsubscribe" value="One-Click"');
    expect(html).not.toMatch(/<script|javascript:|\son[a-z]+=|https?:/i);
    expect(html, "a forwarded link tells no address").not.toContain("ada");
  });

  it("has a policy that allows its own style and its own form, and nothing else", async () => {
    const response = await site().ask("GET", await pathOf(7));
    const style = /<style>([\s\S]*)<\/style>/.exec(await response.text())?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; ` +
        "frame-ancestors 'none'",
    );
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  it("tells what to do where the link is none", async () => {
    const { ask, stubs } = site();
    for (const path of ["/unsubscribe/nonsense", "/unsubscribe/spring.7.short"]) {
      const response = await ask("GET", path);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await response.text()).toContain("Open the link in the mail once more");
    }
    expect(stubs).toEqual([]);
    const forged = [
      await pathOf(8),
      await pathOf(7, "f".repeat(64)),
      (await pathOf(7)).replace("spring.7.", "spring.9."),
      (await pathOf(7)).replace("spring.7.", "autumn.7."),
    ];
    for (const path of forged) expect((await ask("GET", path)).status).toBe(404);
  });
});

describe("POST /unsubscribe/:token", () => {
  const oneClick = "List-Unsubscribe=One-Click";
  const multipart =
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';

  it.each<[string, string | null, Record<string, string>]>([
    ["urlencoded", oneClick, { "content-type": "application/x-www-form-urlencoded" }],
    ["multipart", multipart, { "content-type": "multipart/form-data; boundary=x" }],
    ["of no type", oneClick, {}],
    ["without a body", null, {}],
  ])("C61: one click %s suppresses before it answers", async (_, body, headers) => {
    const { ask, calls } = site();
    const response = await ask("POST", await pathOf(7), { body, headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("location")).toBeNull();
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(await response.text()).toContain("You are unsubscribed");
    expect(calls.at(-1)).toEqual({ method: "suppress", args: [[ADA], "unsubscribe"] });
  });

  it("C61: twice is the same as once, with whatever a client adds to the link", async () => {
    const { ask, calls } = site();
    const path = `${await pathOf(7)}?utm_source=mail&utm_source=again`;
    const answers = [await ask("POST", path, { body: oneClick }), await ask("POST", path)];
    expect(answers.map((each) => each.status)).toEqual([200, 200]);
    expect(named(calls).filter((name) => name === "suppress")).toHaveLength(2);
  });

  it("a forged link suppresses nobody", async () => {
    const { ask, calls } = site();
    const forged = [
      (await pathOf(7)).replace("spring.7.", "spring.8."),
      await pathOf(7, "f".repeat(64)),
    ];
    for (const path of forged) {
      const response = await ask("POST", path, { body: oneClick });
      expect(response.status).toBe(404);
    }
    expect(named(calls)).not.toContain("suppress");
  });

  it("G6: is not answered as done where a campaign could not be told", async () => {
    const { ask, logged } = site(async () => {
      throw new Error("a campaign does not answer");
    });
    const response = await ask("POST", await pathOf(7), { body: oneClick });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).not.toBeNull();
    expect(await response.text()).toContain("may still be subscribed");
    expect(logged).toMatchObject([{ event: "unsubscribeFailed" }]);
  });
});
