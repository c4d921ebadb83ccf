/** Each part of the health is judged by itself: one that fails leaves the others as they are. */
import { describe, expect, it } from "vitest";
import type { PauseReason } from "../../../src/domain/campaign.ts";
import { healthOf, type HealthFacts } from "../../../src/domain/health.ts";
import { NOTHING_MEASURED } from "../../../src/domain/measures.ts";
import type { CampaignReading } from "../../../src/domain/reading.ts";
import { NOW, READING } from "../http/reading.ts";

type Change = {
  readonly silentSeconds?: number;
  readonly failing?: { readonly attempts: number; readonly seconds: number };
  readonly pause?: PauseReason;
};

function reading({ silentSeconds = 0, failing, pause }: Change = {}): CampaignReading {
  const sentAt = NOW - silentSeconds * 1000;
  const state = pause === undefined ? ("sending" as const) : ("paused" as const);
  return {
    ...READING,
    status: {
      ...READING.status,
      state,
      pause: pause === undefined ? null : { reason: pause, detail: "", since: NOW },
    },
    outbox: { due: 0, out: 1, oldestSentAt: sentAt, heardAt: sentAt },
    measures: {
      ...NOTHING_MEASURED,
      failing:
        failing === undefined
          ? null
          : { attempts: failing.attempts, since: NOW - failing.seconds * 1000 },
    },
  };
}

const health = (facts: Partial<HealthFacts>) =>
  healthOf({ readings: [], silent: 0, heldMilliseconds: 0, ...facts });

/** The statuses of storage, queue and provider, and of them together. */
function statuses(facts: Partial<HealthFacts>): string {
  const { status, parts } = health(facts);
  return (
    [parts.storage, parts.queue, parts.provider].map((part) => part.status).join(" ") +
    ` = ${status}`
  );
}

describe("health", () => {
  it.each<[string, Partial<HealthFacts>, string]>([
    ["nobody at work says nothing", {}, "ok idle idle = ok"],
    ["all is well", { readings: [reading()] }, "ok ok ok = ok"],
    [
      "a campaign does not answer",
      { readings: [reading()], silent: 1 },
      "degraded ok ok = degraded",
    ],
    [
      "nobody asks for a minute",
      { readings: [reading({ silentSeconds: 60 })] },
      "ok degraded ok = degraded",
    ],
    [
      "nobody asks for five",
      { readings: [reading({ silentSeconds: 300 })] },
      "ok down ok = degraded",
    ],
    [
      "one campaign of two is asked for",
      { readings: [reading({ silentSeconds: 300 }), reading()] },
      "ok degraded ok = degraded",
    ],
    [
      "two failures in a row are nothing",
      { readings: [reading({ failing: { attempts: 2, seconds: 900 } })] },
      "ok ok ok = ok",
    ],
    [
      "three are something",
      { readings: [reading({ failing: { attempts: 3, seconds: 10 } })] },
      "ok ok degraded = degraded",
    ],
    [
      "and for long, everything",
      { readings: [reading({ failing: { attempts: 3, seconds: 300 } })] },
      "ok ok down = degraded",
    ],
    [
      "one campaign fails and another does not",
      { readings: [reading({ failing: { attempts: 9, seconds: 900 } }), reading()] },
      "ok ok degraded = degraded",
    ],
    [
      "the provider wants silence",
      { readings: [reading()], heldMilliseconds: 1 },
      "ok ok degraded = degraded",
    ],
    [
      "the provider refuses the key",
      { readings: [reading({ pause: "providerAuth" })] },
      "ok idle down = degraded",
    ],
    [
      "the quota is used up",
      { readings: [reading({ pause: "providerQuota" }), reading()] },
      "ok ok down = degraded",
    ],
    ["an operator has paused", { readings: [reading({ pause: "operator" })] }, "ok idle idle = ok"],
  ])("%s", (_, facts, expected) => {
    expect(statuses(facts)).toBe(expected);
  });

  it("names its reasons", () => {
    const { parts } = health({
      readings: [reading({ silentSeconds: 90, failing: { attempts: 5, seconds: 9 } })],
      silent: 1,
    });
    expect(parts).toEqual({
      storage: { status: "degraded", reason: "campaignSilent" },
      queue: { status: "degraded", reason: "queueSilent" },
      provider: { status: "degraded", reason: "providerFailing" },
    });
  });
});
