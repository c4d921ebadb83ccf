/** What wrangler.toml says against what the source says of it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  MAX_WRONG_TOKENS,
  QUEUE_MAX_RETRIES,
  WATCH_EVERY_SECONDS,
  WRONG_TOKEN_SECONDS,
} from "../../../src/domain/limits.ts";

const toml = readFileSync(new URL("../../../wrangler.toml", import.meta.url), "utf8");

/** The tables of one kind, each as its keys and the text of their values. */
function tables(header: string): Map<string, string>[] {
  return toml
    .split(/^(?=\[)/m)
    .filter((section) => section.startsWith(`${header}\n`))
    .map(
      (section) =>
        new Map(
          [...section.matchAll(/^(\w+) = (.*)$/gm)].map(([, key, value]) => [
            String(key),
            String(value),
          ]),
        ),
    );
}

const consumers = tables("[[queues.consumers]]");
const queueOf = (consumer: ReadonlyMap<string, string>) => consumer.get("queue");

describe("wrangler.toml", () => {
  it("has the two queues of the contract, each with a consumer", () => {
    expect(consumers.map(queueOf)).toEqual(['"sendonce-dispatch"', '"sendonce-dead-letters"']);
  });

  it("QUEUE_MAX_RETRIES is what the queue is told", () => {
    expect(consumers[0]?.get("max_retries")).toBe(String(QUEUE_MAX_RETRIES));
  });

  it("wrong tokens are limited as the source says, by a binding of that name", () => {
    const [limiter] = tables("[[ratelimits]]");
    expect(limiter?.get("name")).toBe('"WRONG_TOKENS"');
    expect(limiter?.get("simple")).toBe(
      `{ limit = ${MAX_WRONG_TOKENS}, period = ${WRONG_TOKEN_SECONDS} }`,
    );
  });

  it("says itself which addresses a deployment has, and asks for no second one", () => {
    const [top = ""] = toml.split(/^\[/m);
    expect(top).toMatch(/^workers_dev = true$/m);
    expect(top).toMatch(/^preview_urls = false$/m);
  });

  // The defaults of the local runtime and of production differ.
  it.each([
    "queue",
    "type",
    "max_batch_size",
    "max_batch_timeout",
    "max_retries",
    "retry_delay",
    "max_concurrency",
  ])("sets %s for every consumer", (key) => {
    expect(consumers.filter((consumer) => !consumer.has(key)).map(queueOf)).toEqual([]);
  });

  it("C44: the dispatch queue gives up to the dead letters, and those to nobody", () => {
    expect(consumers.map((consumer) => consumer.get("dead_letter_queue"))).toEqual([
      '"sendonce-dead-letters"',
      undefined,
    ]);
  });

  it("R-no-address: keeps no record of requests, whose paths hold addresses and tokens", () => {
    const [logs] = tables("[observability.logs]");
    const [traces] = tables("[observability.traces]");
    expect(logs?.get("invocation_logs")).toBe("false");
    expect(traces?.get("enabled")).toBe("false");
    expect(tables("[observability]")[0]?.get("redact_query_string")).toBe("true");
  });

  it("the watchdog comes round a little later than a campaign's turn does", () => {
    const [, minutes = ""] = /^crons = \["\*\/(\d+) \* \* \* \*"\]$/m.exec(toml) ?? [];
    expect(Number(minutes) * 60).toBeGreaterThan(WATCH_EVERY_SECONDS);
    expect(Number(minutes) * 60).toBeLessThan(2 * WATCH_EVERY_SECONDS);
  });

  it("keeps SQLite in both objects, at a date from which every flag in use is on", () => {
    expect(tables("[[migrations]]").map((one) => one.get("new_sqlite_classes"))).toEqual([
      '["CampaignObject", "AccountObject"]',
    ]);
    const [, date = ""] = /^compatibility_date = "(.*)"$/m.exec(toml) ?? [];
    expect(date >= "2026-10-01").toBe(true);
  });
});
