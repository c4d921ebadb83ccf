/** Time, and the way to the ledger. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  accepted,
  createConsumer,
  httpCampaign,
  NotAccepted,
  rpcCampaign,
  type CampaignPort,
  type CampaignStub,
  type Send,
  type SendResult,
} from "../../../src/consumer/consumer.ts";
import { NodeStack, TOKEN } from "../../support/node-stack.ts";
import { never, people } from "./campaign.ts";

const GRANT = {
  granted: true,
  token: 1,
  leaseMilliseconds: 60_000,
  idempotencyKey: "spring:1",
  recipients: people("a"),
  skipped: [],
} as const;

const refused = { granted: false, reason: "paused", skipped: [], retryAfterSeconds: 30 };

const send = async (): Promise<SendResult[]> => [{ id: "a", outcome: "sent" }];
const message = { id: "m1", recipients: people("a") };
const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ code, detail: `it is ${code}` }), { status });

/** Handles the message while time goes by as fast as it can. */
async function hurried(campaign: CampaignPort, attempts = 1, sends: Send = send) {
  const consumer = createConsumer({ campaign, send: sends });
  const deciding = consumer.handle({ ...message, attempts });
  const ends: unknown[] = [];
  const over = () => void ends.push(null);
  deciding.then(over, over);
  while (ends.length === 0) {
    await vi.advanceTimersByTimeAsync(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return deciding;
}

function stubFailing(error: Error): CampaignStub {
  const reserve = async () => {
    throw error;
  };
  return { reserve, report: never };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the deadline of a send", () => {
  it("comes two seconds before the lease's end; what the send says later is told", async () => {
    const told: unknown[] = [];
    const campaign: CampaignPort = {
      reserve: async () => GRANT,
      report: async (ask) => {
        told.push(ask.told);
        return true;
      },
    };
    const late = Promise.withResolvers<SendResult[]>();
    let aborted: AbortSignal | undefined;
    const consumer = createConsumer({
      campaign,
      send: ({ signal }) => {
        aborted = signal;
        return late.promise;
      },
    });
    const handled = consumer.handle(message);
    await vi.advanceTimersByTimeAsync(57_900);
    expect([told, aborted?.aborted]).toEqual([[], false]);
    await vi.advanceTimersByTimeAsync(200);
    expect(aborted?.aborted).toBe(true);
    expect(await handled).toMatchObject({ action: "retry", reason: "unknown" });
    expect(told).toMatchObject([{ kind: "unknown" }]);
    late.resolve([{ id: "a", outcome: "sent", providerId: "x" }]);
    await vi.advanceTimersByTimeAsync(0);
    expect(told[1]).toEqual({
      kind: "results",
      results: [{ id: "a", outcome: "sent", providerId: "x" }],
    });
  });

  it("C09: a delivery that is told that its lease is gone stops, and comes again", async () => {
    const mailed: string[] = [];
    let reports = 0;
    const campaign: CampaignPort = {
      reserve: async () => ({ ...GRANT, recipients: people("a", "b", "c") }),
      report: async () => {
        reports += 1;
        return reports < 2;
      },
    };
    const consumer = createConsumer({
      campaign,
      send: async function* ({ recipients }) {
        for (const { id } of recipients) {
          mailed.push(id);
          yield { id, outcome: "failed", reason: "550" };
        }
      },
    });
    const decision = await consumer.handle({ id: "m1", recipients: people("a", "b", "c") });
    expect(decision).toMatchObject({ action: "retry", reason: "staleToken", afterSeconds: 2 });
    expect(mailed).toEqual(["a", "b"]);
  });

  it("a message whose report came after the lease is not acknowledged for it", async () => {
    const campaign: CampaignPort = {
      reserve: async () => GRANT,
      report: async () => {
        await vi.advanceTimersByTimeAsync(61_000);
        return true;
      },
    };
    const decision = await createConsumer({ campaign, send }).handle(message);
    expect(decision).toMatchObject({ action: "retry", reason: "staleToken" });
  });

  it("a lease that is over before the send is not used", async () => {
    const report = vi.fn<CampaignPort["report"]>(async () => true);
    const unused = vi.fn<() => Promise<SendResult[]>>(never);
    const campaign: CampaignPort = {
      reserve: async () => ({ ...GRANT, leaseMilliseconds: 1_900 }),
      report,
    };
    const consumer = createConsumer({ campaign, send: unused });
    const decision = await consumer.handle(message);
    expect(decision).toMatchObject({ action: "retry", reason: "deferred" });
    expect(unused).not.toHaveBeenCalled();
    expect(report.mock.calls[0]?.[0].told).toMatchObject({ kind: "deferred" });
  });

  it("is counted by the server's clock where the server says it", async () => {
    const serverNow = Date.UTC(2030, 0, 1);
    const body = { ...GRANT, leaseMilliseconds: undefined, expiresAt: "2030-01-01T00:02:00Z" };
    const headers = { date: new Date(serverNow).toUTCString() };
    const campaign = httpCampaign({
      url: "https://mail.test",
      token: TOKEN,
      campaignId: "spring",
      fetch: async () => new Response(JSON.stringify(body), { headers }),
    });
    const grant = await campaign.reserve({ reservationId: "m", claim: "c", wanted: { limit: 1 } });
    expect(grant).toMatchObject({ granted: true, leaseMilliseconds: 119_000 });
  });
});

describe("trouble on the way to the ledger", () => {
  const options = { url: "https://mail.test", token: TOKEN, campaignId: "spring" };
  it.each([
    ["no answer", () => Promise.reject(new TypeError("fetch failed")), 4],
    ["a proxy", async () => new Response("<html>", { status: 502 }), 4],
    ["unavailable", async () => problem(503, "unavailable"), 4],
    ["overloaded", async () => problem(503, "overloaded"), 1],
    ["an unknown token", async () => problem(401, "unknownToken"), 1],
    ["no such campaign", async () => problem(404, "campaignNotFound"), 1],
    ["a managed campaign", async () => problem(409, "wrongDelivery"), 1],
  ])("%s: the message comes again, later each time", async (_, answer, asked) => {
    const ask = vi.fn<() => Promise<Response>>(answer);
    const first = await hurried(httpCampaign({ ...options, fetch: ask }));
    expect(first).toMatchObject({ action: "retry", reason: "trouble", afterSeconds: 2 });
    expect(ask).toHaveBeenCalledTimes(asked);
    const fifth = await hurried(httpCampaign({ ...options, fetch: ask }), 5);
    expect(fifth).toMatchObject({ action: "retry", afterSeconds: 32 });
  });

  const granted = { ...GRANT, leaseMilliseconds: undefined, expiresAt: "2036-01-01T00:00:00Z" };
  it.each([
    ["null", null],
    ["a list", []],
    ["an empty object", {}],
    ["a page of JSON of somebody else", { ok: true }],
    ["a grant without a lease", { ...granted, expiresAt: undefined }],
    ["a grant until no time", { ...granted, expiresAt: "soon" }],
    ["a grant without a token", { ...granted, token: undefined }],
    ["a grant without a key", { ...granted, idempotencyKey: 7 }],
    ["a grant to nobody named", { ...granted, recipients: [{ id: "a" }] }],
    ["a grant that leaves out who was skipped", { ...granted, skipped: undefined }],
    ["a refusal that says nothing", { granted: false }],
    ["a reason of a later release", { ...refused, reason: "moonIsFull" }],
  ])("%s is no answer, and nobody is mailed for it", async (_, body) => {
    const unused = vi.fn<() => Promise<SendResult[]>>(never);
    const fetched = async () => new Response(JSON.stringify(body));
    const campaign = httpCampaign({ ...options, fetch: fetched });
    const decision = await hurried(campaign, 1, unused);
    expect(decision).toMatchObject({ action: "retry", reason: "trouble" });
    expect(unused).not.toHaveBeenCalled();
  });

  it("wherever an answer is cut off, the message is no settled one", async () => {
    const whole = JSON.stringify(granted);
    for (let length = 0; length < whole.length; length += 1) {
      const fetched = async () => new Response(whole.slice(0, length));
      const campaign = httpCampaign({ ...options, fetch: fetched });
      expect(await hurried(campaign)).toMatchObject({ action: "retry", reason: "trouble" });
    }
  });

  it("a page with 200 in place of a report's answer is asked again, and settles nothing", async () => {
    let reports = 0;
    const fetched: typeof fetch = async (input) => {
      if (!(input as string).endsWith("/report")) return new Response(JSON.stringify(granted));
      reports += 1;
      return reports < 3 ? new Response("<h1>Sign in</h1>") : new Response('{"stats":{}}');
    };
    const campaign = httpCampaign({ ...options, fetch: fetched });
    expect(await hurried(campaign)).toMatchObject({ action: "ack", reason: "settled" });
    expect(reports).toBe(3);
  });

  it.each([
    [Number.NaN, null],
    [-1, null],
    [Number.POSITIVE_INFINITY, 86_400],
    [2.5, 2.5],
  ])(
    "a provider that asks for %s seconds is reported as one that asks for %s",
    async (asks, told) => {
      const report = vi.fn<CampaignPort["report"]>(async () => true);
      const turnedAway = async (): Promise<SendResult[]> => {
        throw new NotAccepted("slow down", { retryAfterSeconds: asks });
      };
      const campaign = { reserve: async () => GRANT, report };
      expect(await hurried(campaign, 1, turnedAway)).toMatchObject({ reason: "deferred" });
      expect(report.mock.calls[0]?.[0].told).toMatchObject({ retryAfterSeconds: told });
    },
  );

  it("a number of deliveries that is none counts as the first", async () => {
    const campaign = httpCampaign({ ...options, fetch: async () => problem(503, "overloaded") });
    expect(await hurried(campaign, Number.NaN)).toMatchObject({ afterSeconds: 2 });
  });

  it("waits as long as an overloaded server asks", async () => {
    const answer = problem(503, "overloaded");
    answer.headers.set("retry-after", "5");
    const decision = await hurried(httpCampaign({ ...options, fetch: async () => answer }));
    expect(decision).toMatchObject({ afterSeconds: 5, detail: "overloaded: it is overloaded" });
  });

  it("an object that was reset is asked by a new stub, an overloaded one is not", async () => {
    let stubs = 0;
    const failing = (error: Error) => () => {
      stubs += 1;
      return stubFailing(error);
    };
    await hurried(rpcCampaign(failing(new Error("reset"))));
    expect(stubs).toBe(4);
    await hurried(rpcCampaign(failing(Object.assign(new Error("busy"), { overloaded: true }))));
    expect(stubs).toBe(5);
  });

  it.each(["notFound", "wrongDelivery"])("a %s of the object is told in words", async (code) => {
    const stub = { reserve: async () => ({ ok: false, refusal: { code } }) };
    const decision = await hurried(rpcCampaign(() => stub as unknown as CampaignStub));
    expect(decision.detail).toMatch(/^(notFound: there is no|wrongDelivery: the campaign's)/);
  });

  it("a report is told for as long as the lease runs", async () => {
    let tries = 0;
    const stack = new NodeStack();
    stack.now = Date.now();
    const draft = { id: "spring", name: "Spring", delivery: "external" };
    await stack.json("POST", "/api/campaigns", draft);
    await stack.json("POST", "/api/campaigns/spring/start", {});
    const campaign = httpCampaign({
      ...options,
      fetch: async (input, init) => {
        const url = input as string;
        if (!url.endsWith("/report")) return stack.fetch(url, init as RequestInit);
        tries += 1;
        if (tries < 10) throw new TypeError("fetch failed");
        if (tries < 20) return problem(503, tries % 2 === 0 ? "unavailable" : "overloaded");
        return stack.fetch(url, init as RequestInit);
      },
    });
    expect(await hurried(campaign)).toMatchObject({ action: "ack", reason: "settled" });
    expect(tries).toBe(20);
  });
});

describe("accepted", () => {
  it("gives back what was accepted", async () => {
    const response = new Response("{}");
    expect(await accepted(response)).toBe(response);
  });

  it.each([
    [429, "7", 7],
    [429, "Wed, 21 Oct 2026 07:28:30 GMT", 30],
    [429, "Wed, 21 Oct 2026 07:27:00 GMT", 0],
    [429, "soon", null],
    [429, "", null],
    [429, "0x10", null],
    [401, null, null],
    [403, null, null],
  ])("%s with retry-after %s was turned away", async (status, header, seconds) => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    const headers: Record<string, string> = header === null ? {} : { "retry-after": header, date };
    const error = await accepted(new Response("no", { status, headers })).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(NotAccepted);
    expect(error).toMatchObject({ retryAfterSeconds: seconds });
  });

  it.each([400, 408, 409, 422, 500, 502, 503, 504])("%s may have been accepted", async (status) => {
    const error = await accepted(new Response("no", { status })).catch((e: unknown) => e);
    expect(error).not.toBeInstanceOf(NotAccepted);
    expect(error).toMatchObject({ message: `the provider answered ${status}: no` });
  });
});
