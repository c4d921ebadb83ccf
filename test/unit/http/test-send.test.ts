import { describe, expect, it } from "vitest";
import type { AttemptOutcome } from "../../../src/domain/outcome.ts";
import type { Seq } from "../../../src/domain/ids.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { faultyPaths, problemOf } from "./api.ts";

const SPRING = "/api/campaigns/spring";
const TEST = `${SPRING}/test`;
const CAMPAIGN = {
  id: "spring",
  name: "Spring",
  from: "Shop <news@shop.test>",
  replyTo: "help@shop.test",
  subject: "{{ firstName }}, hello",
  html: "<p>{{ firstName }}</p><a href='{{ unsubscribeUrl }}'>Stop</a>",
  headers: { "X-Shop": "1" },
  tags: { season: "spring", test: "mine" },
};

async function stackWith(): Promise<NodeStack> {
  const stack = new NodeStack();
  await stack.json("POST", "/api/campaigns", CAMPAIGN);
  const csv = "email,id,firstName\nada@x.org,u_1,Ada\nbob@x.org,u_2,Bob\nno@x.org,u_3,\n";
  await stack.json("POST", `${SPRING}/recipients`, csv, "text/csv");
  return stack;
}

describe("a test send", () => {
  it("renders as for a recipient, is marked, and goes to the given addresses only", async () => {
    const stack = await stackWith();
    const body = { to: ["me@shop.test", "You@Shop.test", "ME@shop.test"], recipientId: "u_2" };
    expect(await stack.json("POST", TEST, body)).toEqual({
      subject: "[Test] Bob, hello",
      sent: [
        { to: "ME@shop.test", providerId: "re_1" },
        { to: "You@Shop.test", providerId: "re_2" },
      ],
      failed: [],
    });
    expect(stack.tests).toHaveLength(1);
    const [{ key, mails } = { key: "", mails: [] }] = stack.tests;
    expect(key).toBe("test:id-1");
    expect(mails).toHaveLength(2);
    expect(mails[0]).toEqual({
      from: "Shop <news@shop.test>",
      replyTo: "help@shop.test",
      to: "ME@shop.test",
      subject: "[Test] Bob, hello",
      html: "<p>Bob</p><a href='https://unsubscribe.invalid/preview'>Stop</a>",
      text: expect.stringContaining("Bob"),
      headers: { "X-Shop": "1" },
      tags: [
        { name: "test", value: "spring" },
        { name: "season", value: "spring" },
      ],
    });
  });

  it("G6: goes to nobody who is suppressed, and says who that is", async () => {
    const stack = await stackWith();
    await stack.json("PUT", "/api/suppressions", { addresses: ["me@shop.test"] });
    const response = await stack.ask("POST", TEST, { to: ["you@shop.test", "ME@shop.test"] });
    expect(await faultyPaths(response)).toEqual(["to.1"]);
    expect(stack.tests).toEqual([]);
  });

  it("is outside of the ledger: no number moves, and the recipient is still to be mailed", async () => {
    const stack = await stackWith();
    const before = await stack.json("GET", SPRING);
    await stack.json("POST", TEST, { to: ["me@shop.test"], recipientId: "u_1" });
    expect(await stack.json("GET", SPRING)).toEqual(before);
    expect(stack.queue).toEqual([]);
  });

  it("may go to a suppressed address that the operator names, for somebody made up", async () => {
    const stack = await stackWith();
    const recipient = { email: "eve@x.org", data: { firstName: "Eve" } };
    await stack.json("POST", TEST, { to: ["me@shop.test"], recipient });
    expect(stack.tests[0]?.mails[0]?.subject).toBe("[Test] Eve, hello");
    await stack.json("POST", TEST, { to: ["me@shop.test"] });
    expect(stack.tests[1]?.mails[0]?.subject).toBe("[Test] Ada, hello");
    expect(stack.tests[1]?.key).toBe("test:id-2");
  });

  it("C73: is refused where a field of this recipient has no value", async () => {
    const stack = await stackWith();
    const response = await stack.ask("POST", TEST, { to: ["me@shop.test"], recipientId: "u_3" });
    expect(response.status).toBe(400);
    const problem = await problemOf(response);
    expect(problem.code).toBe("templateFault");
    expect(problem.errors?.map(({ path }) => path)).toEqual(["subject", "html"]);
    expect(stack.tests).toEqual([]);
  });

  it.each([
    ["to", {}],
    ["to", { to: [] }],
    ["to", { to: Array.from({ length: 6 }, (_, at) => `me${at}@shop.test`) }],
    ["to.0", { to: ["nobody"] }],
    ["recipient", { to: ["me@shop.test"], recipientId: "u_1", recipient: { email: "a@x.org" } }],
    ["cc", { to: ["me@shop.test"], cc: [] }],
  ])("names %s in %j", async (path, body) => {
    const stack = await stackWith();
    expect(await faultyPaths(await stack.ask("POST", TEST, body))).toEqual([path]);
    expect(stack.tests).toEqual([]);
  });

  it("of nobody and of a campaign without content is refused", async () => {
    const stack = await stackWith();
    const nobody = await stack.ask("POST", TEST, { to: ["me@shop.test"], recipientId: "u_9" });
    expect((await problemOf(nobody)).code).toBe("recipientNotFound");
    await stack.json("POST", "/api/campaigns", { id: "out", name: "Out", delivery: "external" });
    const outside = await stack.ask("POST", "/api/campaigns/out/test", { to: ["me@shop.test"] });
    expect((await problemOf(outside)).code).toBe("wrongDelivery");
  });
});

describe("the provider's no", () => {
  const body = { to: ["me@shop.test", "you@shop.test"] };
  const refusals: [AttemptOutcome, string][] = [
    [{ kind: "rejected", reason: "422: bad tag", faults: [] }, "refused it: 422: bad tag"],
    [
      { kind: "deferred", reason: "401", retryAfterSeconds: null, pause: "providerAuth" },
      "refused it: 401",
    ],
    [
      { kind: "unknown", reason: "timed out", retryAfterSeconds: null, repeat: true },
      "may have been accepted",
    ],
    [
      { kind: "answered", results: [{ seq: 1 as Seq, outcome: "failed", reason: "bad address" }] },
      "refused it: bad address",
    ],
  ];

  it.each(refusals)("%j is a problem with its reason", async (outcome, text) => {
    const stack = await stackWith();
    stack.testOutcome = () => outcome;
    const response = await stack.ask("POST", TEST, body);
    expect(response.status).toBe(502);
    const { code, detail } = await problemOf(response);
    expect(code).toBe("testNotSent");
    expect(detail).toContain(text);
  });

  it("to some of them is told beside what was sent", async () => {
    const stack = await stackWith();
    stack.testOutcome = () => ({
      kind: "answered",
      results: [
        { seq: 1 as Seq, outcome: "failed", reason: "bad address" },
        { seq: 2 as Seq, outcome: "sent", providerId: "re_2" },
      ],
    });
    expect(await stack.json("POST", TEST, body)).toMatchObject({
      sent: [{ to: "you@shop.test", providerId: "re_2" }],
      failed: [{ to: "me@shop.test", reason: "bad address" }],
    });
  });

  it("to more requests is heeded: a test waits for a slot, and gives up where there is none", async () => {
    const stack = await stackWith();
    await stack.account.holdSlots(60_000);
    const response = await stack.ask("POST", TEST, body);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(stack.tests).toEqual([]);
  });
});
