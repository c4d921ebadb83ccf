/**
 * The consumer of the dispatch queue: slot, reserve, render, send, report, and only then acknowledge.
 *
 * It decides nothing about who may be mailed. Dying at any point loses nobody and mails nobody
 * twice: before the reserve nothing has happened; after it the lease runs out and the same batch is
 * repeated under the same key; after the report the ledger answers a redelivery with `settled`.
 * Messages of a batch are handled beside each other, and one that fails touches no other.
 */
import { parseDispatchMessage, type DispatchMessage } from "../campaign/dispatch-message.ts";
import { parseInquiryMessage } from "../campaign/inquiry-message.ts";
import { isOfLaterRelease } from "../campaign/message-version.ts";
import type { FrozenContent, ReserveAnswer, ReserveRefusal } from "../campaign/rpc.ts";
import { faultOf, loggedReason } from "../domain/fault-text.ts";
import type { CampaignId } from "../domain/ids.ts";
import {
  BACKOFF_MOST_SECONDS,
  CALL_MARGIN_SECONDS,
  CALL_TIMEOUT_SECONDS,
  QUEUE_MAX_RETRIES,
} from "../domain/limits.ts";
import type { AttemptOutcome } from "../domain/outcome.ts";
import { assert, type Result } from "../domain/result.ts";
import { again } from "./again.ts";
import type { ConsumerDeps, QueueMessage } from "./deps.ts";
import { consumeInquiry } from "./inquiry-consumer.ts";
import { leaveInSlot, waitForSlot } from "./slot.ts";

/** `callMilliseconds` null: the provider was not called. */
type Attempted = { readonly outcome: AttemptOutcome; readonly callMilliseconds: number | null };

type Grant = Extract<ReserveAnswer, { granted: true }>;

/** When the call may leave and when the lease ends, by `deps.monotonic()`. */
type Times = { readonly callAt: number; readonly expiresAt: number };

/** Handles every message of a batch. It never throws, so no message is redelivered for another. */
export async function consumeDispatches(
  messages: readonly QueueMessage[],
  deps: ConsumerDeps,
): Promise<void> {
  await Promise.all(messages.map((message) => handle(message, deps)));
}

async function handle(message: QueueMessage, deps: ConsumerDeps): Promise<void> {
  if (parseInquiryMessage(message.body) !== null) return consumeInquiry(message, deps);
  try {
    // Left for the release that wrote it, which may be back in a moment (SPEC R-version).
    assert(!isOfLaterRelease(message.body), "this release has no part in the message");
    const dispatch = parseDispatchMessage(message.body);
    assert(dispatch !== null, "the message is a dispatch");
    await deliver(dispatch, deps);
    message.ack();
  } catch (error) {
    // Trouble on the way to the ledger. The ledger itself never asks for a retry: what can't be
    // done now it dispatches again when it can.
    deps.log("dispatchFailed", { ...named(message), ...faultOf(error) });
    if (message.attempts > QUEUE_MAX_RETRIES) await lastWords(message, error, deps);
    message.retry({ delaySeconds: Math.min(2 ** message.attempts, BACKOFF_MOST_SECONDS) });
  }
}

/** The queue forgets why a message failed, so the last attempt tells the ledger. */
async function lastWords(message: QueueMessage, error: unknown, deps: ConsumerDeps): Promise<void> {
  const dispatch = parseDispatchMessage(message.body);
  if (dispatch === null) return;
  try {
    await deps.campaign(dispatch.campaignId).recordDeadLetter({
      messageId: message.id,
      dispatch: dispatch.dispatch,
      ...faultOf(error),
      attempts: message.attempts,
    });
    deps.log("deadLetterKept", { ...named(message), attempts: message.attempts });
  } catch (failure) {
    // The dead-letter consumer records it later, without the error.
    deps.log("deadLetterFailed", { ...named(message), ...faultOf(failure) });
  }
}

function named({ id: messageId, body }: QueueMessage) {
  const order = parseDispatchMessage(body);
  return { messageId, campaignId: order?.campaignId ?? null, dispatch: order?.dispatch ?? null };
}

async function deliver(message: DispatchMessage, deps: ConsumerDeps): Promise<void> {
  const { campaignId, dispatch } = message;
  const declined = await again(deps, () => deps.campaign(campaignId).decline(dispatch));
  if (!declined.ok || declined.value !== null) return refused(message, declined, deps);
  const slot = await waitForSlot(campaignId, deps);
  if (!slot.taken) {
    return deps.campaign(campaignId).postpone(dispatch, slot.waitMilliseconds, slot.room);
  }
  // One claim for all tries of this delivery: a lost answer is asked for again and is the same.
  const claim = deps.newClaim();
  let askedAt = deps.monotonic();
  const answer = await again(deps, () => {
    askedAt = deps.monotonic();
    return deps.campaign(campaignId).reserve({ by: "dispatch", dispatch, claim });
  });
  if (!answer.ok || !answer.value.granted) return refused(message, answer, deps);
  const grant = answer.value;
  // Counted from before the ask: a lease runs while its answer is on the way.
  const expiresAt = askedAt + grant.leaseMilliseconds;
  await carryOut(message, grant, { callAt: slot.callAt, expiresAt }, deps);
}

/** One attempt, from its grant to its report. */
async function carryOut(
  { campaignId, dispatch }: DispatchMessage,
  grant: Grant,
  times: Times,
  deps: ConsumerDeps,
): Promise<void> {
  const { batch, token, members } = grant;
  const chain = { campaignId, dispatch, batch, token };
  deps.log("attemptStarted", { ...chain, recipients: members.length });
  const { outcome, callMilliseconds } = await attempt(campaignId, grant, times, deps);
  await holdForAll(outcome, deps);
  const took = callMilliseconds === null ? {} : { callMilliseconds };
  const report = { batch: { number: batch }, token, outcome, ...took };
  const reported = await again(deps, () => deps.campaign(campaignId).report(report));
  deps.log("attemptEnded", {
    ...chain,
    ...loggedOutcome(outcome),
    latencyMilliseconds: callMilliseconds,
    refused: reported.ok ? null : reported.refusal.code,
  });
}

/** Reasons of members stay in the ledger, where they stand beside their own address. */
function loggedOutcome(outcome: AttemptOutcome) {
  if (outcome.kind !== "answered") {
    const why = loggedReason(outcome.reason);
    return { outcome: outcome.kind, providerIds: [], failed: 0, why };
  }
  const providerIds = outcome.results.flatMap((member) =>
    member.outcome === "sent" ? [member.providerId] : [],
  );
  const failed = outcome.results.length - providerIds.length;
  return { outcome: outcome.kind, providerIds, failed, why: null };
}

/** A no of the ledger is a result: what is to be done later it dispatches again by itself. */
function refused(
  { campaignId, dispatch }: DispatchMessage,
  answer: Result<ReserveAnswer | null, ReserveRefusal>,
  deps: ConsumerDeps,
): void {
  const no = answer.ok ? answer.value : null;
  const why = answer.ok ? (no?.granted === false ? no.reason : null) : answer.refusal.code;
  deps.log("reservationRefused", { campaignId, dispatch, why });
}

/** Renders and makes the one call, within what is left of the lease. */
async function attempt(
  campaignId: CampaignId,
  grant: Grant,
  { callAt, expiresAt }: Times,
  deps: ConsumerDeps,
): Promise<Attempted> {
  const { contentId } = grant;
  assert(contentId !== null, "a managed campaign has content");
  const load = () => loadContent(campaignId, contentId, deps);
  const { emails, seqs, faults } = await deps.render(contentId, load, grant.members);
  if (faults.length > 0) {
    return uncalled({ kind: "rejected", reason: "the template can't be filled in", faults });
  }
  await leaveInSlot(callAt, deps);
  const left = expiresAt - deps.monotonic() - CALL_MARGIN_SECONDS * 1000;
  if (left <= 0) {
    const reason = "the lease is too short";
    return uncalled({ kind: "deferred", reason, retryAfterSeconds: null, pause: null });
  }
  const timeoutMilliseconds = Math.min(left, CALL_TIMEOUT_SECONDS * 1000);
  const { idempotencyKey } = grant;
  const calledAt = deps.monotonic();
  const outcome = await deps.provider.sendBatch({
    idempotencyKey,
    emails,
    seqs,
    timeoutMilliseconds,
  });
  return { outcome, callMilliseconds: Math.max(deps.monotonic() - calledAt, 0) };
}

function uncalled(outcome: AttemptOutcome): Attempted {
  return { outcome, callMilliseconds: null };
}

async function loadContent(
  campaignId: CampaignId,
  contentId: string,
  deps: ConsumerDeps,
): Promise<FrozenContent> {
  const content = await again(deps, () => deps.campaign(campaignId).content());
  assert(content?.contentId === contentId, "the content is the one that was frozen");
  return content;
}

/**
 * A provider that asks for silence asks it of everybody, whichever campaign it told. Where the
 * account can't be told, the outcome still has to reach the ledger: unreported, a clean 429 would
 * count as an attempt that may have been accepted.
 */
async function holdForAll(outcome: AttemptOutcome, deps: ConsumerDeps): Promise<void> {
  if (outcome.kind !== "deferred" && outcome.kind !== "unknown") return;
  const seconds = outcome.retryAfterSeconds;
  if (seconds === null || seconds <= 0) return;
  if (outcome.kind === "deferred" && outcome.pause !== null) return;
  const milliseconds = Math.min(seconds, BACKOFF_MOST_SECONDS) * 1000;
  try {
    await again(deps, () => deps.account().holdSlots(milliseconds));
  } catch (error) {
    deps.log("holdFailed", faultOf(error));
  }
}
