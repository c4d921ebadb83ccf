/**
 * Carries out inquiries: looks for the mails of people in doubt in the provider's list.
 *
 * The list says to whom a mail went but not of which campaign it is, so each candidate is looked up
 * by its id and is believed by its tags alone. What is found is told to the ledger page by page and
 * stays found, however the rest ends. Nobody is called failed here (domain/inquiry.ts).
 */
import { parseInquiryMessage, type InquiryMessage } from "../campaign/inquiry-message.ts";
import { faultOf } from "../domain/fault-text.ts";
import { suppressionBy } from "../domain/feedback.ts";
import type { Address, Instant } from "../domain/ids.ts";
import type { Inquiry, InquiryOutcome } from "../domain/inquiry.ts";
import {
  BACKOFF_MOST_SECONDS,
  INQUIRY_PAGES,
  INQUIRY_SECONDS,
  PROVIDER_SKEW_SECONDS,
} from "../domain/limits.ts";
import type { Looked, ListedMail, MailLookup, OwnMail } from "../provider/reconcile.ts";
import { again } from "./again.ts";
import type { ConsumerDeps, QueueMessage } from "./deps.ts";
import { leaveInSlot, waitForSlot } from "./slot.ts";

/** Acknowledges whatever happens: an order that got no answer is given out again by its ledger. */
export async function consumeInquiry(message: QueueMessage, deps: ConsumerDeps): Promise<void> {
  const order = parseInquiryMessage(message.body);
  try {
    if (order !== null) await carryOut(order, deps);
  } catch (error) {
    deps.log("inquiryFailed", { campaignId: order?.campaignId ?? null, ...faultOf(error) });
  }
  message.ack();
}

async function carryOut(order: InquiryMessage, deps: ConsumerDeps): Promise<void> {
  const { campaignId, inquiry: number } = order;
  const inquiry = await again(deps, () => deps.campaign(campaignId).inquiry(number));
  if (inquiry === null) return;
  const { lookup } = deps;
  const outcome: InquiryOutcome =
    lookup === undefined ? { kind: "notAllowed" } : await look(order, inquiry, lookup, deps);
  await again(deps, () => deps.campaign(campaignId).closeInquiry(number, outcome));
  deps.log("inquiryEnded", { campaignId, inDoubt: inquiry.members.length, ...outcome });
}

/** Reads the list from its newest mail back to the first attempt of the oldest doubt. */
async function look(
  order: InquiryMessage,
  { since, members }: Inquiry,
  lookup: MailLookup,
  deps: ConsumerDeps,
): Promise<InquiryOutcome> {
  const giveUpAt = deps.monotonic() + INQUIRY_SECONDS * 1000;
  const wanted = new Set(members.map((member) => member.address));
  const oldest = since - PROVIDER_SKEW_SECONDS * 1000;
  let found = 0;
  let after: string | null = null;
  for (let pages = 0; pages < INQUIRY_PAGES; pages += 1) {
    if (deps.monotonic() >= giveUpAt) return { kind: "later", retryAfterSeconds: null };
    const page = await inSlot(order, deps, () => lookup.page(after));
    if (page.kind !== "found") return page;
    const candidates = page.value.mails.filter((mail) => isCandidate(mail, wanted, oldest));
    const looked = await lookUp(order, candidates, lookup, deps);
    await tell(order, looked.mails, deps);
    for (const mail of looked.mails) for (const address of mail.addresses) wanted.delete(address);
    found += looked.mails.length;
    if (looked.stopped !== null) return looked.stopped;
    const isPast = page.value.mails.some((mail) => isBefore(mail, oldest));
    if (isPast || wanted.size === 0) return { kind: "looked", found, complete: true };
    ({ after } = page.value);
    if (after === null) return { kind: "looked", found, complete: true };
  }
  return { kind: "looked", found, complete: false };
}

function isBefore({ createdAt }: ListedMail, oldest: Instant): boolean {
  return createdAt !== null && createdAt < oldest;
}

function isCandidate(mail: ListedMail, wanted: ReadonlySet<Address>, oldest: Instant): boolean {
  return !isBefore(mail, oldest) && mail.addresses.some((address) => wanted.has(address));
}

type Stopped = Exclude<Looked<unknown>, { kind: "found" }>;

/** Those of the candidates that are mails of this campaign, and what stopped the looking. */
async function lookUp(
  order: InquiryMessage,
  candidates: readonly ListedMail[],
  lookup: MailLookup,
  deps: ConsumerDeps,
): Promise<{ readonly mails: readonly OwnMail[]; readonly stopped: Stopped | null }> {
  const mails: OwnMail[] = [];
  for (const { providerId } of candidates) {
    const looked = await inSlot(order, deps, () => lookup.mail(providerId));
    if (looked.kind !== "found") return { mails, stopped: looked };
    if (looked.value?.campaign === order.campaignId) mails.push(looked.value);
  }
  return { mails, stopped: null };
}

/** Each request takes its turn among the sends of all campaigns, under the same limit. */
async function inSlot<Found>(
  { campaignId }: InquiryMessage,
  deps: ConsumerDeps,
  ask: () => Promise<Looked<Found>>,
): Promise<Looked<Found>> {
  const slot = await waitForSlot(campaignId, deps);
  if (!slot.taken) {
    return { kind: "later", retryAfterSeconds: Math.ceil(slot.waitMilliseconds / 1000) };
  }
  await leaveInSlot(slot.callAt, deps);
  const looked = await ask();
  const seconds = looked.kind === "later" ? looked.retryAfterSeconds : null;
  if (seconds !== null && seconds > 0) await holdForAll(seconds, deps);
  return looked;
}

async function holdForAll(seconds: number, deps: ConsumerDeps): Promise<void> {
  await deps.account().holdSlots(Math.min(seconds, BACKOFF_MOST_SECONDS) * 1000);
}

/** Records the fates, and suppresses whom they forbid to mail again. */
async function tell(
  { campaignId }: InquiryMessage,
  mails: readonly OwnMail[],
  deps: ConsumerDeps,
): Promise<void> {
  if (mails.length === 0) return;
  const events = mails.map(({ seq, providerId, fate, createdAt, addresses }) => ({
    seq,
    providerId,
    fate,
    at: null,
    acceptedAt: createdAt,
    addresses,
  }));
  const answers = await again(deps, () => deps.campaign(campaignId).recordFeedback(events));
  for (const [at, answer] of answers.entries()) {
    // A look-up doesn't say what kind of bounce it was, and only a permanent one forbids.
    const reason = suppressionBy(events[at]?.fate ?? "sent", null, null);
    if (answer === null || reason === null) continue;
    await again(deps, () => deps.account().suppress([answer.address], reason));
  }
}
