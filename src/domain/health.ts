/**
 * Storage, queue and provider told apart, from what campaigns at work say of them. Nobody is asked for
 * the sake of it: an idle service has nothing to judge from and says so, which is no fault.
 *
 * `down` as a whole, and 503, is only what keeps the Worker itself from serving: its storage. With the
 * queue or the provider gone the API serves and the ledger waits, so that nothing is gained by taking
 * it out of traffic or starting it anew; that is `degraded`, and 200.
 */
import type { PauseReason } from "./campaign.ts";
import {
  PROVIDER_DEAD_SECONDS,
  PROVIDER_FAILING_ATTEMPTS,
  QUEUE_DEAD_SECONDS,
  QUEUE_SLOW_SECONDS,
} from "./limits.ts";
import { queueSilence, type CampaignReading } from "./reading.ts";

/** `idle`: no campaign is at work that could tell. `unknown`: whoever could tell does not answer. */
export const PART_STATUSES = ["ok", "idle", "degraded", "down", "unknown"] as const;
export type PartStatus = (typeof PART_STATUSES)[number];

/** A closed set, since everybody may read it. */
export const HEALTH_REASONS = [
  "storageSilent",
  "campaignSilent",
  "queueSilent",
  "providerFailing",
  "providerHolds",
  "providerRefuses",
] as const;
export type HealthReason = (typeof HEALTH_REASONS)[number];

export type PartHealth = { readonly status: PartStatus; readonly reason?: HealthReason };

export type Health = {
  readonly status: "ok" | "degraded" | "down";
  readonly parts: {
    readonly storage: PartHealth;
    readonly queue: PartHealth;
    readonly provider: PartHealth;
  };
};

export type HealthFacts = {
  /** Of campaigns that were at work lately. */
  readonly readings: readonly CampaignReading[];
  /** Campaigns that were asked and gave no answer. */
  readonly silent: number;
  /** What is left of a silence that the provider asked for. */
  readonly heldMilliseconds: number;
};

const OK: PartHealth = { status: "ok" };
const IDLE: PartHealth = { status: "idle" };

/** What is said where the account's own storage does not answer. */
export const STORAGE_DOWN: Health = {
  status: "down",
  parts: {
    storage: { status: "down", reason: "storageSilent" },
    queue: { status: "unknown" },
    provider: { status: "unknown" },
  },
};

export function healthOf(facts: HealthFacts): Health {
  const parts = {
    storage: facts.silent > 0 ? degraded("campaignSilent") : OK,
    queue: queueHealth(facts),
    provider: providerHealth(facts),
  };
  const isWell = Object.values(parts).every(({ status }) => status === "ok" || status === "idle");
  return { status: isWell ? "ok" : "degraded", parts };
}

/** The longest silence of a campaign's consumers while something of it is on the queue. */
function queueHealth({ readings }: HealthFacts): PartHealth {
  const sending = readings.filter(({ status }) => status.state === "sending");
  const [shortest] = sending.map(queueSilence).toSorted((a, b) => a - b);
  if (shortest === undefined) return IDLE;
  // One queue serves them all: while any campaign is asked for work, it is not the queue.
  if (shortest >= QUEUE_DEAD_SECONDS * 1000) return { status: "down", reason: "queueSilent" };
  const longest = Math.max(...sending.map(queueSilence));
  return longest >= QUEUE_SLOW_SECONDS * 1000 ? degraded("queueSilent") : OK;
}

/** Refusals that concern every campaign, since they are of the account's key or quota. */
const REFUSALS: ReadonlySet<PauseReason> = new Set(["providerAuth", "providerQuota"]);

function providerHealth({ readings, heldMilliseconds }: HealthFacts): PartHealth {
  const pauses = readings.map(({ status }) => status.pause?.reason);
  if (pauses.some((reason) => reason !== undefined && REFUSALS.has(reason))) {
    return { status: "down", reason: "providerRefuses" };
  }
  const sending = readings.filter(({ status }) => status.state === "sending");
  const failing = sending.filter(
    ({ measures }) => (measures.failing?.attempts ?? 0) >= PROVIDER_FAILING_ATTEMPTS,
  );
  const isOld = failing.every(
    ({ measures, now }) => now - (measures.failing?.since ?? now) >= PROVIDER_DEAD_SECONDS * 1000,
  );
  if (failing.length > 0 && failing.length === sending.length && isOld) {
    return { status: "down", reason: "providerFailing" };
  }
  if (failing.length > 0) return degraded("providerFailing");
  if (heldMilliseconds > 0) return degraded("providerHolds");
  return sending.length === 0 ? IDLE : OK;
}

function degraded(reason: HealthReason): PartHealth {
  return { status: "degraded", reason };
}
