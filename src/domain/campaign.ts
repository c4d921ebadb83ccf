/**
 * The states of a campaign, what may happen to it, and what is refused in which state.
 *
 * A pause keeps what it interrupted: a campaign that was paused before its scheduled time is
 * scheduled again when it is resumed (SPEC C81), and one that was sending goes on sending.
 */
import { accept, refuse, type Result } from "./result.ts";
import type { Instant } from "./ids.ts";

export const CAMPAIGN_STATES = [
  "draft",
  "scheduled",
  "sending",
  "paused",
  "finished",
  "cancelled",
] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

export const PAUSE_REASONS = [
  "operator",
  "providerAuth",
  "providerQuota",
  "senderRefused",
  "failureRate",
  "deadLetters",
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

export const CAMPAIGN_COMMANDS = [
  "edit", // change the draft, or its recipients
  "schedule", // begin later
  "begin", // begin now, or the scheduled time has come
  "pause",
  "resume",
  "cancel",
  "finish", // nothing is left to do by itself
  "reopen", // a replay has brought work back
  "erase",
] as const;
export type CampaignCommand = (typeof CAMPAIGN_COMMANDS)[number];

export type CampaignRefusal = {
  readonly code: "wrongState";
  readonly state: CampaignState;
  readonly command: CampaignCommand;
};

type Next = CampaignState | "erased";

const TRANSITIONS: Readonly<
  Record<CampaignState, Readonly<Partial<Record<CampaignCommand, Next>>>>
> = {
  draft: {
    edit: "draft",
    schedule: "scheduled",
    begin: "sending",
    cancel: "cancelled",
    erase: "erased",
  },
  // Nothing has been mailed yet, so the content and the audience may still change.
  scheduled: {
    edit: "scheduled",
    begin: "sending",
    pause: "paused",
    resume: "scheduled",
    cancel: "cancelled",
    erase: "erased",
  },
  sending: {
    pause: "paused",
    resume: "sending",
    cancel: "cancelled",
    finish: "finished",
    reopen: "sending",
  },
  // `resume` leads to `scheduled` instead while the scheduled time is still ahead.
  paused: {
    pause: "paused",
    resume: "sending",
    cancel: "cancelled",
    finish: "finished",
    reopen: "paused",
    erase: "erased",
  },
  finished: { finish: "finished", reopen: "sending", erase: "erased" },
  cancelled: { cancel: "cancelled", erase: "erased" },
};

export function campaignAfter(
  state: CampaignState,
  command: CampaignCommand,
): Result<Next, CampaignRefusal> {
  const next = TRANSITIONS[state][command];
  return next === undefined ? refuse({ code: "wrongState", state, command }) : accept(next);
}

/** Where a paused campaign goes on: back to waiting for its time, or to sending. */
export function resumedState(scheduledAt: Instant | null, now: Instant): CampaignState {
  return scheduledAt !== null && scheduledAt > now ? "scheduled" : "sending";
}

/** The pairs of different states that some command leads between; `erased` leaves no row behind. */
export function campaignMoves(): readonly (readonly [CampaignState, CampaignState])[] {
  const moves = CAMPAIGN_STATES.flatMap((from) =>
    Object.values(TRANSITIONS[from])
      .filter((to) => to !== from && to !== "erased")
      .map((to) => [from, to as CampaignState] as const),
  );
  return [...moves, ["paused", "scheduled"] as const];
}
