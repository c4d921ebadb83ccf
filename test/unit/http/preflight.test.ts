import { describe, expect, it } from "vitest";
import type { CampaignId } from "../../../src/domain/ids.ts";
import { NAMED_BY_PREFLIGHT, SLOT_SPACING } from "../../../src/domain/limits.ts";
import type { PreflightReport } from "../../../src/domain/preflight.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { problemOf } from "./api.ts";

const SPRING = "/api/campaigns/spring";
const PLAIN = {
  id: "spring",
  name: "Spring",
  from: "Shop <news@shop.com>",
  subject: "Hello",
  html: '<p>Hello</p><a href="{{ unsubscribeUrl }}">Stop</a>',
};

async function stackWith(campaign: object, csv = "email\nada@real.com\n"): Promise<NodeStack> {
  const stack = new NodeStack();
  await stack.json("POST", "/api/campaigns", { ...PLAIN, ...campaign });
  if (csv !== "") await stack.json("POST", `${SPRING}/recipients`, csv, "text/csv");
  return stack;
}

function preflight(stack: NodeStack): Promise<PreflightReport> {
  return stack.json("POST", `${SPRING}/preflight`);
}

async function codesOf(stack: NodeStack): Promise<[string[], string[]]> {
  const { errors, warnings } = await preflight(stack);
  return [errors.map(({ code }) => code), warnings.map(({ code }) => code)];
}

describe("a preflight", () => {
  it("finds nothing wrong where nothing is", async () => {
    expect(await preflight(await stackWith({}))).toEqual({
      ok: true,
      willBeMailed: 1,
      notMailed: { suppressed: 0 },
      suppressedBecause: {},
      errors: [],
      warnings: [],
      estimatedSeconds: 1,
    });
  });

  it("C27: of 5,040 imported and 5,035 suppressed says 5, and why not the rest", async () => {
    const stack = await stackWith({}, "");
    const all = Array.from({ length: 5040 }, (_, at) => `u${at}@real.com`);
    await stack.json("POST", "/api/suppressions/import", listOf(all.slice(0, 2000)), "text/csv");
    await stack.json("POST", `${SPRING}/recipients`, listOf(all), "text/csv");
    const later = "/api/suppressions/import?reason=unsubscribe";
    await stack.json("POST", later, listOf(all.slice(2000, 5000)), "text/csv");
    // These 35 the campaign has not heard of; its start would.
    await stack.account.unregister("spring" as CampaignId);
    const bounced = "/api/suppressions/import?reason=hardBounce";
    await stack.json("POST", bounced, listOf(all.slice(5000, 5035)), "text/csv");
    expect(await preflight(stack)).toMatchObject({
      ok: true,
      willBeMailed: 5,
      notMailed: { suppressed: 5035 },
      suppressedBecause: { operator: 2000, unsubscribe: 3000, hardBounce: 35 },
    });
    expect(await stack.json("POST", `${SPRING}/start`)).toMatchObject({
      stats: { total: 5040, remaining: 5, suppressed: 5035 },
    });
  });

  it("changes nothing", async () => {
    const stack = await stackWith({});
    const before = await stack.json("GET", SPRING);
    await preflight(stack);
    expect(await stack.json("GET", SPRING)).toEqual(before);
  });

  it("C41: has no error for nobody, or where all are suppressed; the start ends at once", async () => {
    const empty = await stackWith({ subject: "Hi {{ firstName }}" }, "");
    expect(await preflight(empty)).toMatchObject({
      ok: true,
      willBeMailed: 0,
      estimatedSeconds: 0,
    });
    expect(await empty.json("POST", `${SPRING}/start`)).toMatchObject({ state: "finished" });
    const none = await stackWith({ subject: "Hi {{ firstName }}" });
    await none.json("PUT", "/api/suppressions", { addresses: ["ada@real.com"] });
    expect(await preflight(none)).toMatchObject({ ok: true, notMailed: { suppressed: 1 } });
    expect(await none.json("POST", `${SPRING}/start`)).toMatchObject({
      state: "finished",
      stats: { total: 1, suppressed: 1, sent: 0 },
    });
  });

  it("is refused for what is sending, for external delivery, and for what is not there", async () => {
    const stack = await stackWith({});
    await stack.json("POST", `${SPRING}/start`);
    const late = await problemOf(await stack.ask("POST", `${SPRING}/preflight`));
    expect(late).toMatchObject({ status: 409, code: "wrongState" });
    const external = { id: "outside", name: "Outside", delivery: "external" };
    await stack.json("POST", "/api/campaigns", external);
    const outside = await stack.ask("POST", "/api/campaigns/outside/preflight");
    expect((await problemOf(outside)).code).toBe("wrongDelivery");
    const nobody = await stack.ask("POST", "/api/campaigns/nobody/preflight");
    expect((await problemOf(nobody)).code).toBe("campaignNotFound");
  });

  it("tells how long it takes at the rate of the account, or of the campaign", async () => {
    const csv = listOf(Array.from({ length: 1000 }, (_, at) => `u${at}@real.com`));
    expect(await preflight(await stackWith({}, csv))).toMatchObject({ estimatedSeconds: 2 });
    const slow = { settings: { batchSize: 10, requestsPerSecond: 0.5 } };
    const seconds = Math.ceil(200 * SLOT_SPACING);
    expect(await preflight(await stackWith(slow, csv))).toMatchObject({
      estimatedSeconds: seconds,
    });
  });
});

describe("merge fields without a value", () => {
  const csv = `email,id,firstName,plan\n${[
    "a@real.com,with,Ada,pro",
    "b@real.com,empty,,free",
    "c@real.com,zero,0,pro",
  ].join("\n")}\n`;
  const json = {
    recipients: [
      { id: "absent", email: "d@real.com" },
      { id: "null", email: "e@real.com", data: { firstName: null, plan: "free" } },
      { id: "number", email: "f@real.com", data: { firstName: 0, plan: "free" } },
    ],
  };

  async function withBoth(campaign: object): Promise<NodeStack> {
    const stack = await stackWith(campaign, csv);
    await stack.json("POST", `${SPRING}/recipients`, json);
    return stack;
  }

  it.each([
    ["subject", { subject: "Hi {{ firstName }}" }],
    ["html", { html: "<p>{{ firstName }}</p>{{ unsubscribeUrl }}" }],
    ["text", { text: "Hi {{ firstName }}" }],
    [
      "subject and html and text",
      { subject: "{{ firstName }}", html: "{{ firstName }}", text: "{{ firstName }}" },
    ],
    [
      "html",
      { subject: "{{ firstName | default: 'Hi' }}", html: "{{ firstName }}{{ unsubscribeUrl }}" },
    ],
  ])(
    "C73: in %s name the recipients they hit, and the start is refused",
    async (part, campaign) => {
      const stack = await withBoth(campaign);
      const { ok, errors, willBeMailed } = await preflight(stack);
      expect({ ok, willBeMailed }).toEqual({ ok: false, willBeMailed: 6 });
      expect(errors).toEqual([
        {
          code: "missingField",
          field: "firstName",
          detail: expect.stringContaining(`"firstName" in ${part} is empty`),
          count: 3,
          recipients: ["empty", "absent", "null"],
        },
      ]);
      const refused = await stack.ask("POST", `${SPRING}/start`);
      expect(refused.status).toBe(409);
      expect(await problemOf(refused)).toMatchObject({ code: "preflightFailed", errors });
      expect(await stack.json("GET", SPRING)).toMatchObject({ state: "draft" });
    },
  );

  it("C73: with a default in each part stop nobody", async () => {
    const name = "{{ firstName | default: 'you' }}";
    const html = `${name} {{ unsubscribeUrl }}`;
    const stack = await withBoth({ subject: name, html, text: name });
    expect(await preflight(stack)).toMatchObject({ ok: true, errors: [] });
    expect(await stack.json("POST", `${SPRING}/start`)).toMatchObject({ state: "sending" });
  });

  it("are not missed by those who don't get to see them", async () => {
    const text = "{% if plan == 'pro' %}{{ firstName }}{% endif %}";
    expect(await preflight(await withBoth({ text }))).toMatchObject({ ok: true });
    const others = "{% unless plan == 'pro' %}{{ firstName }}{% endunless %}";
    const { errors } = await preflight(await withBoth({ text: others }));
    expect(errors).toMatchObject([{ recipients: ["empty", "absent", "null"] }]);
  });

  it("are named all, not only the first of each mail", async () => {
    const text = "{{ firstName }} {{ nick }} {{ home.city }} {{ 'x' | append: suffix }}";
    const { errors } = await preflight(await withBoth({ text }));
    expect(errors.map(({ field, count }) => [field, count])).toEqual([
      ["nick", 6],
      ["home.city", 6],
      ["suffix", 6],
      ["firstName", 3],
    ]);
  });

  it("name a hundred recipients, and count all", async () => {
    const many = listOf(Array.from({ length: 2500 }, (_, at) => `u${at}@real.com`));
    const [error] = (await preflight(await stackWith({ text: "{{ firstName }}" }, many))).errors;
    expect(error).toMatchObject({ count: 2500 });
    expect(error?.recipients).toHaveLength(NAMED_BY_PREFLIGHT);
  });

  it("of suppressed recipients are nobody's trouble", async () => {
    const stack = await withBoth({ text: "{{ firstName }}" });
    const addresses = ["b@real.com", "d@real.com", "e@real.com"];
    await stack.json("PUT", "/api/suppressions", { addresses });
    expect(await preflight(stack)).toMatchObject({ ok: true, willBeMailed: 3 });
  });

  it("are not all there is: what else can't be rendered is named too", async () => {
    const stack = await stackWith({ subject: "{{ lines }}" }, "");
    const recipients = [{ id: "list", email: "a@real.com", data: { lines: { a: 1 } } }];
    await stack.json("POST", `${SPRING}/recipients`, { recipients });
    const { errors } = await preflight(stack);
    expect(errors).toMatchObject([{ code: "templateFault", count: 1, recipients: ["list"] }]);
  });
});

describe("errors and warnings", () => {
  it("warn where there is nobody to mail", async () => {
    const { ok, warnings } = await preflight(await stackWith({}, ""));
    expect(ok).toBe(true);
    expect(warnings).toMatchObject([{ code: "noRecipients" }]);
  });

  it("a request too large to hold is an error, with the batch size that fits", async () => {
    const html = `${"<p>word</p>".repeat(30_000)}{{ unsubscribeUrl }}`;
    const stack = await stackWith({ html, text: "short" });
    const { errors } = await preflight(stack);
    expect(errors).toMatchObject([{ code: "oversizedRequest" }]);
    expect(errors[0]?.detail).toContain("set settings.batchSize to 72");
    expect((await stack.ask("POST", `${SPRING}/start`)).status).toBe(409);
    await stack.json("PATCH", SPRING, { settings: { batchSize: 72 } });
    expect(await codesOf(stack)).toEqual([[], ["largeHtml"]]);
    expect(await stack.json("POST", `${SPRING}/start`)).toMatchObject({ state: "sending" });
  });

  it.each([
    ["missingUnsubscribeLink", { html: "<p>Hello</p>" }],
    ["missingUnsubscribeLink", { html: null, text: "Hello" }],
    ["freeMailSender", { from: "ada@gmail.com" }],
    ["freeMailSender", { from: "Ada <ada@GMX.de>" }],
    ["specialUseSender", { from: "Shop <news@shop.example>" }],
    ["specialUseSender", { from: "news@example.com" }],
  ])("%s for %j", async (code, campaign) => {
    const stack = await stackWith(campaign);
    expect(await codesOf(stack)).toEqual([[], [code]]);
    expect(await stack.json("POST", `${SPRING}/start`)).toMatchObject({ state: "sending" });
  });

  it("a campaign without unsubscribe links needs none in its html", async () => {
    const campaign = { unsubscribe: false, html: "<p>Your invoice</p>" };
    expect(await codesOf(await stackWith(campaign))).toEqual([[], []]);
  });

  it("recipients at domains that the provider refuses are counted and named", async () => {
    const csv = "email,id\na@example.com,u_1\nb@mail.test,u_2\nc@real.com,u_3\n";
    const { ok, warnings } = await preflight(await stackWith({}, csv));
    expect(ok).toBe(true);
    expect(warnings).toMatchObject([
      { code: "specialUseRecipients", count: 2, recipients: ["u_1", "u_2"] },
    ]);
  });

  it("the rows are read in pages, and only once where all are alike", async () => {
    const csv = listOf(Array.from({ length: 5000 }, (_, at) => `u${at}@real.com`));
    const stack = await stackWith({}, csv);
    const campaign = stack.campaign("spring");
    const limits: number[] = [];
    const recipients = campaign.recipients.bind(campaign);
    campaign.recipients = (query) => {
      limits.push(query.limit);
      return recipients(query);
    };
    await preflight(stack);
    expect(limits).toEqual([2000, 2000, 2000]);
    await stack.json("POST", `${SPRING}/start`);
    expect(limits.slice(3)).toEqual([1]);
  });
});

function listOf(addresses: readonly string[]): string {
  return `email\n${addresses.join("\n")}\n`;
}
