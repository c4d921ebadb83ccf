/**
 * Sends the mail of a campaign to a few given addresses, outside of its ledger: nothing is counted
 * and nobody is marked as mailed. It takes a slot of the provider's rate like any other request, and
 * has an idempotency key of its own, which no batch can have: those end in a number.
 */
import type { Address } from "../../domain/ids.ts";
import type { AttemptOutcome } from "../../domain/outcome.ts";
import { RETRY_OVERLOADED_SECONDS, TEST_SLOT_SECONDS } from "../../domain/limits.ts";
import { testMails } from "../../message/test-mail.ts";
import { readJson } from "../body.ts";
import { askAgain, askOnce, wait } from "../object-call.ts";
import { invalidFields, Refused } from "../problem.ts";
import { refused } from "../refusal.ts";
import type { Call } from "../route.ts";
import { parseTestSend } from "../schemas/test-send.ts";
import * as wire from "../wire.ts";
import { campaignOf, found, type NamedCampaign } from "./named.ts";
import { recipientFor, templateFault } from "./preview.ts";

/** 200 where the provider has accepted at least one; 502 with its reason otherwise. */
export async function sendTest(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const { mailboxes, whose } = parseTestSend(await readJson(call.request));
  const { draft } = found(await campaign.again((object) => object.describe()));
  const { content } = draft;
  if (content === null) throw refused({ code: "wrongDelivery", delivery: draft.delivery });
  await refuseSuppressed(
    call,
    mailboxes.map(({ address }) => address),
  );
  const to = mailboxes.map(({ email }) => email);
  const recipient = await recipientFor(campaign, whose);
  const mails = testMails(campaign.id, content, recipient, to);
  if (!mails.ok) throw templateFault(mails.refusal);
  await takeSlot(call, campaign);
  const key = `test:${call.deps.newId()}`;
  const outcome = await call.deps.sendTest(key, mails.value);
  const { sent, failed } = resultsOf(outcome, to);
  if (sent.length === 0) throw notSent(outcome, failed);
  return wire.json({ subject: mails.value[0]?.subject, sent, failed });
}

/** A test is a mail too, and who said no to mails has said it to this one. */
async function refuseSuppressed({ deps }: Call, to: readonly Address[]): Promise<void> {
  const entries = await askAgain(() => deps.account().suppressedAmong(to));
  const because = new Map(entries.map(({ address, reason }) => [address, reason]));
  const errors = to.flatMap((address, at) => {
    const reason = because.get(address);
    const detail = `is suppressed (${reason}): nobody mails it`;
    return reason === undefined ? [] : [{ path: `to.${at}`, detail }];
  });
  if (errors.length > 0) throw invalidFields(errors);
}

/** Waits for a slot. One that was taken back meanwhile is given up: the provider asks for silence. */
async function takeSlot({ deps }: Call, campaign: NamedCampaign): Promise<void> {
  const atMost = TEST_SLOT_SECONDS * 1000;
  const slot = await askOnce(() => deps.account().takeSlot(campaign.id, atMost));
  if (slot.taken && slot.waitMilliseconds === 0) return;
  if (slot.taken) {
    await wait(slot.waitMilliseconds);
    if (await askAgain(() => deps.account().slotStands(slot.epoch))) return;
  }
  throw new Refused("overloaded", "The provider's rate is used up. Ask again a little later.", {
    headers: { "retry-after": String(RETRY_OVERLOADED_SECONDS) },
    cause: `no slot within ${TEST_SLOT_SECONDS} s`,
  });
}

type Sent = { readonly to: string; readonly providerId: string };
type Failed = { readonly to: string; readonly reason: string };

function resultsOf(
  outcome: AttemptOutcome,
  to: readonly string[],
): { readonly sent: readonly Sent[]; readonly failed: readonly Failed[] } {
  if (outcome.kind !== "answered") return { sent: [], failed: [] };
  const sent: Sent[] = [];
  const failed: Failed[] = [];
  // A test has no ledger, so that the seqs are places in `to`, counted from 1.
  for (const result of outcome.results) {
    const address = to[result.seq - 1] ?? "";
    if (result.outcome === "sent") sent.push({ to: address, providerId: result.providerId });
    else failed.push({ to: address, reason: result.reason });
  }
  return { sent, failed };
}

function notSent(outcome: AttemptOutcome, failed: readonly Failed[]): Refused {
  const reason = outcome.kind === "answered" ? (failed[0]?.reason ?? "") : outcome.reason;
  const detail =
    outcome.kind === "unknown"
      ? `It may have been accepted, but the provider's answer is missing: ${reason}`
      : `The provider refused it: ${reason}`;
  return new Refused("testNotSent", detail, {
    evidence: { outcome: outcome.kind, failed },
    cause: reason,
  });
}
