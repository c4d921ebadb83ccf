/** An event of the audit trail as a sentence. Unknown types keep their name and detail. */
import type { CampaignEvent, EventType } from "../../client/types.ts";
import { count, counted, dateTime } from "./format.ts";

type Detail = CampaignEvent["detail"];

const number = (detail: Detail, name: string): number => Number(detail[name] ?? 0);
const text = (detail: Detail, name: string): string => {
  const value = detail[name];
  return typeof value === "string" ? value : "";
};

const SENTENCES: Readonly<Record<EventType, (detail: Detail) => string>> = {
  created: () => "Created",
  edited: () => "Changed",
  scheduled: (detail) =>
    typeof detail.at === "number" ? `Scheduled for ${dateTime(detail.at)}` : "Scheduled",
  started: (detail) => `Started, with ${count(number(detail, "remaining"))} to mail`,
  paused: (detail) => {
    const flight = number(detail, "reserved");
    const reason = text(detail, "reason") === "operator" ? "" : `: ${text(detail, "detail")}`;
    return `Paused${reason}${flight > 0 ? `, ${count(flight)} in flight` : ""}`;
  },
  resumed: () => "Resumed",
  cancelled: (detail) => `Cancelled, ${count(number(detail, "cancelled"))} not mailed`,
  finished: (detail) => {
    const doubts = number(detail, "inDoubt");
    const open = doubts > 0 ? `, ${count(doubts)} in doubt` : "";
    return `Finished: ${count(number(detail, "sent"))} sent, ${count(number(detail, "failed"))} failed${open}`;
  },
  enrolmentClosed: (detail) =>
    `Enrolment closed at ${counted(number(detail, "total"), "recipient")}`,
  replayed: (detail) => {
    const reopened = number(detail, "reopened");
    const again = reopened > 0 ? `, ${count(reopened)} under their old key` : "";
    return `Replayed ${count(number(detail, "replayed"))}${again}`;
  },
  resolved: (detail) =>
    `${counted(number(detail, "recipients"), "doubt")} settled as ${text(detail, "as")}`,
  inDoubt: (detail) =>
    `${counted(number(detail, "recipients"), "recipient")} in doubt (batch ${number(detail, "batch")}): ${text(detail, "reason")}`,
  inquired: (detail) =>
    `The provider was asked about doubts: ${count(number(detail, "found"))} settled, ` +
    `${count(number(detail, "inDoubt"))} left`,
  acceptanceProved: (detail) =>
    `A webhook has proved that batch ${number(detail, "batch")} was sent`,
  deadLetter: (detail) => `Dead letter: ${text(detail, "error")}`,
  restoreAccepted: () => "Resumed although the ledger was restored: second mails were accepted",
  suppressed: (detail) =>
    `Recipient ${number(detail, "recipient")} suppressed: ${text(detail, "reason")}`,
  erased: (detail) => {
    const why =
      text(detail, "why") === "retention" ? "their time is over" : "somebody asked for it";
    return `The data of ${counted(number(detail, "recipients"), "recipient")} erased: ${why}`;
  },
};

/** A newer server may tell of more than this page knows. */
export type ToldEvent = { readonly type: string; readonly detail: Detail };

export function eventText({ type, detail }: ToldEvent): string {
  const sentences: Readonly<Record<string, (detail: Detail) => string>> = SENTENCES;
  return sentences[type]?.(detail) ?? `${type} ${JSON.stringify(detail)}`;
}

/** Those that need somebody to look. */
export function isTrouble({ type, detail }: ToldEvent): boolean {
  if (type === "paused") return detail.reason !== "operator";
  return type === "deadLetter" || type === "inDoubt";
}
