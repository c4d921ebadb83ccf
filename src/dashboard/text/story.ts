/** What has happened to one recipient, in the order in which it happened. Pure. */
import type { RecipientStory } from "../../client/types.ts";

export type Step = {
  readonly at: string;
  readonly title: string;
  readonly detail: string;
  readonly tone: "plain" | "good" | "bad" | "open";
};

const OUTCOMES = {
  answered: ["The provider has answered", "plain"],
  rejected: ["The provider has refused it", "bad"],
  deferred: ["Put off, nothing accepted", "plain"],
  unknown: ["No answer: it may have been accepted", "open"],
  expired: ["The lease ran out without a report", "open"],
} as const;

const FEEDBACK: Readonly<Record<string, readonly [string, Step["tone"]]>> = {
  sent: ["On its way", "plain"],
  delayed: ["Delayed", "open"],
  delivered: ["Delivered", "good"],
  failed: ["Given up by the provider", "bad"],
  suppressed: ["Stopped by the provider's own list", "bad"],
  bounced: ["Bounced", "bad"],
  complained: ["Complained", "bad"],
};

export function stepsOf(story: RecipientStory): Step[] {
  const attempts = story.attempts.flatMap((attempt): Step[] => {
    const { token, startedAt, expiresAt, endedAt, outcome, reason } = attempt;
    const begun: Step = {
      at: startedAt,
      title: `Attempt ${token}`,
      detail: endedAt === null ? `reserved until ${expiresAt}` : "",
      tone: endedAt === null ? "open" : "plain",
    };
    if (endedAt === null || outcome === null) return [begun];
    if (outcome === "answered") return [begun, answered(story, endedAt)];
    const [title, tone] = OUTCOMES[outcome];
    return [begun, { at: endedAt, title, detail: reason ?? "", tone }];
  });
  const { feedback, suppression } = story;
  const [title, tone] = FEEDBACK[feedback?.state ?? ""] ?? [feedback?.state ?? "", "plain"];
  return [
    ...attempts,
    ...(feedback === null ? [] : [{ at: feedback.at, title, detail: "by webhook", tone } as const]),
    ...(suppression === null ? [] : [suppressed(suppression)]),
  ].toSorted((left, right) => left.at.localeCompare(right.at));
}

/** An answer is for the whole batch; what it said of this one is in its status. */
function answered({ status, reason }: RecipientStory, at: string): Step {
  if (status === "sent") return { at, title: "Accepted by the provider", detail: "", tone: "good" };
  if (status === "failed") {
    return { at, title: "Refused by the provider", detail: reason ?? "", tone: "bad" };
  }
  const [title, tone] = OUTCOMES.answered;
  return { at, title, detail: reason ?? "", tone };
}

function suppressed({ reason, at }: NonNullable<RecipientStory["suppression"]>): Step {
  return { at, title: "Address suppressed", detail: reason, tone: "bad" };
}
