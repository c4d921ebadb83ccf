/** The provider over the wire, against the stand-in: what each fault is to the ledger. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Seq } from "../../../src/domain/ids.ts";
import type { AttemptOutcome } from "../../../src/domain/outcome.ts";
import type { Email, EmailProvider, SendRequest } from "../../../src/provider/port.ts";
import { resendProvider } from "../../../src/provider/resend-provider.ts";
import { startStandIn, type StandIn } from "../../stand-in/server.ts";
import { StandInControl } from "../../support/stand-in-client.ts";

const PATIENT_MILLISECONDS = 60_000;
let standIn: StandIn | undefined;
let control: StandInControl;
let provider: EmailProvider;

beforeAll(async () => {
  standIn = await startStandIn();
  control = new StandInControl(standIn.url);
  provider = resendProvider({
    apiKey: "re_test",
    baseUrl: standIn.url,
    version: "0.0.0-test",
    now: () => 0,
  });
});
beforeEach(() => control.reset());
afterAll(() => standIn?.close());

function email(to: string): Email {
  return { from: "Ada <ada@acme.test>", to, subject: "Hello", html: "<p>Hello</p>" };
}

function request(key: string, count = 10, timeout = PATIENT_MILLISECONDS): SendRequest {
  const places = Array.from({ length: count }, (_, index) => index + 1);
  return {
    idempotencyKey: key,
    emails: places.map((place) => email(`p${place}@a.test`)),
    seqs: places as Seq[],
    timeoutMilliseconds: timeout,
  };
}

/** Place in the request → id, of an answer in which all are sent. */
function idsOf(outcome: AttemptOutcome): readonly unknown[] {
  if (outcome.kind !== "answered") throw new Error(`expected an answer: ${outcome.kind}`);
  return outcome.results.map((result) => (result.outcome === "sent" ? result.providerId : null));
}

describe("a call that is accepted", () => {
  it("gives each member its id", async () => {
    const outcome = await provider.sendBatch(request("c:1", 100));
    const log = await control.log("accepted");
    expect(idsOf(outcome)).toEqual(log.map(({ id }) => id));
    expect(log.map(({ to }) => to)).toEqual(request("c:1", 100).emails.map(({ to }) => to));
  });

  it("may be of one mail", async () => {
    expect(idsOf(await provider.sendBatch(request("c:1", 1)))).toHaveLength(1);
  });

  it("C12: carries its own key, one after the other and both at once", async () => {
    await provider.sendBatch(request("c:1"));
    await provider.sendBatch(request("c:2"));
    await Promise.all([provider.sendBatch(request("c:3")), provider.sendBatch(request("c:4"))]);
    const keys = (await control.log("request")).map(({ key }) => key);
    expect(keys.slice(0, 2)).toEqual(["c:1", "c:2"]);
    expect(new Set(keys.slice(2))).toEqual(new Set(["c:3", "c:4"]));
  });

  it("C28, C29: fails the refused member alone, with its own reason", async () => {
    await control.configure({ refuseAddresses: ["p3@a.test"] });
    const outcome = await provider.sendBatch(request("c:1", 5));
    const log = await control.log("accepted");
    expect(outcome).toMatchObject({
      kind: "answered",
      results: [
        { seq: 1, outcome: "sent", providerId: log[0]?.id },
        { seq: 2, outcome: "sent", providerId: log[1]?.id },
        { seq: 3, outcome: "failed", reason: expect.stringContaining("Invalid `to` field") },
        { seq: 4, outcome: "sent", providerId: log[2]?.id },
        { seq: 5, outcome: "sent", providerId: log[3]?.id },
      ],
    });
  });
});

describe("a call whose answer is lost", () => {
  it.each([
    "acceptThenDrop",
    "acceptThenHalf",
    "acceptThenHtml",
    "acceptThenEmpty",
    "acceptThenBraces",
    "acceptThen500",
    "wrongCount",
  ])("C02, C29, C30: %s is unknown; the same key gets the ids of the one mail", async (kind) => {
    await control.fault({ do: kind, match: { address: "p7@a.test" } });
    expect(await provider.sendBatch(request("c:1"))).toMatchObject({
      kind: "unknown",
      repeat: true,
    });
    const repeated = idsOf(await provider.sendBatch(request("c:1")));
    expect(repeated).toEqual((await control.log("accepted")).map(({ id }) => id));
    expect(await control.counts()).toMatchObject({ accepted: 10, duplicates: 0, replays: 1 });
  });

  it.each(["dropBefore", "answer500"])("%s is unknown too, though nothing went", async (kind) => {
    await control.fault({ do: kind });
    expect(await provider.sendBatch(request("c:1"))).toMatchObject({
      kind: "unknown",
      repeat: true,
    });
    expect(idsOf(await provider.sendBatch(request("c:1")))).toHaveLength(10);
    expect(await control.counts()).toMatchObject({ accepted: 10, duplicates: 0 });
  });

  it("C02: is unknown when it takes too long, and the repeat gets the ids", async () => {
    await control.fault({ do: "acceptThenHang" });
    // A real time-out: the hanging answer never comes, so any length of it ends the same.
    const outcome = await provider.sendBatch(request("c:1", 10, 1_000));
    expect(outcome).toMatchObject({ kind: "unknown", repeat: true, retryAfterSeconds: null });
    await control.post("release");
    expect(idsOf(await provider.sendBatch(request("c:1")))).toHaveLength(10);
    expect(await control.counts()).toMatchObject({ accepted: 10, duplicates: 0 });
  });

  it("is unknown when nobody listens", async () => {
    const nobody = { apiKey: "re_test", baseUrl: "http://127.0.0.1:1", version: "0", now: () => 0 };
    const outcome = await resendProvider(nobody).sendBatch(request("c:1"));
    expect(outcome).toMatchObject({ kind: "unknown", repeat: true });
  });
});

describe("a call that is put off", () => {
  it.each([401, 403])("C25: %d pauses for providerAuth and fails nobody", async (status) => {
    const answer = { status, name: "restricted_api_key", message: "This API key is restricted." };
    await control.configure({ answer });
    expect(await provider.sendBatch(request("c:1"))).toEqual({
      kind: "deferred",
      reason: `${status} restricted_api_key: This API key is restricted.`,
      retryAfterSeconds: null,
      pause: "providerAuth",
    });
  });

  it("pauses for senderRefused when the domain is not verified", async () => {
    const message = "The acme.test domain is not verified.";
    await control.configure({ answer: { status: 403, name: "validation_error", message } });
    expect(await provider.sendBatch(request("c:1"))).toMatchObject({
      kind: "deferred",
      pause: "senderRefused",
    });
  });

  it("C52: the daily quota pauses for providerQuota, and nobody is accepted", async () => {
    await control.configure({ dailyQuota: 15 });
    expect(idsOf(await provider.sendBatch(request("c:1")))).toHaveLength(10);
    expect(await provider.sendBatch(request("c:2"))).toMatchObject({
      kind: "deferred",
      pause: "providerQuota",
    });
    await control.configure({ dailyQuota: null });
    expect(idsOf(await provider.sendBatch(request("c:2")))).toHaveLength(10);
  });

  it("C22: the rate limit waits as long as it asks, without a pause", async () => {
    await control.configure({ retryAfterSeconds: 7 });
    await control.fault({ do: "rate" });
    expect(await provider.sendBatch(request("c:1"))).toMatchObject({
      kind: "deferred",
      pause: null,
      retryAfterSeconds: 7,
    });
    expect(idsOf(await provider.sendBatch(request("c:1")))).toHaveLength(10);
  });

  it.each(["", "api.resend.com", "htps://api.resend.com", "https://", "https://api:resend"])(
    "without an origin it could send to (%j) says so, and nobody is in doubt",
    async (baseUrl) => {
      const astray = resendProvider({ apiKey: "re_1", baseUrl, version: "0", now: () => 0 });
      expect(await astray.sendBatch(request("c:1"))).toMatchObject({
        kind: "deferred",
        pause: "providerAuth",
        reason: expect.stringContaining("RESEND_BASE_URL"),
      });
    },
  );

  it.each(["", "re_\na"])(
    "without a key it could send (%j) says so and asks nobody",
    async (apiKey) => {
      const baseUrl = standIn?.url ?? "";
      const keyless = resendProvider({ apiKey, baseUrl, version: "0", now: () => 0 });
      expect(await keyless.sendBatch(request("c:1"))).toMatchObject({
        kind: "deferred",
        pause: "providerAuth",
      });
      expect(await control.counts()).toMatchObject({ requests: 0 });
    },
  );
});

describe("conflicts", () => {
  it("C53: in progress is unknown and repeated, and ends in the ids of the one mail", async () => {
    await control.fault({ do: "slow", milliseconds: PATIENT_MILLISECONDS });
    const first = provider.sendBatch(request("c:1"));
    await expect.poll(async () => (await control.counts()).accepted, { timeout: 4_000 }).toBe(10);
    expect(await provider.sendBatch(request("c:1"))).toMatchObject({
      kind: "unknown",
      repeat: true,
    });
    await control.post("release");
    expect(await provider.sendBatch(request("c:1"))).toEqual(await first);
  });

  it("C53: another body under the key is unknown and never repeated", async () => {
    await provider.sendBatch(request("c:1", 10));
    expect(await provider.sendBatch(request("c:1", 9))).toMatchObject({
      kind: "unknown",
      repeat: false,
    });
    expect(await control.counts()).toMatchObject({ accepted: 10, duplicates: 0 });
  });
});
