import { describe, expect, it } from "vitest";
import type { Campaign } from "../../../src/campaign/campaign.ts";
import type { CampaignId, DispatchNumber } from "../../../src/domain/ids.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { faultyPaths, problemOf } from "./api.ts";

const LIST = "/api/suppressions";
const IMPORT = `${LIST}/import`;

function campaignCalled(id: string) {
  return { id, name: id, from: "Shop <news@shop.test>", subject: "Hello", text: "Hello" };
}

async function stackWith(...campaigns: string[]): Promise<NodeStack> {
  const stack = new NodeStack();
  for (const id of campaigns) {
    await stack.json("POST", "/api/campaigns", campaignCalled(id));
  }
  return stack;
}

function upload(stack: NodeStack, campaign: string, csv: string) {
  return stack.json("POST", `/api/campaigns/${campaign}/recipients`, csv, "text/csv");
}

/** Whom a campaign mails, by what its reservations hold. */
async function mailed(stack: NodeStack, campaign: string): Promise<string[]> {
  await stack.fireAlarms();
  const found: string[] = [];
  for (const message of stack.queue.splice(0)) {
    if (message.campaignId !== campaign) continue;
    const { dispatch } = message;
    const request = { by: "dispatch", dispatch, claim: `claim-${dispatch}` } as const;
    const answer = await stack.campaign(campaign).reserve(request);
    if (answer.ok && answer.value.granted) {
      found.push(...answer.value.members.map(({ email }) => email));
    }
  }
  return found;
}

async function grantOf(asked: ReturnType<Campaign["reserve"]>) {
  const answer = await asked;
  if (!answer.ok || !answer.value.granted) throw new Error(JSON.stringify(answer));
  return answer.value;
}

describe("an import of suppressions", () => {
  it("takes reasons and times, and answers what became of each row", async () => {
    const stack = await stackWith();
    const csv = [
      "address,reason,at",
      "Ada@X.org,complaint,2025-01-02T03:04:05Z",
      "bob@x.org,,",
      "bob@@x.org,,",
      "ADA@x.org,operator,",
      "eve@x.org,because,yesterday",
      "tom@x.org,hardBounce,2030-01-01T00:00:00Z",
    ].join("\r\n");
    expect(await stack.json("POST", IMPORT, csv, "text/csv")).toEqual({
      added: 4,
      already: 1,
      invalid: 1,
      problems: [
        { line: 4, code: "notOneAtSign", detail: expect.any(String) },
        { line: 6, code: "otherReason", detail: expect.any(String) },
        { line: 6, code: "otherTime", detail: expect.any(String) },
        { line: 7, code: "otherTime", detail: expect.any(String) },
      ],
    });
    const now = new Date(stack.now).toISOString();
    expect(await stack.json("GET", LIST)).toMatchObject({
      items: [
        { address: "ada@x.org", reason: "complaint", at: "2025-01-02T03:04:05.000Z" },
        { address: "bob@x.org", reason: "operator", at: now },
        { address: "eve@x.org", reason: "operator", at: now },
        { address: "tom@x.org", reason: "hardBounce", at: now },
      ],
    });
  });

  it("gives rows without a reason the one that the request names", async () => {
    const stack = await stackWith();
    await stack.json("POST", `${IMPORT}?reason=unsubscribe`, "email\na@x.org\n", "text/csv");
    expect(await stack.json("GET", LIST)).toMatchObject({ items: [{ reason: "unsubscribe" }] });
  });

  it("finds the addresses in a column that the request names", async () => {
    const stack = await stackWith();
    const csv = "Mail;email\na@x.org;b@x.org\n";
    await stack.json("POST", `${IMPORT}?email=Mail`, csv, "text/csv");
    expect(await stack.json("GET", LIST)).toMatchObject({ items: [{ address: "a@x.org" }] });
  });

  it("may be repeated, and is what the export gives", async () => {
    const stack = await stackWith();
    const rows = Array.from({ length: 2300 }, (_, at) => `u${at}@x.org,unsubscribe`).join("\n");
    const csv = `address,reason\n${rows}\n+tag@x.org,complaint\n`;
    expect(await stack.json("POST", IMPORT, csv, "text/csv")).toMatchObject({ added: 2301 });
    const exported = await (await stack.ask("GET", `${LIST}.csv`)).text();
    expect(exported.split("\r\n")).toHaveLength(2303);
    expect(exported).toContain("\r\nu7@x.org,unsubscribe,2026-11-29T12:00:00.000Z\r\n");
    expect(await stack.json("POST", IMPORT, exported, "text/csv")).toEqual({
      added: 0,
      already: 2301,
      invalid: 0,
      problems: [],
    });
    const other = await stackWith();
    expect(await other.json("POST", IMPORT, exported, "text/csv")).toMatchObject({ added: 2301 });
  });

  it.each([
    [415, "unsupportedMediaType", "application/json", "{}"],
    [400, "invalidUpload", "text/csv", ""],
    [400, "invalidUpload", "text/csv", "name\nAda\n"],
    [400, "invalidUpload", "text/csv", "email\n"],
  ])("%d %s for %s %j", async (status, code, type, body) => {
    const response = await (await stackWith()).ask("POST", IMPORT, body, type);
    expect(response.status).toBe(status);
    expect((await problemOf(response)).code).toBe(code);
  });

  it("names a reason that is none", async () => {
    const stack = await stackWith();
    const response = await stack.ask("POST", `${IMPORT}?reason=spam`, "email\n", "text/csv");
    expect(await faultyPaths(response)).toEqual(["reason"]);
  });
});

describe("G6: a suppressed address", () => {
  it("is in no campaign's reservations, wherever it was suppressed", async () => {
    const stack = await stackWith("spring", "summer", "autumn");
    const csv = "email\nada@x.org\nbob@x.org\n";
    await upload(stack, "spring", csv);
    await upload(stack, "summer", csv);
    await stack.json("POST", "/api/campaigns/summer/start");
    await stack.json("POST", IMPORT, "address\nADA@x.org\n", "text/csv");
    await upload(stack, "autumn", csv);
    await stack.json("POST", "/api/campaigns/spring/start");
    await stack.json("POST", "/api/campaigns/autumn/start");
    for (const campaign of ["spring", "summer", "autumn"]) {
      expect(await stack.json("GET", `/api/campaigns/${campaign}/delivery-status`)).toMatchObject({
        stats: { total: 2, remaining: 1, suppressed: 1 },
      });
    }
    await stack.fireAlarms();
    const queue = [...stack.queue];
    for (const campaign of ["spring", "summer", "autumn"]) {
      stack.queue.splice(0, stack.queue.length, ...queue);
      expect(await mailed(stack, campaign)).toEqual(["bob@x.org"]);
    }
  });

  it("is not brought back by another import of the same list", async () => {
    const stack = await stackWith("spring");
    const csv = "email,id\nada@x.org,u_1\nbob@x.org,u_2\n";
    await upload(stack, "spring", csv);
    await stack.json("PUT", LIST, { addresses: ["ada@x.org"], reason: "unsubscribe" });
    expect(await upload(stack, "spring", csv)).toMatchObject({ added: 0, duplicates: 2 });
    expect(await upload(stack, "spring", "email,id\nADA@x.org,u_9\n")).toMatchObject({ added: 0 });
    await stack.json("POST", IMPORT, "email,reason\nada@x.org,operator\n", "text/csv");
    expect(await stack.json("GET", "/api/campaigns/spring/recipients/u_1")).toMatchObject({
      status: "suppressed",
      reason: "unsubscribe",
    });
    await stack.json("POST", "/api/campaigns/spring/start");
    expect(await mailed(stack, "spring")).toEqual(["bob@x.org"]);
  });

  it("C60: reaches a campaign that is being sent, and the numbers add up", async () => {
    const stack = await stackWith("spring");
    const rows = Array.from({ length: 500 }, (_, at) => `u${at + 1}@x.org`).join("\n");
    await upload(stack, "spring", `email\n${rows}\n`);
    await stack.json("POST", "/api/campaigns/spring/start");
    await stack.fireAlarms();
    const [first] = stack.queue.splice(0, 1);
    const dispatch = first?.dispatch ?? (0 as DispatchNumber);
    const campaign = stack.campaign("spring");
    expect((await campaign.reserve({ by: "dispatch", dispatch, claim: "c" })).ok).toBe(true);
    await stack.json("PUT", LIST, { addresses: ["u400@x.org"], reason: "unsubscribe" });
    expect(await campaign.deliveryStatus()).toMatchObject({
      stats: { total: 500, reserved: 100, remaining: 399, suppressed: 1 },
    });
    const others = await mailed(stack, "spring");
    expect(others).not.toContain("u400@x.org");
  });

  it("C10: that unsubscribes between two attempts stays in its batch, and is in no later one", async () => {
    const stack = await stackWith("spring");
    const rows = Array.from({ length: 100 }, (_, at) => `u${at + 1}@x.org`).join("\n");
    await upload(stack, "spring", `email\n${rows}\n`);
    await stack.json("POST", "/api/campaigns/spring/start");
    await stack.fireAlarms();
    const dispatch = stack.queue.splice(0)[0]?.dispatch ?? (0 as DispatchNumber);
    const campaign = stack.campaign("spring");
    const first = await grantOf(campaign.reserve({ by: "dispatch", dispatch, claim: "first" }));
    const batch = { number: first.batch };
    await campaign.report({
      batch,
      token: first.token,
      outcome: { kind: "unknown", reason: "time-out", retryAfterSeconds: null, repeat: true },
    });
    await stack.json("PUT", LIST, { addresses: ["u5@x.org"], reason: "unsubscribe" });
    await stack.advance(60_000);
    const again = await grantOf(campaign.reserve({ by: "dispatch", dispatch, claim: "again" }));
    expect(again.members).toEqual(first.members);
    expect(again.idempotencyKey).toBe(first.idempotencyKey);
    const results = again.members.map(({ seq }) => ({
      seq,
      outcome: "sent" as const,
      providerId: `re_${seq}`,
    }));
    await campaign.report({ batch, token: again.token, outcome: { kind: "answered", results } });
    expect(await stack.json("GET", "/api/campaigns/spring/delivery-status")).toMatchObject({
      state: "finished",
      stats: { total: 100, sent: 100 },
    });
    expect(await stack.json("GET", "/api/campaigns/spring/recipients/u5%40x.org")).toMatchObject({
      status: "sent",
      providerId: "re_5",
      suppression: { reason: "unsubscribe" },
    });
    await stack.json("POST", "/api/campaigns", campaignCalled("summer"));
    expect(await upload(stack, "summer", `email\n${rows}\n`)).toMatchObject({
      added: 99,
      suppressed: 1,
    });
  });

  it("that no push has told a campaign of is found at its start", async () => {
    const stack = await stackWith("spring");
    const rows = Array.from({ length: 12_000 }, (_, at) => `u${at + 1}@x.org`).join("\n");
    await upload(stack, "spring", `email\n${rows}\n`);
    // As after a restore of one of the two objects.
    await stack.account.unregister("spring" as CampaignId);
    const addresses = ["u1@x.org", "u5001@x.org", "u12000@x.org"];
    await stack.json("PUT", LIST, { addresses, reason: "hardBounce" });
    expect(await stack.json("POST", "/api/campaigns/spring/start")).toMatchObject({
      state: "sending",
      stats: { total: 12_000, remaining: 11_997, suppressed: 3 },
    });
  });
});
