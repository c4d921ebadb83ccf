/** Each example without Sendonce and with it, by the count of whoever took the mails. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runBullMq } from "./bullmq/run.ts";
import { runQueues } from "./queues/run.ts";
import { hasRedis, REDIS_MISSING } from "./redis.ts";
import { runSmtp, settleDoubts } from "./smtp/run.ts";
import { MailServer } from "./smtp/server.ts";
import { ExampleStack } from "./stack.ts";
import { runVisibility } from "./visibility/run.ts";

/** Lines of code of a file in queues/. */
const linesOf = (name: string) =>
  readFileSync(new URL(`queues/${name}.ts`, import.meta.url), "utf8")
    .split("\n")
    .map((text) => text.trim())
    .filter((text) => text !== "" && !text.startsWith("/**"));

// Without Sendonce a busy machine makes it worse, so there the figures are the least to be expected.
let stack: ExampleStack;

beforeAll(async () => {
  stack = await ExampleStack.start();
});
afterAll(() => stack?.stop());

describe("examples", () => {
  it("G1, G2: an existing Cloudflare Queues consumer whose answers are lost", async () => {
    const { counts } = await runQueues(stack);
    expect(counts).toMatchObject([
      { people: 200, missing: 0 },
      { people: 200, accepted: 200, duplicates: 0, missing: 0, inDoubt: 0 },
    ]);
    expect(counts[0]?.duplicates).toBeGreaterThanOrEqual(80);
  });

  it("the Queues consumer has become safe by adding under ten lines", () => {
    const before = linesOf("before");
    const added = linesOf("after").filter((text) => !before.includes(text));
    expect(added.length).toBeLessThan(10);
  });

  it("G1: a visibility timeout that is shorter than the send", async () => {
    const { counts } = await runVisibility(stack);
    expect(counts).toMatchObject([
      { people: 40, missing: 0 },
      { people: 40, accepted: 40, duplicates: 0, missing: 0, inDoubt: 0 },
    ]);
    expect(counts[0]?.duplicates).toBeGreaterThanOrEqual(10);
  });

  it("G3: a provider without idempotency keys, where the honest answer is doubt", async () => {
    const server = await MailServer.start();
    try {
      const { counts } = await runSmtp(stack, server);
      expect(counts).toMatchObject([
        { people: 20, duplicates: 3, missing: 0, inDoubt: 0 },
        { people: 20, duplicates: 0, missing: 1, inDoubt: 0 },
        { people: 20, accepted: 19, duplicates: 0, missing: 1, inDoubt: 2 },
      ]);
      const settled = await settleDoubts(stack, server);
      expect(settled).toMatchObject({ accepted: 20, duplicates: 0, missing: 0, inDoubt: 0 });
    } finally {
      await server.stop();
    }
  });
});

if (!hasRedis) console.warn(REDIS_MISSING);

describe.skipIf(!hasRedis)("examples with Redis", () => {
  it("C20, G1, G2: a BullMQ worker that is killed before a call and after an acceptance", async () => {
    const { counts } = await runBullMq(stack);
    expect(counts).toMatchObject([
      { people: 60, missing: 0 },
      { people: 60, duplicates: 0, missing: 10 },
      { people: 60, accepted: 60, duplicates: 0, missing: 0, inDoubt: 0 },
    ]);
    expect(counts[0]?.duplicates).toBeGreaterThanOrEqual(10);
  });
});
