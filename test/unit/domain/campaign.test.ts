/** Every state × every command of a campaign, spelled out: a change of the machine shows here. */
import { describe, expect, it } from "vitest";
import {
  CAMPAIGN_COMMANDS,
  CAMPAIGN_STATES,
  campaignAfter,
  campaignMoves,
  PAUSE_REASONS,
  resumedState,
  type CampaignCommand,
  type CampaignState,
} from "../../../src/domain/campaign.ts";

const NO = null;
type Next = CampaignState | "erased" | null;

/** A table for each state; commands that are not in it are refused. */
const MATRIX: Record<CampaignState, Record<CampaignCommand, Next>> = {
  draft: {
    edit: "draft",
    schedule: "scheduled",
    begin: "sending",
    pause: NO,
    resume: NO,
    cancel: "cancelled",
    finish: NO,
    reopen: NO,
    erase: "erased",
  },
  scheduled: {
    edit: "scheduled",
    schedule: NO,
    begin: "sending",
    pause: "paused",
    resume: "scheduled",
    cancel: "cancelled",
    finish: NO,
    reopen: NO,
    erase: "erased",
  },
  sending: {
    edit: NO,
    schedule: NO,
    begin: NO,
    pause: "paused",
    resume: "sending",
    cancel: "cancelled",
    finish: "finished",
    reopen: "sending",
    erase: NO,
  },
  paused: {
    edit: NO,
    schedule: NO,
    begin: NO,
    pause: "paused",
    resume: "sending",
    cancel: "cancelled",
    finish: "finished",
    reopen: "paused",
    erase: "erased",
  },
  finished: {
    edit: NO,
    schedule: NO,
    begin: NO,
    pause: NO,
    resume: NO,
    cancel: NO,
    finish: "finished",
    reopen: "sending",
    erase: "erased",
  },
  cancelled: {
    edit: NO,
    schedule: NO,
    begin: NO,
    pause: NO,
    resume: NO,
    cancel: "cancelled",
    finish: NO,
    reopen: NO,
    erase: "erased",
  },
};

describe("campaign", () => {
  it("has these states and commands", () => {
    expect(Object.keys(MATRIX)).toEqual([...CAMPAIGN_STATES]);
    for (const row of Object.values(MATRIX)) {
      expect(Object.keys(row)).toEqual([...CAMPAIGN_COMMANDS]);
    }
  });

  const cases = CAMPAIGN_STATES.flatMap((state) =>
    CAMPAIGN_COMMANDS.map((command): [CampaignState, CampaignCommand, Next] => [
      state,
      command,
      MATRIX[state][command],
    ]),
  );

  it.each(cases)("%s, %s: %s", (state, command, next) => {
    expect(campaignAfter(state, command)).toEqual(
      next === null
        ? { ok: false, refusal: { code: "wrongState", state, command } }
        : { ok: true, value: next },
    );
  });

  it("nothing leads away from cancelled", () => {
    expect(campaignMoves().filter(([from]) => from === "cancelled")).toEqual([]);
  });

  it("C81: a resume before the scheduled time waits for it, at and after it sends", () => {
    expect(resumedState(1001, 1000)).toBe("scheduled");
    expect(resumedState(1000, 1000)).toBe("sending");
    expect(resumedState(null, 1000)).toBe("sending");
  });

  it("has the reasons of the contract for a pause", () => {
    expect(PAUSE_REASONS).toEqual([
      "operator",
      "providerAuth",
      "providerQuota",
      "senderRefused",
      "failureRate",
      "deadLetters",
    ]);
  });
});
