import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/domain/ids.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { faultyPaths, problemOf } from "../http/api.ts";

const SPRING = "/api/campaigns/spring";
const HOUR = 3_600_000;
const CAMPAIGN = {
  id: "spring",
  name: "Spring",
  from: "Shop <news@shop.test>",
  subject: "Hello",
  text: "Hello",
};

type Status = { state: string; startedAt: string | null; stats: { remaining: number } };
type Event = { type: string; detail: Record<string, unknown> };

async function stackWith(start: object | null = null): Promise<NodeStack> {
  const stack = new NodeStack();
  await stack.json("POST", "/api/campaigns", CAMPAIGN);
  const csv = "email\nada@x.org\nbob@x.org\n";
  await stack.json("POST", `${SPRING}/recipients`, csv, "text/csv");
  if (start !== null) await stack.json("POST", `${SPRING}/start`, start);
  return stack;
}

function atIn(stack: NodeStack, milliseconds: number): { at: string } {
  return { at: new Date(stack.now + milliseconds).toISOString() };
}

async function scheduledIn(milliseconds: number): Promise<NodeStack> {
  const stack = await stackWith();
  await stack.json("POST", `${SPRING}/start`, atIn(stack, milliseconds));
  return stack;
}

function status(stack: NodeStack): Promise<Status> {
  return stack.json("GET", `${SPRING}/delivery-status`);
}

async function starts(stack: NodeStack): Promise<number> {
  const { items } = await stack.json<{ items: Event[] }>("GET", `${SPRING}/events`);
  return items.filter(({ type }) => type === "started").length;
}

describe("a scheduled campaign", () => {
  it("begins at its time and not before", async () => {
    const stack = await scheduledIn(HOUR);
    await stack.advance(HOUR - 1);
    expect(await status(stack)).toMatchObject({ state: "scheduled", startedAt: null });
    expect(stack.queue).toEqual([]);
    const due = new Date(stack.now + 1).toISOString();
    await stack.advance(1);
    expect(await status(stack)).toMatchObject({ state: "sending", startedAt: due });
    expect(stack.queue.length).toBeGreaterThan(0);
  });

  it("starts once, and late, when the process was down at its time", async () => {
    const stack = await scheduledIn(HOUR);
    stack.now += 5 * HOUR;
    stack.restart("spring");
    await stack.fireAlarms();
    stack.restart("spring");
    await stack.advance(HOUR);
    expect(await starts(stack)).toBe(1);
    expect(await status(stack)).toMatchObject({ state: "sending" });
    expect(await stack.ask("POST", `${SPRING}/start`)).toMatchObject({ status: 409 });
  });

  it("C81: paused before its time and resumed after it starts once", async () => {
    const stack = await scheduledIn(HOUR);
    await stack.json("POST", `${SPRING}/pause`);
    await stack.advance(2 * HOUR);
    stack.restart("spring");
    await stack.advance(HOUR);
    expect(await status(stack)).toMatchObject({ state: "paused", startedAt: null });
    expect(await stack.json("POST", `${SPRING}/resume`)).toMatchObject({ state: "sending" });
    await stack.json("POST", `${SPRING}/resume`);
    await stack.advance(HOUR);
    expect(await starts(stack)).toBe(1);
  });

  it("paused and resumed before its time waits for it again", async () => {
    const stack = await scheduledIn(2 * HOUR);
    await stack.json("POST", `${SPRING}/pause`);
    await stack.advance(HOUR);
    expect(await stack.json("POST", `${SPRING}/resume`)).toMatchObject({ state: "scheduled" });
    await stack.advance(HOUR);
    expect(await status(stack)).toMatchObject({ state: "sending" });
    expect(await starts(stack)).toBe(1);
  });

  it("that is cancelled never begins", async () => {
    const stack = await scheduledIn(HOUR);
    expect(await stack.json("POST", `${SPRING}/cancel`)).toMatchObject({
      state: "cancelled",
      stats: { cancelled: 2 },
    });
    await stack.advance(2 * HOUR);
    expect(await starts(stack)).toBe(0);
    expect(stack.queue).toEqual([]);
  });

  it("holds everybody against the account's list when its time has come", async () => {
    const stack = await scheduledIn(HOUR);
    const { account } = stack;
    const suppressedAmong = account.suppressedAmong.bind(account);
    account.suppressedAmong = async (addresses) => [
      ...(await suppressedAmong(addresses)),
      { address: "ada@x.org" as Address, reason: "unsubscribe", at: stack.now },
    ];
    await stack.advance(HOUR);
    expect(await status(stack)).toMatchObject({ stats: { remaining: 1, suppressed: 1 } });
  });

  it("does not begin while the account's list can't be asked, and begins when it can", async () => {
    const stack = await scheduledIn(HOUR);
    const { account } = stack;
    const suppressedAmong = account.suppressedAmong.bind(account);
    account.suppressedAmong = () => Promise.reject(new Error("the account is away"));
    stack.now += HOUR;
    await stack.fireAlarms();
    expect(await status(stack)).toMatchObject({ state: "scheduled" });
    account.suppressedAmong = suppressedAmong;
    await stack.advance(HOUR);
    expect(await status(stack)).toMatchObject({ state: "sending" });
    expect(await starts(stack)).toBe(1);
  });
});

describe("a start by the clocks of a place", () => {
  it.each([
    [{ local: "2026-12-01T09:00", zone: "Europe/Berlin" }, "2026-12-01T08:00:00.000Z"],
    [{ at: { local: "2027-07-01T09:00", zone: "Europe/Berlin" } }, "2027-07-01T07:00:00.000Z"],
    [{ local: "2026-12-01T09:00:30", zone: "Asia/Kolkata" }, "2026-12-01T03:30:30.000Z"],
  ])("%j", async (body, instant) => {
    const stack = await stackWith(body);
    expect(await stack.json("GET", SPRING)).toMatchObject({
      state: "scheduled",
      scheduledAt: instant,
    });
  });

  it.each([
    ["local", { local: "2027-03-28T02:30", zone: "Europe/Berlin" }, "does not exist"],
    ["local", { local: "2027-10-31T02:30", zone: "Europe/Berlin" }, "comes twice"],
    ["zone", { local: "2026-12-01T09:00", zone: "Mars/Olympus" }, "name of a time zone"],
    ["at.zone", { at: { local: "2026-12-01T09:00", zone: "CEST" } }, "name of a time zone"],
    ["local", { local: "2026-12-01T09:00Z", zone: "Europe/Berlin" }, "without an offset"],
    ["local", { local: "2026-11-28T09:00", zone: "Europe/Berlin" }, "has passed"],
    ["local", { local: "2028-12-01T09:00", zone: "Europe/Berlin" }, "more than a year"],
    ["zone", { local: "2026-12-01T09:00" }, "is required"],
    ["local", { zone: "Europe/Berlin" }, "is required"],
    ["at", { at: "2026-12-01T09:00:00Z", local: "x", zone: "UTC" }, "can't stand beside"],
    ["at.zone", { at: { local: "2026-12-01T09:00" } }, "is required"],
  ])("names %s in %j", async (path, body, text) => {
    const stack = await stackWith();
    const response = await stack.ask("POST", `${SPRING}/start`, body);
    expect(response.status).toBe(400);
    const copy = response.clone();
    expect(await faultyPaths(response)).toEqual([path]);
    expect((await problemOf(copy)).detail).toContain(text);
    expect(await stack.json("GET", SPRING)).toMatchObject({ state: "draft" });
  });
});
