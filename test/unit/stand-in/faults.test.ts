/** Each fault: what the client sees, and whether the mail was accepted all the same. */
import { describe, expect, it } from "vitest";
import { mails, PATIENT, standInFixture } from "./fixture.ts";

const fixture = standInFixture();

const send = (key = "c:1", signal?: AbortSignal) =>
  fixture.resend.batch.send(mails(4), {
    idempotencyKey: key,
    batchValidation: "permissive",
    ...(signal !== undefined && { signal }),
  });

const SILENCE = { statusCode: null, name: "application_error" };

describe("faults", () => {
  it.each([
    ["dropBefore", 0, SILENCE],
    ["answer500", 0, { statusCode: 500, name: "application_error" }],
    ["rate", 0, { statusCode: 429, name: "rate_limit_exceeded" }],
    ["quota", 0, { statusCode: 429, name: "daily_quota_exceeded" }],
    ["conflictBody", 0, { statusCode: 409, name: "invalid_idempotent_request" }],
    ["conflictProgress", 0, { statusCode: 409, name: "concurrent_idempotent_requests" }],
    ["acceptThenDrop", 4, SILENCE],
    ["acceptThenHalf", 4, SILENCE],
    ["acceptThenHtml", 4, SILENCE],
    ["acceptThenEmpty", 4, SILENCE],
    ["acceptThen500", 4, { statusCode: 500, name: "application_error" }],
  ])(
    "C02, C30: %s accepts %d of 4; the same key gets the ids of once",
    async (kind, accepted, seen) => {
      await fixture.control.fault({ do: kind });
      expect((await send()).error).toMatchObject(seen);
      expect(await fixture.control.counts()).toMatchObject({ accepted });
      const repeated = await send();
      expect(repeated.data?.data).toHaveLength(4);
      const log = await fixture.control.log("accepted");
      expect(log.map(({ id }) => ({ id }))).toEqual(repeated.data?.data);
      expect(await fixture.control.counts()).toMatchObject({ accepted: 4, duplicates: 0 });
    },
  );

  it("C30: acceptThenBraces answers {} and has accepted", async () => {
    await fixture.control.fault({ do: "acceptThenBraces" });
    expect((await send()).data).toEqual({});
    expect(await fixture.control.counts()).toMatchObject({ accepted: 4 });
  });

  it("C29: wrongCount leaves an id out", async () => {
    await fixture.control.fault({ do: "wrongCount" });
    const short = (await send()).data?.data;
    const whole = (await send()).data?.data;
    expect(short).toEqual(whole?.slice(1));
    expect(await fixture.control.counts()).toMatchObject({ accepted: 4 });
  });

  it("acceptThenHang answers on release", async () => {
    await fixture.control.fault({ do: "acceptThenHang" });
    const hanging = send();
    await expect.poll(async () => (await fixture.control.counts()).accepted, PATIENT).toBe(4);
    expect(await fixture.control.post("release")).toEqual({ released: 1 });
    expect((await hanging).data?.data).toHaveLength(4);
  });

  it("acceptThenHang ends when the client leaves, and its key is free for a replay", async () => {
    await fixture.control.fault({ do: "acceptThenHang" });
    const leaving = new AbortController();
    const hanging = send("c:1", leaving.signal);
    await expect.poll(async () => (await fixture.control.counts()).accepted, PATIENT).toBe(4);
    leaving.abort();
    expect((await hanging).error).toMatchObject(SILENCE);
    await expect.poll(async () => (await send()).error, PATIENT).toBeNull();
    expect(await fixture.control.counts()).toMatchObject({ accepted: 4, duplicates: 0 });
  });

  it("slow answers by itself", async () => {
    await fixture.control.fault({ do: "slow", milliseconds: 20 });
    expect((await send()).data?.data).toHaveLength(4);
  });

  it("latency holds every answer back after acceptance", async () => {
    await fixture.control.configure({ latencyMilliseconds: 60_000 });
    const sending = send();
    await expect.poll(async () => (await fixture.control.counts()).accepted, PATIENT).toBe(4);
    await fixture.control.post("release");
    expect((await sending).error).toBeNull();
  });
});

/** Which of 40 requests a fault of chance 0.6 happened to. */
async function drawnFaults(): Promise<readonly boolean[]> {
  await fixture.control.reset();
  await fixture.control.fault({ do: "rate", times: null, chance: 0.6, seed: 42 });
  const seen: boolean[] = [];
  for (let n = 0; n < 40; n += 1) seen.push((await send(`c:${n}`)).error !== null);
  return seen;
}

describe("which request a fault happens to", () => {
  it("is as many as it is told, then none", async () => {
    await fixture.control.fault({ do: "answer500", times: 2 });
    const statuses = [await send(), await send(), await send()].map(
      ({ error }) => error?.statusCode,
    );
    expect(statuses).toEqual([500, 500, undefined]);
    expect(await fixture.control.get("faults")).toEqual({ waiting: 0 });
  });

  it("is the one with the address, in any spelling", async () => {
    await fixture.control.fault({ do: "answer500", match: { address: "P3@a.test" } });
    const other = await fixture.resend.batch.send(mails(3));
    expect(other.error).toBeNull();
    expect((await send()).error?.statusCode).toBe(500);
  });

  it("is the one with the key", async () => {
    await fixture.control.fault({ do: "answer500", match: { key: "c:2" } });
    expect((await send("c:1")).error).toBeNull();
    expect((await send("c:2")).error?.statusCode).toBe(500);
  });

  it("is the nth from now", async () => {
    await send("c:0");
    await fixture.control.fault({ do: "answer500", match: { nth: 2 } });
    expect((await send("c:1")).error).toBeNull();
    expect((await send("c:2")).error?.statusCode).toBe(500);
    expect((await send("c:3")).error).toBeNull();
  });

  it("is drawn the same from the same seed", async () => {
    const first = await drawnFaults();
    expect(await drawnFaults()).toEqual(first);
    const hits = first.filter(Boolean).length;
    expect(hits).toBeGreaterThan(15);
    expect(hits).toBeLessThan(33);
  });

  it.each([
    [[{ do: "burn" }], "faults[0].do"],
    [[{ do: "rate" }, { do: "rate", nth: 1 }], "faults[1].nth"],
    [[{ do: "rate", match: { adress: "x" } }], "faults[0].match.adress"],
    [{ do: "rate" }, "expected a list"],
  ])("is refused by name when the command is wrong: %j", async (list, place) => {
    await expect(fixture.control.post("faults", list)).rejects.toThrow(place);
    expect(await fixture.control.get("faults")).toEqual({ waiting: 0 });
  });
});
