/** The settings of a campaign, with the value each has when nothing is said. */
import {
  CALL_MARGIN_SECONDS,
  MAX_ATTEMPTS,
  MAX_BATCH_SIZE,
  MAX_LEASE_SECONDS,
  MAX_REQUESTS_PER_SECOND,
  MAX_WINDOW_SECONDS,
  MIN_LEASE_SECONDS,
} from "./limits.ts";
import { assert } from "./result.ts";

export type Settings = {
  /** Recipients of one request, 1…100. */
  readonly batchSize: number;
  /** How long a consumer has for one attempt, 5…900. */
  readonly leaseSeconds: number;
  /** Attempts of unknown outcome before a batch is left in doubt, 1…100. */
  readonly maxAttempts: number;
  /** How long the provider is trusted to remember a key; 0: it keeps none. */
  readonly idempotencyWindowSeconds: number;
  /** This campaign's own limit beside the account's; null: none. */
  readonly requestsPerSecond: number | null;
  /** Failed among settled, 0…1, above which the campaign pauses itself. */
  readonly pauseAtFailureRate: number;
  /** Dead letters at which the campaign pauses itself. */
  readonly pauseAtDeadLetters: number;
};

export const DEFAULT_SETTINGS: Settings = {
  batchSize: MAX_BATCH_SIZE,
  leaseSeconds: 120,
  maxAttempts: 10,
  idempotencyWindowSeconds: 72_000,
  requestsPerSecond: null,
  pauseAtFailureRate: 0.05,
  pauseAtDeadLetters: 100,
};

/** The range of each setting, both ends allowed. `whole` ones are integers. */
export const SETTING_RANGES = {
  batchSize: { least: 1, most: MAX_BATCH_SIZE, whole: true },
  leaseSeconds: { least: MIN_LEASE_SECONDS, most: MAX_LEASE_SECONDS, whole: true },
  maxAttempts: { least: 1, most: MAX_ATTEMPTS, whole: true },
  idempotencyWindowSeconds: { least: 0, most: MAX_WINDOW_SECONDS, whole: true },
  requestsPerSecond: { least: 0.1, most: MAX_REQUESTS_PER_SECOND, whole: false },
  pauseAtFailureRate: { least: 0, most: 1, whole: false },
  pauseAtDeadLetters: { least: 1, most: 1_000_000, whole: true },
} as const satisfies Record<keyof Settings, { least: number; most: number; whole: boolean }>;

/** Stops at settings that no parser would have let through. */
export function assertSettings(settings: Settings): void {
  for (const [name, range] of Object.entries(SETTING_RANGES)) {
    const value = settings[name as keyof Settings];
    if (value === null && name === "requestsPerSecond") continue;
    const inside = value !== null && value >= range.least && value <= range.most;
    assert(inside && (!range.whole || Number.isInteger(value)), `settings.${name} in range`);
  }
  assert(settings.leaseSeconds > CALL_MARGIN_SECONDS, "a lease outlives the margin of its call");
}
