/** The whole story of one recipient, in words: what happened, how it is known, and what may be done. */
import type { Attempt, RecipientStory } from "../client/types.ts";
import { duration, moment, plain, some } from "./format.ts";

export function storyText(campaign: string, story: RecipientStory): string {
  const named = story.id === story.email ? "" : ` <${plain(story.email)}>`;
  const lines = [
    `${plain(story.id)}${named}: ${verdictOn(story)}`,
    ...batchLines(story),
    ...story.attempts.map((attempt, index) => `  ${index + 1}. ${attemptText(attempt)}`),
    ...feedbackLines(story),
    ...suppressionLines(story),
    `  last change ${moment(story.updatedAt)}`,
    ...nextStep(campaign, story),
  ];
  return `${lines.join("\n")}\n`;
}

function verdictOn(story: RecipientStory): string {
  const because = story.reason === null ? "" : `: ${plain(story.reason)}`;
  switch (story.status) {
    case "pending":
      return story.reason === null
        ? "waits for its turn. Nothing was sent."
        : `waits to be mailed again${because}`;
    case "reserved":
      return "is in a batch that is being sent, or waits to be repeated.";
    case "sent":
      return story.providerId === null
        ? "was mailed; a person or a webhook has vouched for it."
        : `was mailed. The provider accepted it as ${plain(story.providerId)}.`;
    case "failed":
      return `was not mailed${because}`;
    case "suppressed":
      return `is not mailed: the address is suppressed${because}`;
    case "inDoubt":
      return `may have been mailed; nobody knows${because}`;
    case "cancelled":
      return "was not mailed: the campaign was cancelled before its turn.";
  }
}

function batchLines({ batch, idempotencyKey, attempts }: RecipientStory): string[] {
  if (batch === null) return [];
  const key = idempotencyKey === null ? "" : ` under the idempotency key ${plain(idempotencyKey)}`;
  return [`  batch ${batch}${key}, ${some(attempts.length, "attempt")}:`];
}

/** What each outcome means for the people in the batch. */
const OUTCOMES: Readonly<Record<NonNullable<Attempt["outcome"]>, string>> = {
  answered: "the provider answered for each recipient",
  rejected: "the provider refused the request; nothing was accepted",
  deferred: "the provider asked to wait; nothing was accepted",
  unknown: "no answer that tells; it may have been accepted",
  expired: "nobody reported before the lease ran out; it may have been accepted",
};

function attemptText({ startedAt, expiresAt, endedAt, outcome, reason }: Attempt): string {
  if (outcome === null) return `${moment(startedAt)}  under way, until ${moment(expiresAt)}`;
  const took =
    endedAt === null ? "" : `after ${lasted(Date.parse(endedAt) - Date.parse(startedAt))}: `;
  const why = reason === null || outcome === "expired" ? "" : ` (${plain(reason)})`;
  return `${moment(startedAt)}  ${took}${OUTCOMES[outcome]}${why}`;
}

function lasted(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : duration(milliseconds / 1000);
}

function feedbackLines({ feedback }: RecipientStory): string[] {
  return feedback === null ? [] : [`  ${feedback.state} ${moment(feedback.at)}, by a webhook`];
}

function suppressionLines({ suppression, status }: RecipientStory): string[] {
  if (suppression === null) return [];
  const late = status === "sent" ? "; the mail went out before" : "";
  return [`  suppressed (${suppression.reason}) ${moment(suppression.at)}${late}`];
}

function nextStep(campaign: string, { status, id }: RecipientStory): string[] {
  const quoted = /^[\w.@+-]+$/.test(id) ? id : `'${plain(id).replaceAll("'", String.raw`'\''`)}'`;
  switch (status) {
    case "failed":
      return [`  to mail it after all: sendonce replay ${campaign} --ids ${quoted}`];
    case "inDoubt":
      return [
        `  if the provider has it: sendonce resolve ${campaign} --as sent ${quoted}`,
        `  if not: sendonce resolve ${campaign} --as failed ${quoted}`,
      ];
    case "pending":
    case "reserved":
    case "sent":
    case "suppressed":
    case "cancelled":
      return [];
  }
}
