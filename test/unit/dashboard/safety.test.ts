import { describe, expect, it } from "vitest";
import { CAMPAIGN_STATES, PAUSE_REASONS } from "../../../src/domain/campaign.ts";
import { shownStatus } from "../../../src/domain/shown.ts";
import type { DeliveryStatus, Stats } from "../../../src/domain/status.ts";
import * as consequence from "../../../src/dashboard/text/consequence.ts";
import { safetyOf } from "../../../src/dashboard/text/safety.ts";
import { barText, segmentsOf, settled } from "../../../src/dashboard/text/segments.ts";
import { NOW, STATUS } from "../http/api.ts";

const STATS: Stats = {
  total: 12_480,
  sent: 8_520,
  reserved: 120,
  failed: 40,
  remaining: 3_800,
  suppressed: 0,
  inDoubt: 0,
  cancelled: 0,
};

function said(
  status: Partial<DeliveryStatus>,
  more: { now?: number; scheduledAt?: string; delivery?: "external"; closed?: boolean } = {},
) {
  const { now = NOW, scheduledAt = null, delivery, closed = false } = more;
  const situation = {
    status: shownStatus({ ...STATUS, stats: STATS, ...status }),
    leaseSeconds: 120,
    scheduledAt,
    delivery: delivery ?? ("managed" as const),
    enrolmentClosed: closed,
  };
  const { tone, title, lines } = safetyOf(situation, now, "UTC");
  return { tone, title, text: lines.join(" ") };
}

const paused = (reason: (typeof PAUSE_REASONS)[number], stats: Partial<Stats> = {}) =>
  ({
    state: "paused",
    pause: { reason, detail: "the detail", since: NOW - 10_000 },
    stats: { ...STATS, ...stats },
  }) as const;

describe("what is safe to do now", () => {
  it("G4: says of a pause how many are in flight, and until when at the latest", () => {
    const { title, text } = said(paused("operator"));
    expect(title).toBe("Paused by the operator");
    expect(text).toBe(
      "120 in flight until 12:01:50 at the latest; nobody new is mailed. " +
        "3,800 recipients not mailed yet, waiting for you.",
    );
  });

  it("knows that nothing is on its way once every lease has run out", () => {
    const { text } = said(paused("operator"), { now: NOW + 110_000 });
    expect(text).toContain("Nothing is on its way. 120 wait to be asked for again");
    expect(said(paused("operator", { reserved: 0 })).text).toContain("Nothing is in flight.");
  });

  it("says what to do before a resume, where the campaign has paused itself", () => {
    for (const reason of PAUSE_REASONS) {
      const { tone, text } = said(paused(reason));
      expect(tone).toBe(reason === "operator" ? "calm" : "attention");
      expect(text.includes("the detail")).toBe(reason !== "operator");
    }
    expect(said(paused("providerAuth")).text).toContain("Set RESEND_API_KEY");
  });

  it("C81: a pause before the scheduled time has mailed nobody, and says when it starts", () => {
    const before = { ...paused("operator", { reserved: 0 }), startedAt: null };
    const ahead = said(before, { scheduledAt: new Date(NOW + 60_000).toISOString() });
    expect(ahead.text).toContain(
      "Nothing has been mailed. Resumed before 12:01:00, it starts then.",
    );
    const past = said(before, { scheduledAt: new Date(NOW - 60_000).toISOString() });
    expect(past.text).toContain("resumed, it starts at once");
  });

  it("names the doubts of a campaign that is over", () => {
    const stats = { ...STATS, inDoubt: 12 };
    const over = { state: "finished", finishedAt: NOW, stats } as const;
    expect(said(over)).toMatchObject({ tone: "attention", title: "Finished at 12:00:00" });
    expect(said(over).text).toContain("12 in doubt");
    const clean = { ...over, stats: { ...STATS, failed: 0, reserved: 0 } };
    expect(said(clean)).toMatchObject({ tone: "done" });
  });

  it("tells an external campaign that waits from one that sends", () => {
    const stats = { ...STATS, reserved: 0, remaining: 0 };
    const open = said({ state: "sending", stats }, { delivery: "external" });
    expect(open.title).toBe("Waiting for its consumers");
    const closed = said({ state: "sending", stats }, { delivery: "external", closed: true });
    expect(closed.title).toBe("Sending");
  });

  it("has a word for every state", () => {
    for (const state of CAMPAIGN_STATES) {
      const { title, text } = said({ state });
      expect(title).not.toBe("");
      expect(text).not.toMatch(/undefined|null|NaN/);
    }
  });
});

describe("what an action will do", () => {
  it("is said in numbers before a cancel", () => {
    const { lines, isDangerous } = consequence.ofCancel(STATS);
    expect(lines[0]).toBe("Cancels 3,800 recipients not mailed yet.");
    expect(lines[1]).toContain("120 in flight can still finish");
    expect(isDangerous).toBe(true);
  });

  it("has to be accepted in words where somebody may be mailed twice", () => {
    expect(consequence.ofReplayDoubts(12).accept).toContain("twice");
    expect(consequence.ofReplayFailed(12).accept).toBeNull();
  });

  it("says of a start that it would mail nobody, or that its consumers do", () => {
    const nobody = { ...STATS, remaining: 0 };
    expect(consequence.ofStart(nobody, "managed", null, 0).lines[0]).toBe(
      "There is nobody to mail yet: add recipients first.",
    );
    expect(consequence.ofStart(nobody, "external", null, null).lines).toEqual([
      "Its consumers may reserve from then on, and bring their own recipients.",
      "You can pause at any time. It ends when you close the enrolment and all are settled.",
    ]);
  });

  it("counts whom a start mails, and how long that takes", () => {
    const { lines } = consequence.ofStart({ ...STATS, suppressed: 7 }, "managed", 2, 65);
    expect(lines.slice(0, 3)).toEqual([
      "Mails 3,800 recipients, in about 1 min 5 s.",
      "Leaves out 7 suppressed.",
      "It makes at most 2 requests a second.",
    ]);
  });
});

describe("the bar", () => {
  it("G5: has segments that add up to the total", () => {
    const sum = segmentsOf(STATS).reduce((total, { count }) => total + count, 0);
    expect(sum).toBe(STATS.total);
    expect(settled(STATS)).toBe(8_560);
  });

  it("has its numbers in words, for those who can't see it", () => {
    expect(barText(STATS)).toBe(
      "12,480 recipients: 8,520 sent, 40 failed, 120 in flight, 3,800 remaining.",
    );
    expect(barText({ ...STATS, total: 0 })).toBe("No recipients yet.");
  });
});
