/**
 * The provider is gone in the middle of a campaign, the process is killed meanwhile, and the operator
 * gives up. Nobody may be lost from view: who may have been mailed is in doubt, everybody else is
 * cancelled, and the provider gets no request when it is back.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PEOPLE } from "./audience.ts";
import { Stack } from "./stack.ts";

const CAMPAIGN = "autumn";
const TOTAL = 400;
let stack: Stack;

const status = () => stack.api.deliveryStatus(CAMPAIGN);

beforeAll(async () => {
  stack = await Stack.start({ requestsPerSecond: 20 });
});

afterAll(() => stack?.stop());

describe("a provider that dies", () => {
  it("C42, G2, G3, G7: cancelled across two kills, with every doubt in view", async () => {
    await stack.api.create({
      id: CAMPAIGN,
      name: "Autumn sale",
      from: "The Shop <news@shop.example>",
      subject: "Hello",
      text: "Everything is 20 % off.",
      settings: { batchSize: 10, leaseSeconds: 5 },
    });
    const recipients = PEOPLE.slice(0, TOTAL).map(({ id, email }) => ({ id, email }));
    const body = JSON.stringify({ recipients });
    await stack.api.upload(CAMPAIGN, { body, format: "application/json" });
    // Accepted, and nobody hears of it: these are the ones in doubt for good reason.
    await stack.provider.fault({ do: "acceptThenHang", times: 3 });
    await stack.api.start(CAMPAIGN);
    await stack.until("some mails and three held answers", async () => {
      const held = stack.providerLog.requests().filter((each) => each.fault === "acceptThenHang");
      return held.length === 3 && (await status()).stats.sent > 0;
    });
    await stack.killProvider();
    await stack.crashAndRestart();
    await stack.until("batches that were tried in vain", async () => {
      const { items } = await stack.api.recipients(CAMPAIGN, { status: "reserved" }).page();
      const [first] = items;
      if (first === undefined) return false;
      const story = await stack.api.recipient(CAMPAIGN, first.id);
      return story.attempts.length > 1;
    });

    const answer = await stack.api.cancel(CAMPAIGN);
    await stack.crashAndRestart();
    expect(answer.state).toBe("cancelled");
    await stack.until("the end of the last lease", async () => {
      const { stats } = await status();
      return stats.reserved === 0;
    });
    const { state, stats } = await status();
    expect(state).toBe("cancelled");
    expect(stats).toMatchObject({ total: TOTAL, remaining: 0, failed: 0, suppressed: 0 });
    expect(stats.sent + stats.inDoubt + stats.cancelled).toBe(TOTAL);

    const asked = stack.providerLog.requests().length;
    await stack.restartProvider();
    const mailed = new Set(stack.providerLog.acceptedOf(CAMPAIGN).keys());
    const page = await stack.api.recipients(CAMPAIGN, { limit: 1_000 }).page();
    const cancelled = page.items.filter((each) => each.status === "cancelled");
    expect(cancelled.filter(({ email }) => mailed.has(email))).toEqual([]);
    const doubted = page.items.filter((each) => each.status === "inDoubt");
    expect(doubted).toHaveLength(stats.inDoubt);
    expect(doubted.filter(({ email }) => mailed.has(email)).length).toBeGreaterThanOrEqual(30);
    expect(doubted.every(({ reason }) => reason !== null)).toBe(true);
    expect((await stack.provider.counts()).requests).toBe(asked);
  });
});
