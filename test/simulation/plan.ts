/**
 * What a seed is about: which faults exist at all, how wild they are, and how the campaigns look.
 *
 * The plan has a random stream of its own, so that a plan made smaller by hand (`Limits`) leaves the
 * stream of the world as it was.
 */
import type { Settings } from "../../src/domain/settings.ts";
import { FAULTS, type FaultKind } from "./faults.ts";
import { KEYLESS_THEME, LONG_THEME, NO_THEME, THEMES, type Theme } from "./themes.ts";
import { Random } from "./random.ts";

/** How far a clock may be from the world's. */
export const MOST_SKEW_MILLISECONDS = 5_000;

export type CampaignPlan = {
  readonly id: string;
  readonly external: boolean;
  readonly recipients: number;
  readonly settings: Settings;
  /** Shares of recipients whose address the provider refuses, and whose data the template refuses. */
  readonly badShare: number;
  readonly unrenderableShare: number;
};

export type Plan = {
  readonly seed: number;
  /** How likely each existing fault is at each opportunity. */
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly campaigns: readonly CampaignPlan[];
  readonly requestsPerSecond: number;
  /** How long the faults last, in seconds. */
  readonly faultSeconds: number;
  /** The faults outlast the provider's memory; the operator's pauses then last for hours. */
  readonly isLong: boolean;
  /** The provider keeps no keys; campaigns then have a window of 0. */
  readonly keyless: boolean;
  /** Whether the provider tells anything after its answers. */
  readonly webhooks: boolean;
  readonly cachesErrors: boolean;
  readonly permissive: boolean;
  /** Whether a refusal of the whole request says who is at fault. */
  readonly namesFaults: boolean;
  readonly queueBatch: number;
  readonly consumers: number;
};

/** What makes a plan smaller, or points it at one thing. */
export type Limits = {
  readonly only?: readonly FaultKind[];
  readonly recipients?: number;
  readonly campaigns?: number;
  readonly faultSeconds?: number;
  /** Under this theme whatever the seed draws. */
  readonly theme?: Theme;
};

/** How likely a fault is at one opportunity before its wildness is drawn. */
const LIKELY: Readonly<Record<FaultKind, number>> = {
  queueDuplicates: 0.2,
  queueDelays: 0.2,
  queueLoses: 0.3,
  queueThrows: 0.3,
  queueHangs: 0.2,
  queueTakesPart: 0.3,
  queueDeadLetters: 0.15,
  consumerDies: 0.05,
  consumerLosesAcks: 0.2,
  consumerStalls: 0.08,
  requestLost: 0.03,
  answerLost: 0.05,
  networkSlow: 0.05,
  overloaded: 0.03,
  providerLosesAnswer: 0.2,
  providerAcceptsLate: 0.15,
  providerLimitsRate: 0.2,
  providerFails: 0.2,
  providerFailsAfter: 0.15,
  providerHalfAnswers: 0.15,
  providerSlow: 0.15,
  providerSaysDrifted: 0.03,
  providerQuota: 0.04,
  providerRefusesKey: 0.04,
  providerRefusesSender: 0.04,
  providerBadAddress: 0.3,
  providerDown: 0.3,
  webhookNever: 0.6,
  webhookLate: 0.5,
  webhookEarly: 0.4,
  webhookTwice: 0.3,
  webhookBounces: 0.15,
  crashBeforeCommit: 0.02,
  crashAfterCommit: 0.02,
  eviction: 0.08,
  clockSkew: 1,
  clockJump: 0.7,
  alarmLate: 0.3,
  alarmTwice: 0.2,
  alarmThrows: 0.2,
  pauses: 0.6,
  cancels: 0.06,
  suppresses: 0.6,
  replaysFailed: 0.4,
  replaysDeadLetters: 0.4,
  replaysDoubts: 0.2,
  resolves: 0.4,
  startsTwice: 0.2,
  schedules: 0.5,
};

/** Idempotency windows in seconds. */
const WINDOWS = [30, 300, 3600, 72_000, 72_000, 86_400];

function drawSettings(random: Random, recipients: number, theme: Theme): Settings {
  const batches = random.whole(1, 24);
  const wanted = random.chance(0.3) ? random.skewed(1, 100) : Math.ceil(recipients / batches);
  const least = Math.ceil(recipients / 40);
  return {
    batchSize: Math.min(100, Math.max(wanted, least)),
    leaseSeconds: random.pick(theme.leases ?? [5, 8, 20, 60, 120, 900]),
    maxAttempts: random.pick(theme.attempts ?? [1, 2, 3, 10, 10, 20]),
    idempotencyWindowSeconds: random.pick(theme.windows ?? WINDOWS),
    requestsPerSecond: random.chance(0.2) ? random.pick([0.5, 2, 7]) : null,
    pauseAtFailureRate: random.pick([0.05, 0.3, 1]),
    pauseAtDeadLetters: random.pick([1, 2, 5, 100]),
  };
}

function drawCampaign(random: Random, id: string, most: number, theme: Theme): CampaignPlan {
  const recipients = random.skewed(1, most);
  return {
    id,
    external: random.chance(0.15),
    recipients,
    settings: drawSettings(random, recipients, theme),
    badShare: random.next(),
    unrenderableShare: random.chance(0.15) ? 0.1 * random.next() : 0,
  };
}

function drawTheme(random: Random, isLong: boolean): Theme {
  if (isLong) return LONG_THEME;
  if (random.chance(0.06)) return KEYLESS_THEME;
  return random.chance(0.6) ? random.pick(THEMES) : NO_THEME;
}

function drawFaults(random: Random, theme: Theme, limits: Limits): Map<FaultKind, number> {
  const faults = new Map<FaultKind, number>();
  const hasTheme = theme.kinds.length > 0;
  const share = random.pick(hasTheme ? [0, 0.1, 0.25] : [0.1, 0.25, 0.5, 0.8]);
  const wildness = theme.wildness ?? random.pick(hasTheme ? [1, 1, 2] : [0.3, 1, 1, 2]);
  for (const kind of FAULTS) {
    const exists = random.chance(share) || theme.kinds.includes(kind);
    const likely = LIKELY[kind] * wildness * (0.5 + random.next());
    if (exists && (limits.only === undefined || limits.only.includes(kind))) {
      faults.set(kind, Math.min(likely, 0.9));
    }
  }
  return faults;
}

export function drawPlan(seed: number, limits: Limits = {}): Plan {
  const random = new Random(seed);
  const isLong = random.chance(0.08);
  const theme = limits.theme ?? drawTheme(random, isLong);
  const faults = drawFaults(random, theme, limits);
  const count = Math.min(random.pick([1, 1, 1, 2, 3]), limits.campaigns ?? 3);
  const most = random.pick([8, 40, 40, 120, 300]);
  const campaigns = Array.from({ length: count }, (_, index) =>
    drawCampaign(random, `c${index + 1}`, most, theme),
  );
  const faultSeconds = isLong ? 100_000 : random.skewed(20, 1200);
  return {
    seed,
    faults,
    campaigns: campaigns.map((campaign) => ({
      ...campaign,
      recipients: Math.min(campaign.recipients, limits.recipients ?? campaign.recipients),
    })),
    requestsPerSecond: random.pick([2, 10, 10, 50]),
    faultSeconds: Math.min(faultSeconds, limits.faultSeconds ?? faultSeconds),
    isLong,
    keyless: theme === KEYLESS_THEME,
    webhooks: theme.webhooks ?? random.chance(0.5),
    cachesErrors: random.chance(0.4),
    permissive: random.chance(0.5) || theme.permissive === true,
    namesFaults: random.chance(0.5),
    queueBatch: random.pick([1, 3, 25]),
    consumers: random.pick([1, 4, 20]),
  };
}
