/**
 * One campaign of 5,000, and SIGKILL for the whole process group of `wrangler dev` twenty times in its
 * life: right after answers, at named moments of the work, and at drawn ones. Each time it comes back
 * on the same folder and nobody tells it to go on. Local queue messages don't survive a kill.
 *
 * The verdict is the provider's: its log, in a process that nobody kills, has everybody once.
 *
 * SENDONCE_E2E_SEED, SENDONCE_E2E_DRAWN_KILLS and SENDONCE_E2E_RECIPIENTS make another run of it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import { seededChance } from "../support/chance.ts";
import { CSV, PEOPLE, RECIPIENTS } from "./audience.ts";
import { drawnMoment } from "./moments.ts";
import { PATIENCE_MILLISECONDS, Stack } from "./stack.ts";

const CAMPAIGN = "spring";
const SEED = Number(process.env["SENDONCE_E2E_SEED"] ?? 1);
const DRAWN = Number(process.env["SENDONCE_E2E_DRAWN_KILLS"] ?? 11);
const SUPPRESSED = PEOPLE.filter((_, index) => index % 1_000 === 7 && index < 5_000).map(
  ({ email }) => email,
);
const MAILED = RECIPIENTS - SUPPRESSED.length;

const chance = seededChance(SEED);
let stack: Stack;

const status = () => stack.api.deliveryStatus(CAMPAIGN);
const requests = async () => (await stack.provider.counts()).requests;
const accepted = async () => (await stack.provider.counts()).accepted;

/** What goes on after a crash goes on by itself: asked is the provider, and not the campaign. */
async function untilMoreIsAccepted(): Promise<void> {
  const before = await accepted();
  await stack.until("a further mail", async () => (await accepted()) > before);
}

beforeAll(async () => {
  stack = await Stack.start({ requestsPerSecond: 20 });
});

afterAll(() => stack?.stop());

/** These are steps of one life: after a failure the later ones would only wait for what can't come. */
let isBroken = false;
beforeEach(({ skip }) => {
  skip(isBroken, "an earlier step has failed");
  onTestFailed(() => {
    isBroken = true;
  });
});

describe(`a campaign of ${RECIPIENTS} and a process that is killed (seed ${SEED})`, () => {
  it("C24, G7: at 40 % of an import; the upload repeated completes it", async () => {
    await stack.api.create({
      id: CAMPAIGN,
      name: "Spring sale",
      from: "The Shop <news@shop.example>",
      subject: "Hello {{ firstName }}",
      text: "Everything is 20 % off, {{ firstName }}.",
      settings: { batchSize: 25, leaseSeconds: 5, maxAttempts: 100 },
    });
    const part = new TextEncoder().encode(CSV.slice(0, Math.floor(CSV.length * 0.4)));
    const stuck = new ReadableStream<Uint8Array>({ start: (body) => body.enqueue(part) });
    const upload = stack.api.upload(CAMPAIGN, { body: stuck, format: "text/csv" });
    const broken = expect(upload).rejects.toThrow();
    let seen = 0;
    await stack.until("a stored page", async () => {
      seen = (await status()).stats.total;
      return seen > 0;
    });
    await stack.crashAndRestart();
    await broken;

    const before = (await status()).stats.total;
    expect(before).toBeGreaterThanOrEqual(seen);
    expect(before).toBeLessThan(RECIPIENTS);
    const report = await stack.api.upload(CAMPAIGN, { body: CSV, format: "text/csv" });
    await stack.crashAndRestart();
    expect(report).toMatchObject({
      added: RECIPIENTS - before,
      duplicates: before,
      invalid: 0,
      total: RECIPIENTS,
    });
    expect((await status()).stats).toMatchObject({ total: RECIPIENTS, remaining: RECIPIENTS });
  });

  it("G7: right after the answers to an edit and to a suppression", async () => {
    await stack.api.change(CAMPAIGN, { subject: "Dear {{ firstName }}" });
    await stack.crashAndRestart();
    expect((await stack.api.campaign(CAMPAIGN)).subject).toBe("Dear {{ firstName }}");

    await stack.api.suppress(SUPPRESSED);
    await stack.crashAndRestart();
    const list = await stack.api.suppressions().page();
    expect(list.items.map(({ address }) => address).toSorted()).toEqual(SUPPRESSED);
    expect((await status()).stats).toMatchObject({
      suppressed: SUPPRESSED.length,
      remaining: MAILED,
    });
  });

  it("C24, C26, G7: right after the answer to the start, while the dispatches go out", async () => {
    await stack.api.start(CAMPAIGN);
    await sleep(Math.floor(chance() * 50));
    await stack.crashAndRestart();
    await untilMoreIsAccepted();
  });

  it("C20, G1: while the provider holds its answers; the batches keep key and bytes", async () => {
    await stack.provider.fault({ do: "acceptThenHang", times: 3 });
    const held = () =>
      stack.providerLog.requests().filter(({ fault }) => fault === "acceptThenHang");
    await stack.until("held answers", () => held().length === 3);
    await stack.crashAndRestart();
    for (const { key, bodyDigest } of held()) {
      const repeats = () =>
        stack.providerLog.requests().filter((each) => each.key === key && each.replay);
      await stack.until(`a repeat of ${key}`, () => repeats().length > 0);
      expect(repeats().map((each) => each.bodyDigest)).toContain(bodyDigest);
    }
  });

  it("C20: between the provider's answer and the report", async () => {
    await stack.provider.fault({ do: "slow", milliseconds: 600_000, times: 2 });
    const slow = () => stack.providerLog.requests().filter(({ fault }) => fault === "slow").length;
    await stack.until("slow answers", () => slow() === 2);
    await stack.provider.post("release");
    await stack.crashAndRestart();
    await untilMoreIsAccepted();
  });

  it("C26, G4, G7: right after the answer to a pause; nothing is sent till it is resumed", async () => {
    await stack.api.pause(CAMPAIGN);
    await stack.crash();
    // What the dead had written to its sockets still arrives.
    await sleep(500);
    const before = await requests();
    await stack.restart();
    expect(await status()).toMatchObject({ state: "paused", pause: { reason: "operator" } });
    // The leases that were out at the crash have run out: the sweep has been there.
    await stack.until("the end of all leases", async () => {
      const query = { status: "reserved", limit: 1_000 } as const;
      const { items } = await stack.api.recipients(CAMPAIGN, query).page();
      const batches = new Map(items.map(({ batch, id }) => [batch, id]));
      const stories = await Promise.all(
        [...batches.values()].map((id) => stack.api.recipient(CAMPAIGN, id)),
      );
      // A batch whose attempt was reported as unknown waits as well; only a lease has no outcome.
      return stories.every(({ attempts }) => (attempts.at(-1)?.outcome ?? null) !== null);
    });
    expect(await requests()).toBe(before);

    await stack.api.resume(CAMPAIGN);
    await sleep(Math.floor(chance() * 50));
    await stack.crashAndRestart();
    await untilMoreIsAccepted();
  });

  it(
    `C20, C26, G2: at ${DRAWN} drawn moments`,
    { timeout: DRAWN * PATIENCE_MILLISECONDS },
    async () => {
      const moments: string[] = [];
      onTestFailed(() => console.error(`killed: ${moments.join("; ")}`));
      for (let kill = 1; kill <= DRAWN; kill += 1) {
        const moment = await drawnMoment(stack, chance);
        moments.push(`${moment}, with ${await accepted()} accepted`);
        await stack.crashAndRestart();
      }
    },
  );

  it("G1, G2, G5: in the end everybody has been mailed once, by the provider's log", async () => {
    await stack.until("the last mail", async () => (await accepted()) >= MAILED);
    await stack.until("the end", async () => (await status()).state === "finished");
    const mails = stack.providerLog.acceptedOf(CAMPAIGN);
    const twice = [...mails].filter(([, ids]) => ids.length > 1);
    expect(twice).toEqual([]);
    const mailed = PEOPLE.map(({ email }) => email).filter((email) => !SUPPRESSED.includes(email));
    expect([...mails.keys()].toSorted()).toEqual(mailed);
    expect((await status()).stats).toEqual({
      total: RECIPIENTS,
      sent: MAILED,
      reserved: 0,
      failed: 0,
      remaining: 0,
      suppressed: SUPPRESSED.length,
      inDoubt: 0,
      cancelled: 0,
    });
    console.log(
      `${stack.crashes} kills, ${RECIPIENTS} recipients, seed ${SEED}: ` +
        `${mails.size} mailed once, ${twice.length} twice, ${MAILED - mails.size} lost`,
    );
  });

  it("G3: every attempt of a batch had the same key and the same bytes", () => {
    const digests = Map.groupBy(stack.providerLog.requests(), ({ key }) => key);
    const different = [...digests].filter(
      ([, asked]) => new Set(asked.map(({ bodyDigest }) => bodyDigest)).size > 1,
    );
    expect(different).toEqual([]);
  });

  it("the ledger knows each mail by the provider's id", async () => {
    const mails = stack.providerLog.acceptedOf(CAMPAIGN);
    const ids = new Map<string, string[]>();
    const sent = stack.api.recipients(CAMPAIGN, { status: "sent", limit: 1_000 });
    for await (const { email, providerId } of sent) ids.set(email, [providerId ?? ""]);
    expect(ids.size).toBe(MAILED);
    expect(Object.fromEntries(ids)).toEqual(Object.fromEntries(mails));
  });
});
