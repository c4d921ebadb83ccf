/**
 * The schemas of answers by their names in the contract. Tests hold every answer of the running
 * Worker against them, with no field more and none less.
 */
import * as z from "zod";
import * as campaign from "./campaign.ts";
import * as person from "./person.ts";
import * as recipient from "./recipient.ts";
import * as reservation from "./reservation.ts";
import * as service from "./service.ts";
import * as status from "./status.ts";

export const ANSWER_SCHEMAS = {
  DeliveryStatus: status.deliveryStatus,
  Event: status.event,
  LiveMessage: status.liveMessage,
  Campaign: campaign.campaign,
  CampaignPage: campaign.campaignPage,
  Finding: campaign.finding,
  Preflight: campaign.preflight,
  Preview: campaign.preview,
  TestReport: campaign.testReport,
  UploadReport: recipient.uploadReport,
  Recipient: recipient.recipient,
  RecipientPage: campaign.pageOf(recipient.recipient),
  RecipientStory: recipient.recipientStory,
  ReplayReport: recipient.replayReport,
  DeadLetterPage: campaign.pageOf(recipient.deadLetter),
  EventPage: campaign.pageOf(status.event),
  Granted: reservation.granted,
  Declined: reservation.declined,
  Reservation: z.discriminatedUnion("granted", [reservation.granted, reservation.declined]),
  SuppressionPage: campaign.pageOf(service.suppression),
  SuppressReport: service.suppressReport,
  SuppressionImport: service.importReport,
  Person: person.person,
  Erasure: person.erasure,
  Session: service.session,
  Health: service.health,
  Taken: service.taken,
  Contract: z.record(z.string(), z.unknown()).describe("An OpenAPI 3.1 document."),
  Text: z.string(),
} as const satisfies Record<string, z.ZodType>;

export type AnswerName = keyof typeof ANSWER_SCHEMAS;
