/**
 * Deploys in the middle of a campaign, on the real local runtime: this release and the one before it
 * at work together, and a ledger that goes from the one to the other and back.
 * The verdict is the provider's.
 */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { MIGRATIONS } from "../../src/ledger/migrations.ts";
import { mixConfigs, thawRelease, type Mix } from "../releases/mix.ts";
import { bundleWorker } from "../support/bundled-worker.ts";
import { Stack } from "./stack.ts";

const PREVIOUS = "0.1.0";
const TOTAL = 200;
const CAMPAIGN = "spring";
const EMAILS = Array.from({ length: TOTAL }, (_, at) => `p${at}@mail.example`);

let present = "";
let previous = "";
let stack: Stack | null = null;

beforeAll(async () => {
  present = (await bundleWorker()).script;
  previous = thawRelease(PREVIOUS);
});

afterEach(async () => {
  await stack?.stop();
  stack = null;
});

const mailed = (on: Stack) => on.providerLog.acceptedOf(CAMPAIGN);
const requests = async (on: Stack) => (await on.provider.counts()).requests;

async function begin(mix: Mix): Promise<Stack> {
  const on = await Stack.start({ requestsPerSecond: 20, config: mixConfigs(mix) });
  stack = on;
  await on.api.create({
    id: CAMPAIGN,
    name: "Spring sale",
    from: "The Shop <news@shop.example>",
    subject: "Hello",
    text: "Everything is 20 % off.",
    settings: { batchSize: 5, leaseSeconds: 5, maxAttempts: 100 },
  });
  const recipients = EMAILS.map((email) => ({ email }));
  const body = JSON.stringify({ recipients });
  await on.api.upload(CAMPAIGN, { body, format: "application/json" });
  await on.provider.fault(
    { do: "acceptThenDrop", times: 2 },
    { do: "rate", times: 1 },
    { do: "acceptThen500", times: 2 },
    { do: "dropBefore", times: 2 },
  );
  await on.api.start(CAMPAIGN);
  return on;
}

async function untilMailed(on: Stack, least: number): Promise<void> {
  await on.until(`${least} mails`, () => mailed(on).size >= least);
}

/** Each once, none lost, by the provider; and the ledger says the same. */
async function expectFinished(on: Stack): Promise<void> {
  await on.until(
    "the end",
    async () => (await on.api.deliveryStatus(CAMPAIGN)).state === "finished",
  );
  const { stats, pause } = await on.api.deliveryStatus(CAMPAIGN);
  expect({ ...stats, pause }).toMatchObject({ total: TOTAL, sent: TOTAL, pause: null });
  const counts = Object.fromEntries([...mailed(on)].map(([to, ids]) => [to, ids.length]));
  expect(counts).toEqual(Object.fromEntries(EMAILS.map((email) => [email, 1])));
}

/** These parts are of the previous release, all others of this one. */
const old = (...parts: (keyof Mix)[]): Mix => ({
  edge: parts.includes("edge") ? previous : present,
  campaigns: parts.includes("campaigns") ? previous : present,
  account: parts.includes("account") ? previous : present,
});

describe(`R-version: beside ${PREVIOUS}`, () => {
  it.each<[string, (keyof Mix)[]]>([
    ["its consumer, and the objects of this release", ["edge"]],
    ["its objects, and the consumer of this release", ["campaigns", "account"]],
    ["its consumer and account, and the campaigns of this release", ["edge", "account"]],
  ])("G1, G2, R-version: a campaign with faults and a crash, by %s", async (_, parts) => {
    const on = await begin(old(...parts));
    await untilMailed(on, 40);
    await on.crashAndRestart();
    await expectFinished(on);
  });

  it("G1, G2, G7, R-version: a deploy in the middle, and an attempt to take it back", async () => {
    const before = old("edge", "campaigns", "account");
    const on = await begin(before);
    await untilMailed(on, 60);
    await on.deploy(mixConfigs(old()));
    await untilMailed(on, 100);
    const { stats } = await on.api.pause(CAMPAIGN);

    // Back. What it can't read it refuses, and nobody is mailed; where the schema is the same, it can.
    await on.deploy(mixConfigs(before));
    const asked = await requests(on);
    const read = on.api.deliveryStatus(CAMPAIGN);
    if (MIGRATIONS.length > 1) {
      await expect(read).rejects.toThrow();
      await expect(on.api.resume(CAMPAIGN)).rejects.toThrow();
    } else {
      expect(await read).toMatchObject({ state: "paused" });
    }
    expect(await requests(on)).toBe(asked);

    // And on again: the attempt has lost nothing, and mailed nobody.
    await on.deploy(mixConfigs(old()));
    const after = await on.api.deliveryStatus(CAMPAIGN);
    expect(after).toMatchObject({ state: "paused", stats: { total: TOTAL } });
    expect(after.stats.sent).toBeGreaterThanOrEqual(stats.sent);
    expect(await requests(on)).toBe(asked);
    await on.api.resume(CAMPAIGN);
    await expectFinished(on);
  });
});
