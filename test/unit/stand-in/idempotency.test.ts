/** Resend's promise on idempotency keys, kept by the stand-in towards Resend's own client. */
import { describe, expect, it } from "vitest";
import { mail, mails, PATIENT, rawPost, standInFixture } from "./fixture.ts";

const DAY_SECONDS = 24 * 60 * 60;
const fixture = standInFixture();

const batch = (key: string, list = mails(3)) =>
  fixture.resend.batch.send(list, { idempotencyKey: key, batchValidation: "permissive" });

describe("a key that is known", () => {
  it("gets the first answer again, and nothing is sent", async () => {
    const first = await batch("c:1");
    const again = await batch("c:1");
    expect(first.data?.data).toHaveLength(3);
    expect(again.data).toEqual(first.data);
    expect(await fixture.control.counts()).toMatchObject({ accepted: 3, requests: 2, replays: 1 });
  });

  it("with another body is 409 invalid_idempotent_request, and nothing is sent", async () => {
    await batch("c:1");
    const other = await batch("c:1", mails(3, "q"));
    expect(other.error).toMatchObject({ statusCode: 409, name: "invalid_idempotent_request" });
    expect(await fixture.control.counts()).toMatchObject({ accepted: 3 });
  });

  it("compares raw bytes, so that a space more is another body", async () => {
    const url = `${fixture.url}/emails/batch`;
    const headers = { "idempotency-key": "c:1" };
    const body = JSON.stringify(mails(1));
    expect(await rawPost(url, body, headers)).toMatchObject({ status: 200 });
    expect(await rawPost(url, `${body} `, headers)).toMatchObject({ status: 409 });
  });

  it("is another key at the other endpoint", async () => {
    await batch("c:1", mails(1));
    const single = await fixture.resend.emails.send(mail("p0@a.test"), { idempotencyKey: "c:1" });
    expect(single.error).toBeNull();
    expect(await fixture.control.countOf("p0@a.test")).toBe(2);
  });

  it("is forgotten after 24 hours from the first receipt, however often it was asked", async () => {
    const first = await batch("c:1");
    await fixture.control.advance(DAY_SECONDS / 2);
    expect((await batch("c:1")).data).toEqual(first.data);
    await fixture.control.advance(DAY_SECONDS / 2 - 60);
    expect((await batch("c:1")).data).toEqual(first.data);
    await fixture.control.advance(60);
    const late = await batch("c:1");
    expect(late.data?.data[0]?.id).not.toBe(first.data?.data[0]?.id);
    expect(await fixture.control.counts()).toMatchObject({ accepted: 6, duplicates: 3 });
  });

  it("replays a permissive answer with its errors", async () => {
    const list = [mail("p0@a.test"), mail("no address"), mail("p2@a.test")];
    const first = await batch("c:1", list);
    expect(first.data?.errors).toHaveLength(1);
    expect((await batch("c:1", list)).data).toEqual(first.data);
    expect(await fixture.control.counts()).toMatchObject({ accepted: 2 });
  });
});

describe("a key in progress", () => {
  it("is 409 concurrent_idempotent_requests until the answer has gone", async () => {
    await fixture.control.fault({ do: "slow", milliseconds: 60_000 });
    const first = batch("c:1");
    await expect.poll(async () => (await fixture.control.counts()).accepted, PATIENT).toBe(3);
    const second = await batch("c:1");
    expect(second.error).toMatchObject({ statusCode: 409, name: "concurrent_idempotent_requests" });
    await fixture.control.post("release");
    expect((await batch("c:1")).data).toEqual((await first).data);
    expect(await fixture.control.counts()).toMatchObject({ accepted: 3 });
  });

  it("stays in progress when the client of a slow answer leaves, as real work does", async () => {
    await fixture.control.fault({ do: "slow", milliseconds: 60_000 });
    const leaving = new AbortController();
    const first = fixture.resend.batch.send(mails(3), {
      idempotencyKey: "c:1",
      signal: leaving.signal,
    });
    await expect.poll(async () => (await fixture.control.counts()).accepted, PATIENT).toBe(3);
    leaving.abort();
    expect((await first).error).toMatchObject({ statusCode: null });
    expect((await batch("c:1")).error?.name).toBe("concurrent_idempotent_requests");
    await fixture.control.post("release");
    expect((await batch("c:1")).error).toBeNull();
  });

  it("is free at once for another key", async () => {
    await fixture.control.fault({ do: "slow", milliseconds: 60_000, match: { key: "c:1" } });
    const first = batch("c:1");
    expect((await batch("c:2", mails(2, "q"))).error).toBeNull();
    await expect.poll(async () => (await fixture.control.counts()).accepted, PATIENT).toBe(5);
    await fixture.control.post("release");
    expect((await first).error).toBeNull();
  });
});

describe("a key that is no key", () => {
  it.each([0, 257])("of %d characters is 400 invalid_idempotency_key", async (length) => {
    const headers = { "idempotency-key": "k".repeat(length) };
    const body = JSON.stringify(mails(1));
    expect(await rawPost(`${fixture.url}/emails/batch`, body, headers)).toMatchObject({
      status: 400,
      body: { statusCode: 400, name: "invalid_idempotency_key" },
    });
    expect(await fixture.control.counts()).toMatchObject({ accepted: 0 });
  });

  it("of 256 characters is one", async () => {
    expect((await batch("k".repeat(256))).error).toBeNull();
  });
});

describe("errors under a key", () => {
  it("are looked at anew each time, unless they are cached", async () => {
    await fixture.control.configure({ refuseAddresses: ["p0@a.test"] });
    const strict = () => fixture.resend.batch.send(mails(1), { idempotencyKey: "c:1" });
    expect((await strict()).error).toMatchObject({ statusCode: 422, name: "validation_error" });
    await fixture.control.configure({ refuseAddresses: [] });
    expect((await strict()).error).toBeNull();
  });

  it.each([
    ["validation", { refuseAddresses: ["p0@a.test"] }, []],
    ["a 500", {}, [{ do: "answer500" }]],
  ])("replay %s when they are cached", async (_, settings, faults) => {
    await fixture.control.configure({ ...settings, cacheErrors: true });
    await fixture.control.fault(...faults);
    const strict = () => fixture.resend.batch.send(mails(1), { idempotencyKey: "c:1" });
    const first = await strict();
    await fixture.control.configure({ refuseAddresses: [] });
    const { data, error } = await strict();
    expect({ data, error }).toEqual({ data: null, error: first.error });
    await fixture.control.advance(DAY_SECONDS);
    expect((await strict()).error).toBeNull();
  });

  it("never keep a 429 or a 401", async () => {
    await fixture.control.configure({ cacheErrors: true });
    await fixture.control.fault({ do: "rate" }, { do: "quota" });
    expect((await batch("c:1")).error?.name).toBe("rate_limit_exceeded");
    expect((await batch("c:1")).error?.name).toBe("daily_quota_exceeded");
    const answer = { status: 401, name: "restricted_api_key", message: "no" };
    await fixture.control.configure({ answer });
    expect((await batch("c:1")).error?.name).toBe("restricted_api_key");
    await fixture.control.configure({ answer: null });
    expect((await batch("c:1")).error).toBeNull();
  });
});
