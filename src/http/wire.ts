/**
 * From what the objects answer to the JSON of the contract (DESIGN §4 and §6). Each field is named
 * here, so that a field which is added behind the RPC doesn't leak into the contract unseen.
 */
import type { DirectoryEntry } from "../account/rpc.ts";
import type {
  AttemptView,
  CampaignView,
  Content,
  DeadLetterView,
  ErasureAnswer,
  Page,
  RecipientStory,
  RecipientView,
  ReplayReport,
  ReserveAnswer,
  SuppressionEntry,
} from "../campaign/rpc.ts";
import type { Address, CampaignId } from "../domain/ids.ts";
import { shownEvent as event, shownStatus as deliveryStatus } from "../domain/shown.ts";
import { timeText, timeTextOrNull } from "./time.ts";

export { deliveryStatus, event };

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, "content-type": "application/json" },
  });
}

/** `cursor` is null on the last page, and the `cursor` parameter of the next one otherwise. */
export function page<Item>(from: Page<Item>, item: (item: Item) => unknown): Response {
  return json({ items: from.items.map((each) => item(each)), cursor: from.cursor });
}

export function campaign(view: CampaignView) {
  const { draft } = view;
  return {
    id: view.id,
    name: draft.name,
    delivery: draft.delivery,
    ...(draft.content === null ? {} : content(draft.content)),
    settings: draft.settings,
    createdAt: timeText(view.createdAt),
    scheduledAt: timeTextOrNull(view.scheduledAt),
    enrolmentClosed: view.enrolmentClosed,
    state: view.status.state,
    status: deliveryStatus(view.status),
  };
}

/** The content as its author may send it again: the fields of a campaign's JSON. */
export function content(from: Content) {
  return {
    from: from.from,
    replyTo: from.replyTo,
    subject: from.subject,
    html: from.html,
    text: from.text,
    headers: from.headers,
    tags: from.tags,
    unsubscribe: from.unsubscribe,
  };
}

export function directoryEntry(entry: DirectoryEntry) {
  return { id: entry.id, name: entry.name, createdAt: timeText(entry.createdAt) };
}

export function recipient(view: RecipientView) {
  return {
    id: view.id,
    email: view.email,
    data: view.data,
    status: view.status,
    reason: view.reason,
    providerId: view.providerId,
    batch: view.batch,
    updatedAt: timeText(view.updatedAt),
  };
}

export function recipientStory(story: RecipientStory) {
  return {
    ...recipient(story),
    idempotencyKey: story.idempotencyKey,
    attempts: story.attempts.map((each) => attempt(each)),
    feedback: story.feedback && {
      state: story.feedback.state,
      at: timeText(story.feedback.at),
    },
    suppression: story.suppression && {
      reason: story.suppression.reason,
      at: timeText(story.suppression.at),
    },
  };
}

function attempt(view: AttemptView) {
  return {
    token: view.token,
    startedAt: timeText(view.startedAt),
    expiresAt: timeText(view.expiresAt),
    endedAt: timeTextOrNull(view.endedAt),
    outcome: view.outcome,
    reason: view.reason,
  };
}

export function deadLetter(campaignId: CampaignId, view: DeadLetterView) {
  return {
    campaignId,
    number: view.number,
    at: timeText(view.at),
    messageId: view.messageId,
    dispatch: view.dispatch,
    error: view.error,
    stack: view.stack,
    attempts: view.attempts,
    recipients: view.recipients,
    replayedAt: timeTextOrNull(view.replayedAt),
  };
}

export function reservation(answer: ReserveAnswer) {
  const skipped = answer.skipped.map(({ id, reason }) => ({ id, reason }));
  if (!answer.granted) {
    const { reason, retryAfterSeconds } = answer;
    return { granted: false, reason, skipped, retryAfterSeconds };
  }
  return {
    granted: true,
    reservationId: answer.reservationId,
    token: answer.token,
    expiresAt: timeText(answer.expiresAt),
    idempotencyKey: answer.idempotencyKey,
    recipients: answer.members.map(({ id, email, data }) => ({ id, email, data })),
    skipped,
  };
}

export function replayReport(report: ReplayReport) {
  return {
    replayed: report.replayed,
    reopened: report.reopened,
    left: report.left.map(({ id, status }) => ({ id, status })),
    status: deliveryStatus(report.status),
  };
}

/** Everything that is held about one address. */
export function person(
  address: Address,
  entry: SuppressionEntry | null,
  found: readonly { readonly id: CampaignId; readonly answer: RecipientStory | null }[],
) {
  return {
    address,
    suppression: entry && { reason: entry.reason, at: timeText(entry.at) },
    erasedAt: timeTextOrNull(entry?.erasedAt ?? null),
    campaigns: found.flatMap(({ id, answer }) =>
      answer === null ? [] : [{ campaignId: id, recipient: recipientStory(answer) }],
    ),
  };
}

/** `erased` counts campaigns in which somebody was found and is gone. */
export function erasure(
  address: Address,
  found: readonly { readonly id: CampaignId; readonly answer: ErasureAnswer }[],
) {
  return {
    address,
    erased: found.filter(({ answer }) => answer.state === "erased").length,
    pending: found.flatMap(({ id, answer }) =>
      answer.state === "pending" ? [{ campaignId: id, until: timeText(answer.until) }] : [],
    ),
  };
}

export function suppression(entry: SuppressionEntry) {
  return { address: entry.address, reason: entry.reason, at: timeText(entry.at) };
}
