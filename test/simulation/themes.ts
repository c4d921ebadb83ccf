/**
 * Faults that say little alone, and the settings under which they meet: a share of the seeds has
 * one of these for certain, so that rare coincidences are not left to chance.
 */
import type { FaultKind } from "./faults.ts";

export type Theme = {
  readonly kinds: readonly FaultKind[];
  readonly leases?: readonly number[];
  readonly attempts?: readonly number[];
  readonly windows?: readonly number[];
  /** A webhook settles at once what a slow consumer would report late. */
  readonly webhooks?: boolean;
  readonly permissive?: true;
  /** Beyond what is drawn otherwise, where only much of it meets. */
  readonly wildness?: number;
};

export const NO_THEME: Theme = { kinds: [] };

/** Refusals of single members, told by a consumer whose lease somebody else has by now. */
const LATE_REFUSALS: Theme = {
  kinds: ["consumerStalls", "providerBadAddress", "providerFails", "providerLimitsRate"],
  wildness: 1.5,
  leases: [5],
  attempts: [10],
  webhooks: false,
  permissive: true,
};

/** The same more often, for a fault that nothing but the moment between two reports can tell. */
export const MANY_LATE_REFUSALS: Theme = {
  ...LATE_REFUSALS,
  kinds: ["consumerStalls", "providerBadAddress", "providerFails", "networkSlow"],
  wildness: 2,
};

/** Suppressions of people who are with a consumer, beside others who are. */
export const SUPPRESSED_IN_FLIGHT: Theme = { kinds: ["suppresses", "providerSlow"], wildness: 2 };

/** Webhooks that prove a mail of somebody who was cancelled meanwhile. */
export const LATE_PROOFS: Theme = {
  kinds: ["webhookLate", "replaysDoubts", "cancels", "pauses", "providerHalfAnswers"],
  attempts: [1],
  windows: [1],
  webhooks: true,
};

/** The same of somebody who was put back, and suppressed while they waited. */
export const PROOFS_OF_THE_SUPPRESSED: Theme = {
  kinds: ["webhookLate", "replaysDoubts", "suppresses", "pauses", "providerHalfAnswers"],
  attempts: [1],
  windows: [1],
  webhooks: true,
};

/** An acceptance that becomes known after the operator has settled things otherwise. */
export const LATE_ACCEPTANCES: Theme = {
  kinds: ["consumerStalls", "replaysDoubts", "resolves", "cancels", "providerSlow", "pauses"],
  attempts: [1],
  leases: [5],
};

/** A message that comes twice, to a consumer that dies or is not heard, around a pause. */
export const PAUSED_REDELIVERIES: Theme = {
  kinds: ["queueDuplicates", "consumerDies", "answerLost", "pauses"],
};

/** Suppressions of people whose batch waits to be repeated. */
export const SUPPRESSED_WHILE_WAITING: Theme = {
  kinds: ["providerLimitsRate", "queueDelays", "suppresses", "consumerStalls"],
};

export const THEMES: readonly Theme[] = [
  LATE_ACCEPTANCES,
  LATE_PROOFS,
  PROOFS_OF_THE_SUPPRESSED,
  PAUSED_REDELIVERIES,
  // A consumer that comes back after its lease, while another holds the batch.
  {
    kinds: ["consumerStalls", "providerLimitsRate", "providerSlow", "providerFails"],
    leases: [5],
    attempts: [10],
    webhooks: false,
  },
  LATE_REFUSALS,
  {
    kinds: ["consumerStalls", "providerLimitsRate", "providerFails"],
    wildness: 1.5,
    leases: [5],
    attempts: [20],
    webhooks: false,
  },
  { kinds: ["clockSkew", "clockJump", "eviction", "crashAfterCommit", "networkSlow"] },
  { kinds: ["providerBadAddress", "replaysFailed", "suppresses", "pauses"] },
  SUPPRESSED_WHILE_WAITING,
  { kinds: ["queueLoses", "queueThrows", "queueTakesPart", "crashBeforeCommit"] },
  { kinds: ["queueDeadLetters", "overloaded", "replaysDeadLetters", "requestLost"] },
];

/** What it takes to come near the end of the provider's memory with an unknown attempt. */
export const LONG_THEME: Theme = {
  kinds: ["pauses", "consumerStalls", "providerLosesAnswer", "providerAcceptsLate"],
  windows: [3_600, 72_000, 86_400],
};

/** A provider that keeps no keys: campaigns have a window of 0. */
export const KEYLESS_THEME: Theme = { kinds: ["providerLosesAnswer"], windows: [0] };
