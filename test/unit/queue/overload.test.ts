/** An object without time or room is trouble on the way: the message goes back, nobody is mailed. */
import { describe, expect, it } from "vitest";
import type { CampaignRpc } from "../../../src/campaign/rpc.ts";
import type { ConsumerDeps, QueueMessage } from "../../../src/queue/deps.ts";
import { consumeDispatches } from "../../../src/queue/send-consumer.ts";

const TROUBLES = [
  Object.assign(new Error("busy"), { overloaded: true }),
  new Error("Durable Object is overloaded. Requests queued for too long."),
  new Error("database or disk is full: SQLITE_FULL"),
];

function failingAt(method: "decline" | "takeSlot" | "reserve", error: Error) {
  const calls: string[] = [];
  const answer = (name: string, value: unknown) => async (): Promise<unknown> => {
    calls.push(name);
    if (name === method) throw error;
    return value;
  };
  const campaign = {
    decline: answer("decline", { ok: true, value: null }),
    reserve: answer("reserve", null),
  } as unknown as CampaignRpc;
  const account = {
    takeSlot: answer("takeSlot", { taken: true, waitMilliseconds: 0, epoch: 0 }),
  };
  const deps = {
    campaign: () => campaign,
    account: () => account,
    provider: { sendBatch: answer("send", null) },
    monotonic: () => 0,
    sleep: async () => undefined,
    newClaim: () => "claim",
    log: () => undefined,
  } as unknown as ConsumerDeps;
  return { deps, calls };
}

describe.each(TROUBLES)("R-overload: %s", (error) => {
  it.each([
    ["decline", ["decline"]],
    ["takeSlot", ["decline", "takeSlot"]],
    ["reserve", ["decline", "takeSlot", "reserve"]],
  ] as const)("R-overload: at %s the message is retried later", async (method, asked) => {
    const { deps, calls } = failingAt(method, error);
    const fates: unknown[] = [];
    const message: QueueMessage = {
      id: "m",
      attempts: 2,
      body: { v: 1, campaignId: "spring", dispatch: 1 },
      ack: () => fates.push("acked"),
      retry: (options) => fates.push(options),
    };
    await consumeDispatches([message], deps);
    expect(fates).toEqual([{ delaySeconds: 4 }]);
    expect(calls).toEqual(asked);
  });
});
