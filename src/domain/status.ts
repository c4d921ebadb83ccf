/** What a campaign says of itself: its state and numbers that always add up (SPEC G5). */
import type { CampaignState, PauseReason } from "./campaign.ts";
import type { Draft } from "./draft.ts";
import type { CampaignId, Instant } from "./ids.ts";

export type Pause = {
  readonly reason: PauseReason;
  readonly detail: string;
  readonly since: Instant;
};

export type Stats = {
  readonly total: number;
  readonly sent: number;
  readonly reserved: number;
  readonly failed: number;
  readonly remaining: number;
  readonly suppressed: number;
  readonly inDoubt: number;
  readonly cancelled: number;
};

export type Feedback = {
  readonly delivered: number;
  readonly delayed: number;
  readonly bounced: number;
  readonly complained: number;
};

export type DeliveryStatus = {
  readonly campaignId: CampaignId;
  readonly state: CampaignState;
  readonly pause: Pause | null;
  readonly stats: Stats;
  readonly feedback: Feedback;
  readonly duplicatesPrevented: number;
  readonly deadLetters: number;
  readonly ratePerSecond: number;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly expectedFinishAt: Instant | null;
  readonly version: number;
};

export type CampaignView = {
  readonly id: CampaignId;
  readonly draft: Draft;
  readonly createdAt: Instant;
  readonly scheduledAt: Instant | null;
  readonly enrolmentClosed: boolean;
  readonly status: DeliveryStatus;
};
