/**
 * `sendonce/consumer`: the guarantees of the ledger for a queue and a provider of one's own.
 *
 * For one message it reserves, sends within the lease, reports, and says what to do with the message.
 * It decides nothing about who may be mailed. Dying at any point loses nobody and mails nobody twice:
 * before the reserve nothing has happened; after it the lease runs out, and the same recipients come
 * again under the same key, or are in doubt where the provider keeps no keys; after the report the
 * ledger answers a redelivery with `settled`.
 */
import {
  CALL_AGAIN_MILLISECONDS,
  CALL_MARGIN_SECONDS,
  CALL_TRIES,
  MAX_BATCH_SIZE,
  REPORT_PATIENCE_SECONDS,
  REPORT_WAIT_SECONDS,
} from "../domain/limits.ts";
import { faultOf, loggedReason, withoutAddressesIn } from "../domain/fault-text.ts";
import type { Log } from "../domain/log-event.ts";
import {
  CampaignTrouble,
  type CampaignPort,
  type Grant,
  type ReportAsk,
  type Told,
} from "./campaign-port.ts";
import {
  decide,
  endOfAttempt,
  endOfDeclined,
  endOfStale,
  endOfTrouble,
  uncoveredIn,
  type Decision,
  type PartEnd,
} from "./decision.ts";
import { readMessage, type IncomingMessage, type Part } from "./message.ts";
import { sendWithin, type Send } from "./sending.ts";

export type { CampaignPort, Recipient, SendResult, Skipped, SkipReason } from "./campaign-port.ts";
export type { Decision, DecisionReason } from "./decision.ts";
export type { IncomingMessage, IncomingRecipient, Invalid } from "./message.ts";
export type { Batch, Send } from "./sending.ts";
export { CampaignTrouble } from "./campaign-port.ts";
export { httpCampaign, type HttpCampaignOptions } from "./http-campaign.ts";
export { accepted, NotAccepted } from "./not-accepted.ts";
export { rpcCampaign, type CampaignStub } from "./rpc-campaign.ts";

export type ConsumerOptions = {
  /** `httpCampaign(…)` or `rpcCampaign(…)`. Its delivery has to be `external`. */
  readonly campaign: CampaignPort;
  readonly send: Send;
  /**
   * Recipients of one reservation, 1…100 and 100 where it is missing; a longer message is cut. 1 for a
   * provider without idempotency keys, so that a doubt is about one person and not about all of them.
   */
  readonly batchSize?: number;
  /** Told of each message and of what went wrong. No address stands in what it is given. */
  readonly log?: Log;
};

export type Consumer = {
  /**
   * Does everything about one message. Never throws for what a queue, a provider or the way to the
   * ledger may do.
   *
   * @throws RangeError where the message has no id, or neither recipients nor a limit
   */
  handle(message: IncomingMessage): Promise<Decision>;
};

type Ports = Required<Omit<ConsumerOptions, "batchSize">>;

/** @throws RangeError at a batch size out of range */
export function createConsumer(options: ConsumerOptions): Consumer {
  const { batchSize = MAX_BATCH_SIZE } = options;
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > MAX_BATCH_SIZE) {
    throw new RangeError(`batchSize has to be a whole number from 1 to ${MAX_BATCH_SIZE}`);
  }
  const ports: Ports = { ...options, log: discreetly(options.log) };
  return {
    async handle(message) {
      const { parts, invalid } = readMessage(message, batchSize);
      // A queue that counts no deliveries makes a NaN of a header that is not there.
      const attempts = Math.max(message.attempts || 1, 1);
      const ends: PartEnd[] = [];
      for (const part of parts) {
        const end = await deliver(part, attempts, ports);
        ends.push(end);
        if (concernsAll(end)) break;
      }
      for (const { index, detail } of invalid) {
        ports.log("recipientInvalid", { messageId: message.id, index, ...faultOf(detail) });
      }
      const decision = decide(ends, invalid);
      const { action, reason, detail } = decision;
      const why = detail === null ? null : loggedReason(detail);
      ports.log("messageHandled", { messageId: message.id, action, reason, detail: why });
      return decision;
    },
  };
}

/** The kit has no key to name addresses by, so that none is told apart from another. */
function discreetly(log: Log | undefined): Log {
  if (log === undefined) return () => {};
  return (event, fields) => log(event, withoutAddressesIn(fields));
}

/** What the other parts of the message would only hear as well. */
function concernsAll({ reason }: PartEnd): boolean {
  return reason === "paused" || reason === "notStarted" || reason === "trouble";
}

async function deliver(part: Part, attempts: number, ports: Ports): Promise<PartEnd> {
  const { reservationId, wanted } = part;
  // One claim for all tries of this delivery: a lost answer is asked for again and is the same.
  const claim = crypto.randomUUID();
  try {
    let askedAt = 0;
    const answer = await again(() => {
      askedAt = performance.now();
      return ports.campaign.reserve({ reservationId, claim, wanted });
    });
    if (!answer.granted) return endOfDeclined(part, answer, attempts);
    // Counted from before the ask: a lease runs while its answer is on the way.
    const leaseEndsAt = askedAt + answer.leaseMilliseconds;
    return await attempt(part, answer, leaseEndsAt, ports);
  } catch (error) {
    if (!(error instanceof CampaignTrouble)) throw error;
    ports.log("campaignTrouble", { reservationId, code: error.code, ...faultOf(error) });
    return endOfTrouble(`${error.code}: ${error.message}`, error.retryAfterSeconds, attempts);
  }
}

async function attempt(
  { reservationId, ...part }: Part,
  grant: Grant,
  leaseEndsAt: number,
  ports: Ports,
): Promise<PartEnd> {
  const { token, idempotencyKey, recipients, skipped } = grant;
  const uncovered = uncoveredIn({ reservationId, ...part }, [...recipients, ...skipped]);
  const report = (told: Told) =>
    reportPatiently({ reservationId, token, told }, leaseEndsAt, ports);
  const milliseconds = leaseEndsAt - performance.now() - CALL_MARGIN_SECONDS * 1000;
  const sending = { recipients, idempotencyKey, milliseconds };
  const { results, rest } =
    milliseconds <= 0
      ? { results: [], rest: TOO_LATE }
      : await sendWithin(sending, {
          send: ports.send,
          tell: (some) => report({ kind: "results", results: some }),
          tellLate: (some) => tellLate(reservationId, some, report, ports),
        });
  let isCurrent = true;
  if (results.length > 0) isCurrent = await report({ kind: "results", results });
  if (rest !== null) isCurrent = await report(rest);
  // Told after the lease has ended, the ledger may have left it to another delivery unsaid.
  if (!isCurrent || performance.now() > leaseEndsAt) return endOfStale(skipped);
  return endOfAttempt(rest, skipped, uncovered);
}

const TOO_LATE = {
  kind: "deferred",
  reason: "the lease was over before the send; is this machine's clock right?",
  retryAfterSeconds: null,
} as const;

/** After its deadline a `send` can only add facts, so `failed` of it would be refused anyway. */
function tellLate(
  reservationId: string,
  results: Extract<Told, { kind: "results" }>["results"],
  report: (told: Told) => Promise<boolean>,
  { log }: Ports,
): void {
  const sent = results.filter(({ outcome }) => outcome === "sent");
  if (sent.length === 0) return;
  report({ kind: "results", results: sent }).catch((error: unknown) => {
    log("lateResultsLost", { reservationId, sent: sent.length, ...faultOf(error) });
  });
}

/** Asks again what got no answer. @throws CampaignTrouble the last of it */
async function again<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isPassing = error instanceof CampaignTrouble && error.isPassing;
      if (!isPassing || tries >= CALL_TRIES) throw error;
      await wait(CALL_AGAIN_MILLISECONDS * 2 ** (tries - 1));
    }
  }
}

/** Troubles of the way or of the server's moment; the others are refusals and stay. */
const MAY_PASS: ReadonlySet<string> = new Set([
  "unreachable",
  "unavailable",
  "overloaded",
  "storageFull",
  "internal",
]);

/**
 * A lost report is a doubt that could have been none, so it is told as long as the lease runs, and
 * some time longer.
 */
async function reportPatiently(
  ask: ReportAsk,
  leaseEndsAt: number,
  ports: Ports,
): Promise<boolean> {
  const until = Math.max(leaseEndsAt, performance.now() + REPORT_PATIENCE_SECONDS * 1000);
  for (;;) {
    try {
      return await again(() => ports.campaign.report(ask));
    } catch (error) {
      if (!(error instanceof CampaignTrouble) || !MAY_PASS.has(error.code)) throw error;
      if (performance.now() > until) throw error;
      ports.log("reportDelayed", { reservationId: ask.reservationId, ...faultOf(error) });
      await wait(REPORT_WAIT_SECONDS * 1000);
    }
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
