/**
 * How far one object carries, into how many parts a larger audience is cut, and what each of many
 * campaigns has of the provider's limit: the guide's figures of scale, from counts that were measured and
 * limits that are public. Pure.
 */
import { slotMilliseconds } from "../../src/domain/gate.ts";
import { SHARE_AHEAD_SECONDS } from "../../src/domain/limits.ts";
import {
  deliveredMillion,
  MAILS_A_SECOND,
  SUPPRESSED_OF,
  suppressingMillion,
  whole,
  type RecordedCounts,
} from "./cost-table.ts";
import { CROWD, CROWD_REQUESTS_PER_SECOND, SETTLED_AFTER_SECONDS } from "./crowd.ts";
import { LIMITS } from "./prices.ts";

const MILLION = 1_000_000;
/** Of an object's room, so that uneven parts and later uploads fit too. */
const FILLED = 0.7;
const AUDIENCES = [1, 10, 35, 100];
/** A prefix of two hexadecimal digits, as lists are often cut. */
const MANY_PARTS = 256;

const { objectRequestsASecond, objectRequestsUpper } = LIMITS;

/** What reaches an object: so many requests for each batch, and for each mail in it. */
type Load = { readonly what: string; readonly aBatch: number; readonly aMail: number };

function loads({ aBatch, aSentEvent, aDeliveredEvent, crowd }: RecordedCounts): readonly Load[] {
  const { campaignRequests, accountRequests } = aBatch;
  const bounces = SUPPRESSED_OF;
  const delivered = bounces + aDeliveredEvent.objectRequests;
  const sent = delivered + aSentEvent.objectRequests;
  const campaign = (what: string, aMail: number): Load => ({
    what: `a campaign's: ${what}`,
    aBatch: campaignRequests,
    aMail,
  });
  const account = (what: string, of: number): Load => ({
    what: `the account's: ${what}`,
    aBatch: of,
    aMail: bounces,
  });
  return [
    campaign("the sending", 0),
    campaign(`and webhooks of bounces and complaints, one in ${1 / bounces}`, bounces),
    campaign("and `email.delivered` for each mail", delivered),
    campaign("and `email.sent` for each mail", sent),
    account("one campaign", accountRequests),
    account(`${crowd.campaigns} campaigns at once`, crowd.together.accountRequests),
  ];
}

/** Requests of an object for each mail. */
const eachMail = ({ aBatch, aMail }: Load, batchSize: number): number => aBatch / batchSize + aMail;

const capacityOf = ({ aRecipient }: RecordedCounts): number =>
  LIMITS.objectBytes / aRecipient.databaseBytes;

/** How far one object carries, as markdown. */
export function scaleTable(counts: RecordedCounts): string {
  const recipients = Math.floor(capacityOf(counts) / MILLION);
  const hours = (recipients * MILLION) / MAILS_A_SECOND / 3600;
  const row = (load: Load): string => {
    const requests = eachMail(load, counts.batchSize);
    const used = (MAILS_A_SECOND * requests) / objectRequestsASecond;
    const cells = [
      load.what,
      whole(MAILS_A_SECOND * requests),
      `${whole(used * 100)} %`,
      `${whole(objectRequestsASecond / requests)} mails a second`,
    ];
    return `| ${cells.join(" | ")} |`;
  };
  return [
    `One object has room for ${recipients} million recipients (${LIMITS.objectBytes / 1e9} GB at`,
    `${whole(counts.aRecipient.databaseBytes)} bytes each, data and indexes). At Resend's usual limit, ` +
      `${whole(MAILS_A_SECOND)} mails a second, that is`,
    `${hours.toFixed(0)} hours of sending.`,
    "",
    `| object, and what reaches it | requests a second | of ${objectRequestsASecond} | carries |`,
    "| --- | ---: | ---: | ---: |",
    ...loads(counts).map(row),
  ].join("\n");
}

/** Into how many parts an audience has to be cut, as markdown. */
export function partsTable(counts: RecordedCounts): string {
  const room = capacityOf(counts) * FILLED;
  const partsAt = (load: Load | undefined, requestsASecond: number): number =>
    Math.ceil((MAILS_A_SECOND * eachMail(load ?? NOTHING, counts.batchSize)) / requestsASecond);
  const [, bounces, delivered, sent] = loads(counts);
  const largest = Math.max(...AUDIENCES);
  const row = (millions: number): string => {
    const recipients = millions * MILLION;
    const cells = [
      `${millions} million`,
      `${(recipients / MAILS_A_SECOND / 3600).toFixed(1)} h`,
      Math.ceil(recipients / room),
      `$${whole(millions * deliveredMillion(counts))}`,
    ];
    return `| ${cells.join(" | ")} |`;
  };
  return [
    "| recipients | at Resend's usual limit | parts for their room | Cloudflare, sent and delivered |",
    "| --- | ---: | ---: | ---: |",
    ...AUDIENCES.map(row),
    "",
    `| webhooks, at Resend's usual limit | parts at ${objectRequestsASecond} requests a second | at ${objectRequestsUpper} |`,
    "| --- | ---: | ---: |",
    ...[
      ["bounces and complaints only", bounces] as const,
      ["and `email.delivered`", delivered] as const,
      ["and `email.sent`", sent] as const,
    ].map(
      ([what, load]) =>
        `| ${what} | ${partsAt(load, objectRequestsASecond)} | ${partsAt(load, objectRequestsUpper)} |`,
    ),
    "",
    tellingText(counts, Math.ceil((largest * MILLION) / room), largest),
  ].join("\n");
}

/** Why few parts are better than many. */
function tellingText(counts: RecordedCounts, few: number, millions: number): string {
  const dollars = (parts: number): string => whole(millions * suppressingMillion(counts, parts));
  const calls = MAILS_A_SECOND * SUPPRESSED_OF * MANY_PARTS;
  return [
    `Each part is told of each suppression. Of ${millions} million, with one in ${1 / SUPPRESSED_OF} suppressed, that is $${dollars(few)} in ${few} parts.`,
    `In ${MANY_PARTS} it would be $${dollars(MANY_PARTS)}, and ${whole(calls)} calls a second by the account's object.`,
  ].join("\n");
}

const NOTHING: Load = { what: "", aBatch: 0, aMail: 0 };

/** What each of many campaigns has; test/unit/account/fair-share.test.ts counts all of it. */
export function sharesText({ crowd }: RecordedCounts): string {
  const slotSeconds = slotMilliseconds(CROWD_REQUESTS_PER_SECOND) / 1000;
  const share = 60 / (CROWD * slotSeconds);
  const lull = SHARE_AHEAD_SECONDS + CROWD * slotSeconds;
  const { alone, together } = crowd;
  return [
    `Of ${CROWD} equal campaigns at ${CROWD_REQUESTS_PER_SECOND} requests a second, whose share is ${share.toFixed(1)} calls a minute, each makes at least`,
    `${Math.floor(share) - 1} and none more than twice its share; the line is full, and within ${SETTLED_AFTER_SECONDS} s nobody is left without a first call.`,
    `When a crowd ends, what is left may need up to ${lull.toFixed(0)} s until it has every slot again.`,
    `A batch goes back ${together.postponed.toFixed(1)} times until there is a slot for it, which takes ${together.queueMessages.toFixed(1)} messages`,
    `instead of ${alone.queueMessages.toFixed(1)}, and ${whole(together.campaignRequests + together.accountRequests)} requests of objects instead of ${whole(alone.campaignRequests + alone.accountRequests)}.`,
  ].join("\n");
}
