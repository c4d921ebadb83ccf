/** Messages of other releases, as the consumers of this one meet them (SPEC R-version). */
import { describe, expect, it } from "vitest";
import { parseDispatchMessage } from "../../../src/campaign/dispatch-message.ts";
import { parseInquiryMessage } from "../../../src/campaign/inquiry-message.ts";
import { consumeDeadLetters } from "../../../src/queue/dead-letter-consumer.ts";
import type { ConsumerDeps, QueueMessage } from "../../../src/queue/deps.ts";
import { consumeDispatches } from "../../../src/queue/send-consumer.ts";

/** No campaign and no account: whoever asked one would fail. */
const deps = { log: () => undefined } as unknown as ConsumerDeps;

const fateOf = async (
  consume: (messages: readonly QueueMessage[], by: ConsumerDeps) => Promise<void>,
  body: unknown,
  attempts = 1,
): Promise<string> => {
  let fate = "nothing";
  const message = {
    id: "m",
    body,
    attempts,
    ack: () => (fate = "acked"),
    retry: () => (fate = "retried"),
  };
  await consume([message], deps);
  return fate;
};

const later = [
  { v: 2, campaignId: "spring", dispatch: 7 },
  { v: 2, campaignId: "spring", inquiry: 7 },
  { v: 3, somethingElse: true },
];

describe("messages of other releases", () => {
  it.each(later)("R-version: %j of a later one is retried and never dropped", async (body) => {
    for (const attempts of [1, 6, 20]) {
      expect(await fateOf(consumeDispatches, body, attempts)).toBe("retried");
      expect(await fateOf(consumeDeadLetters, body, attempts)).toBe("retried");
    }
  });

  it("R-version: what no release has written is not kept among the dead letters", async () => {
    expect(await fateOf(consumeDeadLetters, { v: "2" })).toBe("acked");
    expect(await fateOf(consumeDeadLetters, "not a dispatch")).toBe("acked");
  });

  it("R-version: fields that this one doesn't know are ignored", () => {
    const more = { hint: "by a later release" };
    const dispatch = { v: 1, campaignId: "spring", dispatch: 7 };
    expect(parseDispatchMessage({ ...dispatch, ...more })).toEqual(dispatch);
    const inquiry = { v: 1, campaignId: "spring", inquiry: 7 };
    expect(parseInquiryMessage({ ...inquiry, ...more })).toEqual(inquiry);
  });
});
