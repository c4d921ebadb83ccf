/** The rate limit as a sliding window, and the quotas by the UTC day and month. */
import { beforeEach, describe, expect, it } from "vitest";
import { RateWindow } from "../../stand-in/rate-window.ts";
import { mails, standInFixture } from "./fixture.ts";

const fixture = standInFixture();
const send = (key: string, count = 1) =>
  fixture.resend.batch.send(mails(count, key.replace(":", "_")), { idempotencyKey: key });

beforeEach(() => fixture.control.holdClock());

describe("rate window", () => {
  it("C51: counts over any second, not over whole seconds", () => {
    const window = new RateWindow();
    for (const at of [900, 950, 1050, 1100]) window.note(at);
    expect([window.count(1100), window.most]).toEqual([4, 4]);
    expect([window.count(1899.9), window.count(1900), window.count(1950)]).toEqual([4, 3, 2]);
    expect(window.secondsUntilFree(1950)).toBeCloseTo(0.1);
    expect([window.count(5000), window.secondsUntilFree(5000), window.most]).toEqual([0, 0, 4]);
  });

  it("stays small and right over many moments", () => {
    const window = new RateWindow();
    for (let n = 0; n < 100_000; n += 1) window.note(n * 100);
    expect([window.count(9_999_900), window.most]).toEqual([10, 10]);
  });
});

describe("rate limit", () => {
  it("C51: lets so many through and answers 429 with the headers of the limit", async () => {
    await fixture.control.configure({ requestsPerSecond: 2, retryAfterSeconds: 7 });
    const answers = await Promise.all(["c:1", "c:2", "c:3"].map((key) => send(key)));
    const refused = answers.filter(({ error }) => error !== null);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.error).toMatchObject({ statusCode: 429, name: "rate_limit_exceeded" });
    expect(refused[0]?.headers).toMatchObject({
      "ratelimit-limit": "2",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "1",
      "retry-after": "7",
    });
    expect(await fixture.control.counts()).toMatchObject({
      accepted: 2,
      rateLimited: 1,
      mostInOneSecond: 3,
    });
  });

  it("counts reads as well, and opens when the second is over", async () => {
    await fixture.control.configure({ requestsPerSecond: 1 });
    expect((await fixture.resend.emails.list()).error).toBeNull();
    const refused = await send("c:1");
    expect(refused.error?.name).toBe("rate_limit_exceeded");
    expect(refused.headers?.["retry-after"]).toBe("1");
    await fixture.control.advance(1.001);
    expect((await send("c:1")).error).toBeNull();
  });
});

describe("quota", () => {
  it("C52: refuses what does not fit whole, until the next UTC day", async () => {
    await fixture.control.configure({ dailyQuota: 5 });
    expect((await send("c:1", 3)).error).toBeNull();
    expect((await send("c:2", 3)).error).toMatchObject({
      statusCode: 429,
      name: "daily_quota_exceeded",
    });
    expect((await send("c:1", 3)).error).toBeNull();
    expect((await send("c:3", 2)).error).toBeNull();
    await fixture.control.advance(24 * 60 * 60);
    expect((await send("c:2", 3)).error).toBeNull();
    expect(await fixture.control.counts()).toMatchObject({ accepted: 8, rateLimited: 0 });
  });

  it("of a month outlasts the day", async () => {
    const { now } = (await fixture.control.get("clock")) as { now: number };
    const date = new Date(now);
    const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    await fixture.control.advance((nextMonth - now) / 1000 + 60);
    await fixture.control.configure({ monthlyQuota: 4 });
    expect((await send("c:1", 3)).error).toBeNull();
    await fixture.control.advance(24 * 60 * 60);
    expect((await send("c:2", 2)).error?.name).toBe("monthly_quota_exceeded");
    await fixture.control.advance(31 * 24 * 60 * 60);
    expect((await send("c:2", 2)).error).toBeNull();
  });
});
