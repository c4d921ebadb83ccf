/** What can be known before the start. */
import { json, jsonBody, optionalJsonBody, type SomeOperations } from "../operation.ts";

const NO_CONTENT = "The delivery is external, so that there is no content here.";

export const CHECKS = {
  "POST /api/campaigns/:id/preview": {
    id: "previewCampaign",
    area: "checks",
    summary: "Render the mail of one recipient",
    text: "Of the first one where nobody is named. Nothing is sent and nothing is stored.",
    query: {},
    body: optionalJsonBody("PreviewRequest"),
    answers: { 200: json("Preview", "The mail.") },
    refuses: {
      wrongDelivery: NO_CONTENT,
      recipientNotFound: "The campaign has no such recipient, or none at all yet.",
      templateFault: "This recipient would not get a mail, for the reason that is named.",
    },
    examples: {
      somebody: {
        summary: "Somebody of the campaign",
        status: 200,
        body: { recipientId: "u_81" },
      },
      madeUp: {
        summary: "Somebody made up",
        status: 200,
        body: { recipient: { email: "me@shop.example", data: { firstName: "Me" } } },
      },
      missingField: {
        summary: "Somebody who lacks a merge field",
        status: 400,
        body: { recipient: { email: "me@shop.example" } },
      },
    },
  },
  "POST /api/campaigns/:id/preflight": {
    id: "preflightCampaign",
    area: "checks",
    summary: "Say what a start would do",
    text: "Nothing is changed. With errors in it, a start is refused.",
    query: {},
    body: optionalJsonBody("Nothing"),
    answers: { 200: json("Preflight", "What was found, errors or not.") },
    refuses: { wrongState: "It has started.", wrongDelivery: NO_CONTENT },
    examples: {
      look: { summary: "With an error: somebody lacks a merge field", status: 200 },
    },
  },
  "POST /api/campaigns/:id/test": {
    id: "sendTest",
    area: "checks",
    summary: "Send the mail to a few addresses of your own",
    text:
      "Outside of the ledger: nothing is counted and nobody is marked as mailed. An address on the " +
      "list of suppressions is refused.",
    query: {},
    body: jsonBody("TestRequest"),
    answers: { 200: json("TestReport", "The provider has accepted at least one.") },
    refuses: {
      wrongDelivery: NO_CONTENT,
      recipientNotFound: "The campaign has no such recipient, or none at all yet.",
      templateFault: "The mail can't be rendered for this recipient.",
      testNotSent: "The provider has accepted none of them, or didn't say so.",
      overloaded: "The provider's rate is used up for now.",
    },
    examples: {
      toMe: {
        summary: "The mail of a recipient",
        status: 200,
        body: { to: ["me@shop.example"], recipientId: "u_81" },
      },
      refused: {
        summary: "To an address that the provider refuses",
        status: 502,
        body: { to: ["refused@shop.example"], recipientId: "u_81" },
      },
    },
  },
} as const satisfies SomeOperations;
