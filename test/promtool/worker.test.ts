/** `/metrics` of the Worker as it is deployed, over the wire, read by promtool. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stack } from "../e2e/stack.ts";
import { promtool } from "./promtool.ts";

const TOTAL = 120;
let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ requestsPerSecond: 50 });
});

afterAll(() => stack?.stop());

async function metrics(): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.token}` };
  return fetch(`${stack.url}/metrics`, { headers });
}

async function sent(campaign: string): Promise<void> {
  const from = "The Shop <news@shop.example>";
  await stack.api.create({ id: campaign, name: "Spring", from, subject: "Hello", text: "Hi." });
  const recipients = Array.from({ length: TOTAL }, (_, at) => ({ email: `p${at}@mail.example` }));
  const body = JSON.stringify({ recipients });
  await stack.api.upload(campaign, { body, format: "application/json" });
  await stack.api.start(campaign);
  await stack.until("the end", async () => {
    const { state } = await stack.api.deliveryStatus(campaign);
    return state === "finished";
  });
}

describe("/metrics of a running Worker", () => {
  it("is read by promtool without a complaint, before a campaign and after one", async () => {
    const empty = await (await metrics()).text();
    expect(promtool(["check", "metrics"], empty)).toEqual({ code: 0, words: "" });
    await sent("spring");
    const response = await metrics();
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    expect(promtool(["check", "metrics"], text)).toEqual({ code: 0, words: "" });
    expect(text).toContain(`sendonce_recipients{campaign="spring",state="sent"} ${TOTAL}\n`);
    expect(text).toContain('sendonce_attempts_total{campaign="spring",outcome="answered"} 2\n');
    expect(text).toContain('sendonce_provider_latency_seconds_count{campaign="spring"} 2\n');
    expect(text).toContain("sendonce_queue_backlog_messages ");
  });

  it("would not be, were it wrong: promtool complains about each of these", async () => {
    const text = await (await metrics()).text();
    for (const [from, to] of [
      ["# TYPE sendonce_dead_letters_total counter", "# TYPE sendonce_dead_letters_total gauge"],
      ['campaign="spring",state="sent"', 'campaign="spring,state="sent"'],
      ["# HELP sendonce_live_sockets", "# "],
    ] as const) {
      expect(text).toContain(from);
      expect(promtool(["check", "metrics"], text.replace(from, to)).code, to).not.toBe(0);
    }
  });

  it("is not for those without a token, and /healthz is", async () => {
    expect((await fetch(`${stack.url}/metrics`)).status).toBe(401);
    const health = await fetch(`${stack.url}/healthz`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ parts: { storage: { status: "ok" } } });
  });
});
