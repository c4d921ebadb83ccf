import { describe, expect, it } from "vitest";
import type { DeliveryStatus } from "../../../src/campaign/rpc.ts";
import { NodeStack } from "../../support/node-stack.ts";
import { problemOf } from "./api.ts";

const SPRING = "/api/campaigns/spring";
const UPLOAD = `${SPRING}/recipients`;
const ROWS = 10_000;

const lines = Array.from({ length: ROWS }, (_, at) => `u_${at},u${at}@x.org`);
const csv = `id,email\n${lines.join("\n")}\n`;

async function stackWith(): Promise<NodeStack> {
  const stack = new NodeStack();
  const content = { from: "Shop <news@shop.test>", subject: "Hello", text: "Hello" };
  await stack.json("POST", "/api/campaigns", { id: "spring", name: "Spring", ...content });
  return stack;
}

/** An upload of so many characters of the list; then it ends, or breaks as a lost connection does. */
function cutOff(characters: number, breaks: boolean): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(csv.slice(0, characters));
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) {
        if (breaks) controller.error(new Error("the connection was lost"));
        else controller.close();
        return;
      }
      controller.enqueue(bytes.slice(at, at + 4096));
      at += 4096;
    },
  });
}

async function total(stack: NodeStack): Promise<number> {
  const status = await stack.json<DeliveryStatus>("GET", `${SPRING}/delivery-status`);
  return status.stats.total;
}

describe("C24: an import that is cut off at 40 %", () => {
  it("by the client leaves whole pages, and a repeated upload completes it", async () => {
    const stack = await stackWith();
    const cut = await stack.ask("POST", UPLOAD, cutOff(csv.length * 0.4, true), "text/csv");
    const stored = await total(stack);
    expect(cut.status).toBe(400);
    const told = { code: "uploadInterrupted", reason: "interrupted", added: stored };
    expect(await problemOf(cut)).toMatchObject(told);
    expect(stored).toBeGreaterThan(0.3 * ROWS);
    expect(stored % 1000).toBe(0);
    expect(await stack.json("POST", UPLOAD, csv, "text/csv")).toMatchObject({
      added: ROWS - stored,
      duplicates: stored,
      invalid: 0,
      total: ROWS,
    });
    expect(await total(stack)).toBe(ROWS);
  });

  it("by a crash after each page keeps what was answered, and a repeat completes it", async () => {
    const stack = await stackWith();
    // Each page is one transaction, so that a crash falls between two.
    const parts = [0, 0.15, 0.4, 0.7].map((part) =>
      csv.slice(0, csv.indexOf("\n", csv.length * part)),
    );
    let answered = 0;
    for (const part of parts) {
      const { added } = await stack
        .json<{ added: number }>("POST", UPLOAD, `${part}\n`, "text/csv")
        .catch(() => ({ added: 0 }));
      answered += added;
      stack.restart("spring");
      expect(await total(stack)).toBe(answered);
    }
    expect(await stack.json("POST", UPLOAD, csv, "text/csv")).toMatchObject({
      added: ROWS - answered,
      duplicates: answered,
      total: ROWS,
    });
  });

  it("by the campaign's object says how much is stored", async () => {
    const stack = await stackWith();
    const campaign = stack.campaign("spring");
    const enrol = campaign.enrol.bind(campaign);
    let pages = 0;
    campaign.enrol = (page) => {
      pages += 1;
      if (pages <= 5) return enrol(page);
      return Promise.reject(Object.assign(new Error("reset"), { retryable: true }));
    };
    const broken = await stack.ask("POST", UPLOAD, csv, "text/csv");
    expect(broken.status).toBe(503);
    // The first page of all is empty: it asks whether the campaign takes recipients.
    expect(await problemOf(broken)).toMatchObject({ code: "unavailable", added: 4000 });
    expect(await total(stack)).toBe(4000);
    campaign.enrol = enrol;
    expect(await stack.json("POST", UPLOAD, csv, "text/csv")).toMatchObject({ total: ROWS });
  });

  it("by a start in between refuses the rest, and counts what came before it", async () => {
    const stack = await stackWith();
    const campaign = stack.campaign("spring");
    const enrol = campaign.enrol.bind(campaign);
    let pages = 0;
    campaign.enrol = async (page) => {
      pages += 1;
      if (pages === 4) await stack.json("POST", `${SPRING}/start`);
      return enrol(page);
    };
    const late = await stack.ask("POST", UPLOAD, csv, "text/csv");
    expect(late.status).toBe(409);
    expect(await problemOf(late)).toMatchObject({ code: "wrongState", added: 2000 });
    expect(await total(stack)).toBe(2000);
  });
});
