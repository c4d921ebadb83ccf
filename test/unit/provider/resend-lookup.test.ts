/** Resend's list and look-up, against the stand-in and against answers of every kind. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { resendLookup } from "../../../src/provider/resend-lookup.ts";
import type { MailLookup } from "../../../src/provider/reconcile.ts";
import { mail, standInFixture } from "../stand-in/fixture.ts";

const fixture = standInFixture();

function lookupAt(baseUrl: string): MailLookup {
  const options = { apiKey: "re_test", baseUrl, version: "0.0.0", now: () => 0 };
  const lookup = resendLookup(options);
  if (lookup === null) throw new Error("a key makes a look-up");
  return lookup;
}

describe("against the stand-in", () => {
  it("lists every mail once, newest first, page by page", async () => {
    for (const half of ["a", "b"]) {
      const batch = Array.from({ length: 80 }, (_, at) => mail(`${half}${at}@x.test`));
      await fixture.resend.batch.send(batch);
    }
    const lookup = lookupAt(fixture.url);
    const addresses: string[] = [];
    let after: string | null = null;
    do {
      const page = await lookup.page(after);
      if (page.kind !== "found") throw new Error(page.kind);
      addresses.push(...page.value.mails.flatMap((each) => each.addresses));
      ({ after } = page.value);
    } while (after !== null);
    expect(addresses).toHaveLength(160);
    expect(new Set(addresses).size).toBe(160);
    expect(addresses[0]).toMatch(/^b/);
  });

  it("finds a mail's owner by its tags, and null for others", async () => {
    const tags = [
      { name: "campaign", value: "spring" },
      { name: "recipient", value: "7" },
    ];
    const own = await fixture.resend.emails.send({ ...mail("Ada@X.test"), tags });
    const other = await fixture.resend.emails.send(mail("bob@x.test"));
    const lookup = lookupAt(fixture.url);
    expect(await lookup.mail(own.data?.id ?? "")).toMatchObject({
      kind: "found",
      value: {
        providerId: own.data?.id,
        campaign: "spring",
        seq: 7,
        fate: "sent",
        addresses: ["ada@x.test"],
      },
    });
    expect(await lookup.mail(other.data?.id ?? "")).toEqual({ kind: "found", value: null });
    expect(await lookup.mail("re_nobody")).toEqual({ kind: "found", value: null });
  });
});

describe("an answer", () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  async function answering(status: number, body: string, headers: Record<string, string> = {}) {
    server = createServer((_, response) => response.writeHead(status, headers).end(body));
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return lookupAt(`http://127.0.0.1:${port}`);
  }

  const restricted = '{"statusCode":401,"name":"restricted_api_key","message":"only send emails"}';

  it.each([
    ["a key that only sends", 401, restricted, {}, { kind: "notAllowed" }],
    ["a key that is off", 403, "{}", {}, { kind: "notAllowed" }],
    ["a limit", 429, "{}", { "retry-after": "3" }, { kind: "later", retryAfterSeconds: 3 }],
    ["a fault", 500, "<html>", {}, { kind: "later", retryAfterSeconds: null }],
    ["a page that is none", 200, "{}", {}, { kind: "later", retryAfterSeconds: null }],
    ["no JSON", 200, "<html>", {}, { kind: "later", retryAfterSeconds: null }],
  ])("%s", async (_, status, body, headers, looked) => {
    const lookup = await answering(status, body, headers);
    expect(await lookup.page(null)).toEqual(looked);
  });

  it("nobody", async () => {
    const looked = await lookupAt("http://127.0.0.1:1").page(null);
    expect(looked).toEqual({ kind: "later", retryAfterSeconds: null });
  });

  it("with events and fields nobody knows is read for what it says", async () => {
    const body = {
      id: "re_1",
      to: "ada@x.test",
      last_event: "teleported",
      tags: [
        { name: "campaign", value: "spring" },
        { name: "recipient", value: "7" },
      ],
    };
    const looked = await (await answering(200, JSON.stringify(body))).mail("re_1");
    expect(looked).toMatchObject({ kind: "found", value: { fate: "sent", createdAt: null } });
  });

  it("is asked for by nobody without a key", () => {
    const options = { apiKey: "", baseUrl: "http://127.0.0.1:1", version: "0", now: () => 0 };
    expect(resendLookup(options)).toBeNull();
  });
});
