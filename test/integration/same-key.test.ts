/** An idempotency key stands for one set of people and bytes, for as long as a provider remembers. */
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { done } from "./harness/api.ts";
import { campaign, newId, people } from "./harness/campaign.ts";
import { deliver, drive } from "./harness/drive.ts";
import { stage } from "./harness/stage.ts";
import { standIn } from "./harness/stand-in.ts";

const addresses = people(10).map(({ email }) => email);

// Without links of their own the mails of both campaigns are the same, byte for byte.
const making = (id: string, subject: string) => ({
  id,
  recipients: 10,
  settings: { batchSize: 5 },
  more: { subject, unsubscribe: false },
});

describe("an id that is used again after its campaign was erased", () => {
  it.each([
    ["the same mails", "Hello"],
    ["other mails", "Hello again"],
  ])("G1, G2: %s go out under keys that the provider has never seen", async (_, subject) => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const id = newId();
    const first = await campaign(making(id, "Hello"));
    await first.start();
    expect(await drive(first)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    await done("DELETE", first.path);
    await evictDurableObject(first.stub);
    const second = await campaign(making(id, subject));
    await second.start();
    expect(await drive(second)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    // What the ledger calls sent has been accepted: each campaign has mailed everybody once.
    expect(await standIn.totals()).toMatchObject({ accepted: 20, replays: 0 });
    const keys = (await standIn.requests()).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("a batch that waits for its repetition", () => {
  it("G2, G3: is repeated although the clock went back a little behind its sweep", async () => {
    stage.clock.stop();
    stage.queue.mood = () => "keep";
    const one = await campaign({ recipients: 10 });
    await one.start();
    await one.ring();
    const [dispatch = 0] = stage.queue.take(one.id);
    await standIn.faults({ do: "acceptThen500" });
    await deliver(one, dispatch);
    const repeatAt = (await one.deadline()) ?? 0;
    stage.clock.advance(repeatAt - stage.clock.now());
    await one.ring();
    expect(stage.queue.take(one.id)).toEqual([dispatch]);
    // The object has moved to a machine whose clock is behind: the consumer asks too early.
    stage.clock.stop(repeatAt - 5);
    expect(await deliver(one, dispatch)).toBe("acked");
    expect(await one.deadline()).toBeLessThanOrEqual(repeatAt);
    expect(await drive(one)).toMatchObject({ state: "finished", stats: { sent: 10 } });
    await one.expectMailedOnce(addresses);
  });
});
