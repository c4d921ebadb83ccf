import { describe, expect, it } from "vitest";
import { CALLS, type CallName } from "../../../src/client/calls.ts";
import {
  resultOf,
  SendonceClient,
  SendonceProblem,
  SendonceUnreachable,
} from "../../../src/client/client.ts";
import { statusOf } from "../cli/status.ts";
import { jsonResponse, noNetwork, problemResponse, rig } from "./rig.ts";

const unavailable = () => problemResponse(503, "unavailable", 1);
const status = () => jsonResponse(statusOf());

/** One call of each name, as its callers make it. */
const MAKE: Readonly<Record<Exclude<CallName, "watch">, (client: SendonceClient) => unknown>> = {
  create: (client) => client.create({ id: "c", name: "C" }),
  campaigns: (client) => client.campaigns().page(),
  campaign: (client) => client.campaign("c"),
  change: (client) => client.change("c", { name: "D" }),
  erase: (client) => client.erase("c"),
  upload: (client) => client.upload("c", { body: "email\n", format: "text/csv" }),
  enrolSegment: (client) => client.enrolSegment("c", { segment: "active" }),
  recipients: (client) => client.recipients("c").page(),
  exportRecipients: (client) => client.exportRecipients("c"),
  recipient: (client) => client.recipient("c", "u_1"),
  preview: (client) => client.preview("c"),
  preflight: (client) => client.preflight("c"),
  sendTest: (client) => client.sendTest("c", { to: ["a@b.example"] }),
  start: (client) => client.start("c"),
  pause: (client) => client.pause("c"),
  resume: (client) => client.resume("c"),
  cancel: (client) => client.cancel("c"),
  finish: (client) => client.finish("c"),
  replay: (client) => client.replay("c", { recipients: "failed" }),
  resolve: (client) => client.resolve("c", { ids: ["u_1"], as: "sent" }),
  reconcile: (client) => client.reconcile("c"),
  deliveryStatus: (client) => client.deliveryStatus("c"),
  deadLetters: (client) => client.deadLetters("c").page(),
  events: (client) => client.events("c").page(),
  reserve: (client) => client.reserve("c", { reservationId: "m", limit: 1 }),
  report: (client) => client.report("c", "m", { token: 1, results: [] }),
  suppressions: (client) => client.suppressions().page(),
  exportSuppressions: (client) => client.exportSuppressions(),
  importSuppressions: (client) => client.importSuppressions("address\n"),
  suppress: (client) => client.suppress(["a@b.example"]),
  allow: (client) => client.allow("a@b.example"),
  person: (client) => client.person("a@b.example"),
  erasePerson: (client) => client.erasePerson("a@b.example"),
  health: (client) => client.health(),
  metrics: (client) => client.metrics(),
};
const EACH = Object.entries(MAKE).map(([name, make]) => {
  const { repeat } = CALLS[name as CallName];
  return { name, make, tries: repeat === "never" ? 1 : 2 };
});

describe("a call that fails in passing", () => {
  it.each(EACH)("$name is made $tries time(s) where its answer is lost", async (each) => {
    const { client, clock, made } = rig([noNetwork, status]);
    const end = Promise.resolve(each.make(client)).then(
      () => "answered",
      (error: unknown) => (error as SendonceUnreachable).reason,
    );
    if (each.tries > 1) {
      expect(await clock.ring()).toBe(250);
    }
    expect(await end).toBe(each.tries > 1 ? "answered" : "noAnswer");
    expect(made).toHaveLength(each.tries);
  });

  it("a create without an id is not repeated, since each would make a campaign", async () => {
    const { client, made } = rig([noNetwork, status]);
    const error = await client.create({ name: "C" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "unreachable", reason: "noAnswer", status: null });
    expect(made).toHaveLength(1);
  });

  it("waits as long as the server asks, and longer each time where it does not", async () => {
    const { client, clock, made } = rig([
      () => problemResponse(429, "overloaded", 7),
      () => problemResponse(503, "unavailable"),
      noNetwork,
      status,
    ]);
    const end = client.pause("c");
    expect([await clock.ring(), await clock.ring(), await clock.ring()]).toEqual([7000, 500, 1000]);
    expect(await end).toMatchObject({ campaignId: "spring" });
    expect(made).toHaveLength(4);
  });

  it("gives up after four tries, with the last error", async () => {
    const { client, clock, made } = rig([unavailable]);
    const end = resultOf(client.deliveryStatus("c"));
    for (let tries = 1; tries < 4; tries += 1) await clock.ring();
    expect(await end).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(made).toHaveLength(4);
  });

  it("waits until the date that the server or a proxy names, by the clock of that", async () => {
    const headers = {
      "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT",
      date: "Sun, 06 Nov 1994 08:49:30 GMT",
    };
    const { client, clock } = rig([() => new Response("wait", { status: 503, headers }), status]);
    const end = client.pause("c");
    expect(await clock.ring()).toBe(7000);
    expect(await end).toMatchObject({ campaignId: "spring" });
  });

  it("does not wait for a server that asks for more than half a minute", async () => {
    const { client, made } = rig([() => problemResponse(503, "notConfigured", 60), status]);
    const result = await resultOf(client.deliveryStatus("c"));
    expect(result).toMatchObject({ error: { code: "notConfigured", retryAfterSeconds: 60 } });
    expect(made).toHaveLength(1);
  });

  it.each([
    ["a refusal", () => problemResponse(409, "wrongState")],
    ["a fault of the server", () => problemResponse(500, "internal")],
    ["a page with 200", () => new Response("<h1>Welcome</h1>")],
    ["JSON that is no object", () => new Response("null")],
  ])("%s is not asked again", async (_, answer) => {
    const { client, made } = rig([answer]);
    expect((await resultOf(client.pause("c"))).ok).toBe(false);
    expect(made).toHaveLength(1);
  });

  it("an error page of a proxy is asked again where that is safe", async () => {
    const { client, clock } = rig([
      () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
      status,
    ]);
    const end = client.pause("c");
    await clock.ring();
    expect(await end).toMatchObject({ campaignId: "spring" });
  });

  it("a reservation is asked for again under the same claim, and drawn anew for the next", async () => {
    const { client, clock, made } = rig([noNetwork, status]);
    const ask = { reservationId: "m", limit: 1 };
    const end = client.reserve("c", ask);
    await clock.ring();
    await end;
    await client.reserve("c", ask);
    await client.reserve("c", ask, { claim: "mine" });
    const claims = made.map(
      ({ init }) => (init.headers as Record<string, string>)["idempotency-key"],
    );
    expect(claims).toEqual(["claim-1", "claim-1", "claim-2", "mine"]);
  });
});

describe("limits of time, and aborts", () => {
  it("a try that takes too long is ended, and says so", async () => {
    const { client, clock, made } = rig([() => "hang"], { tries: 1 });
    const end = resultOf(client.start("c", {}, { timeoutSeconds: 5 }));
    expect(await clock.ring()).toBe(5000);
    expect(await end).toMatchObject({ error: { kind: "unreachable", reason: "timedOut" } });
    expect(made[0]?.init.signal?.aborted).toBe(true);
  });

  it("an answer that breaks off was no answer", async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (body) => body.error(new Error("connection reset")),
    });
    const { client } = rig([() => new Response(broken)], { tries: 1 });
    expect(await resultOf(client.deliveryStatus("c"))).toMatchObject({
      error: { reason: "noAnswer", message: "the answer broke off" },
    });
  });

  it("an abort throws its own reason: before, during the call, and in the wait between two", async () => {
    const why = new Error("the page was left");
    const before = rig([status]);
    const aborted = AbortSignal.abort(why);
    await expect(before.client.pause("c", { signal: aborted })).rejects.toBe(why);
    expect(before.made).toEqual([]);

    const during = new AbortController();
    const call = rig([() => "hang"]).client.pause("c", { signal: during.signal });
    during.abort(why);
    await expect(resultOf(call)).rejects.toBe(why);

    const between = new AbortController();
    const { client, clock, made } = rig([noNetwork]);
    const waiting = client.pause("c", { signal: between.signal });
    while (clock.waits[0] !== 250) await new Promise((resolve) => setImmediate(resolve));
    between.abort(why);
    await expect(waiting).rejects.toBe(why);
    expect([made.length, clock.waits]).toEqual([1, []]);
  });

  it("the client's own signal ends whatever call is under way, and those that come later", async () => {
    const why = new Error("the program ends");
    const ending = new AbortController();
    const { client, made } = rig([() => "hang"], { signal: ending.signal });
    const call = resultOf(client.deliveryStatus("c"));
    ending.abort(why);
    await expect(call).rejects.toBe(why);
    await expect(resultOf(client.pause("c"))).rejects.toBe(why);
    expect(made).toHaveLength(1);
  });

  it("a file can be aborted while it is read", async () => {
    const ending = new AbortController();
    const { client, made } = rig([() => new Response("id,email\r\n")]);
    await client.exportRecipients("c", {}, { signal: ending.signal });
    ending.abort();
    expect(made[0]?.init.signal?.aborted).toBe(true);
  });
});

describe("what goes out", () => {
  it("a token as a bearer, and nothing where the session's cookie speaks", async () => {
    const { client, made } = rig([status]);
    await client.deliveryStatus("c");
    expect(made[0]?.init.headers).toEqual({ authorization: "Bearer secret" });
    const page = new SendonceClient({
      url: "https://mail.test",
      fetch: async (_, init) => jsonResponse({ headers: init?.headers ?? null }),
    });
    expect(await page.health()).toEqual({ headers: {} });
  });

  it("refuses an address that is none, and an id that would name another path", () => {
    expect(() => new SendonceClient({ url: "mail.test", token: "t" })).toThrow("https://");
    const { client, made } = rig([status]);
    for (const id of ["", ".", ".."]) expect(() => client.pause(id)).toThrow(TypeError);
    expect(made).toEqual([]);
  });
});

describe("the errors", () => {
  it("a code that only a newer server has is unknown, and told in the body", async () => {
    const { client } = rig([() => problemResponse(409, "tooWindy")]);
    const result = await resultOf(client.pause("c"));
    expect(result).toMatchObject({
      error: {
        kind: "problem",
        code: "unknown",
        detail: "It is tooWindy.",
        body: { code: "tooWindy" },
      },
    });
  });

  it("resultOf gives what went well, and throws what is no failure of a call", async () => {
    expect(await resultOf(Promise.resolve(7))).toEqual({ ok: true, value: 7 });
    const bug = new RangeError("a bug");
    await expect(resultOf(Promise.reject(bug))).rejects.toBe(bug);
    const refusal = new SendonceProblem(409, {}, null);
    expect(await resultOf(Promise.reject(refusal))).toEqual({ ok: false, error: refusal });
    const lost = new SendonceUnreachable("noAnswer", "gone");
    expect(await resultOf(Promise.reject(lost))).toMatchObject({ error: { detail: "gone" } });
  });
});

function tagged(etag = '"a"'): Response {
  const answer = jsonResponse({ id: "c" });
  answer.headers.set("etag", etag);
  return answer;
}

describe("a change of what was read", () => {
  it("names its tag, and is not repeated by itself", async () => {
    const { client, made } = rig([unavailable]);
    const change = client.change("c", { name: "D" }, { ifMatch: '"a"', timeoutSeconds: 5 });
    expect(await resultOf(change)).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(made).toHaveLength(1);
    expect(made[0]?.init.headers).toMatchObject({ "if-match": '"a"' });
  });

  it("has the tag from the reading, or hears that there is none", async () => {
    const value = { id: "c" };
    expect(await rig([() => tagged()]).client.taggedCampaign("c")).toEqual({ value, etag: '"a"' });
    // What was compressed on its way comes with a weak tag, which would match nothing later.
    const weakened = rig([() => tagged('W/"a"')]).client.taggedCampaign("c");
    expect(await weakened).toEqual({ value, etag: '"a"' });
    const older = rig([() => jsonResponse(value)]).client.taggedCampaign("c");
    await expect(older).rejects.toThrow("the server is older");
  });
});
