/** The run of a campaign, from start to finish, and its repairs. */
import {
  json,
  jsonBody,
  optionalJsonBody,
  type Operation,
  type SomeOperations,
} from "../operation.ts";

const STATUS = { 200: json("DeliveryStatus", "The delivery status after it.") } as const;

/** Moves that take nothing and answer the status. */
const move = (
  id: string,
  summary: string,
  rest: Pick<Operation, "examples" | "refuses"> & { readonly text?: string },
) =>
  ({
    id,
    area: "run",
    summary,
    query: {},
    body: optionalJsonBody("Nothing"),
    answers: STATUS,
    ...rest,
  }) as const;

export const RUN = {
  "POST /api/campaigns/:id/start": {
    id: "startCampaign",
    area: "run",
    summary: "Begin, or say when to",
    text:
      "At once, at a time with an offset, or on the clocks of a place. An hour that a clock " +
      "change skips or doubles is refused by name. A second start is refused.",
    query: {},
    body: optionalJsonBody("Start"),
    answers: STATUS,
    refuses: {
      wrongState: "It has started already, or was cancelled.",
      preflightFailed: "Mails would fail; the errors are those of a preflight.",
    },
    examples: {
      now: { summary: "At once", status: 200 },
      at: {
        summary: "At a time with an offset",
        status: 200,
        params: { id: "summer" },
        body: { at: "2026-12-01T09:00:00+01:00" },
      },
      local: {
        summary: "On the clocks of a place",
        status: 200,
        params: { id: "autumn" },
        body: { local: "2027-03-01T09:00", zone: "Europe/Berlin" },
      },
      skippedHour: {
        summary: "In an hour that is skipped there",
        status: 400,
        body: { local: "2027-03-28T02:30", zone: "Europe/Berlin" },
      },
      withErrors: { summary: "While somebody lacks a merge field", status: 409 },
      again: { summary: "A second start", status: 409 },
    },
  },
  "POST /api/campaigns/:id/pause": move("pauseCampaign", "Pause", {
    text:
      "Once this has answered, nothing is reserved any more. `stats.reserved` says how many are " +
      "with a consumer; those finish or expire. Asking twice is the same as once.",
    refuses: { wrongState: "It has not started, or is over." },
    examples: { pause: { summary: "While it sends", status: 200 } },
  }),
  "POST /api/campaigns/:id/resume": {
    ...move("resumeCampaign", "Go on", {
      refuses: {
        wrongState: "It has not started, or is over.",
        duplicateRisk:
          "The ledger was restored from a backup and calls people pending who were mailed.",
      },
      examples: { resume: { summary: "After a pause", status: 200 } },
    }),
    body: optionalJsonBody("Resume"),
  },
  "POST /api/campaigns/:id/cancel": move("cancelCampaign", "Cancel for good", {
    text: "Whoever is not mailed yet never will be.",
    refuses: { wrongState: "It is finished." },
    examples: { cancel: { summary: "Before its time", status: 200, params: { id: "summer" } } },
  }),
  "POST /api/campaigns/:id/finish": move("finishCampaign", "Close the enrolment", {
    text: "Of an external campaign: it is finished once nobody remains and nobody is reserved.",
    refuses: {
      wrongState: "It has not started, or was cancelled.",
      wrongDelivery: "The delivery is managed; such a campaign finishes by itself.",
    },
    examples: {
      finish: { summary: "When no more will come", status: 200, params: { id: "welcome" } },
      managed: { summary: "For a campaign that finishes by itself", status: 409 },
    },
  }),
  "POST /api/campaigns/:id/replay": {
    id: "replayRecipients",
    area: "run",
    summary: "Mail recipients after all",
    text:
      "Everybody who has failed, is in doubt, or is in a dead letter; or those that are named. " +
      "Who may have been mailed already is only taken with `acceptDuplicateRisk`.",
    query: {},
    body: jsonBody("Replay"),
    answers: { 200: json("ReplayReport", "Whom it was taken for, and whom not.") },
    refuses: {
      wrongState: "It has not started, or was cancelled.",
      recipientNotFound: "Ids are unknown; nothing was changed.",
      duplicateRisk: "Some of them may have been mailed already.",
    },
    examples: {
      failed: { summary: "Everybody who has failed", status: 200, body: { recipients: "failed" } },
      risky: {
        summary: "Somebody in doubt, without a word on the risk",
        status: 409,
        params: { id: "invoices" },
        body: { ids: ["i_2"] },
      },
      inDoubt: {
        summary: "Somebody in doubt, with the risk accepted",
        status: 200,
        params: { id: "invoices" },
        body: { ids: ["i_2"], acceptDuplicateRisk: true },
      },
    },
  },
  "POST /api/campaigns/:id/resolve": {
    id: "resolveRecipients",
    area: "run",
    summary: "Settle doubts by hand",
    query: {},
    body: jsonBody("Resolution"),
    answers: STATUS,
    refuses: {
      recipientNotFound: "Ids are unknown; nothing was changed.",
      notInDoubt: "Somebody named is not in doubt; nothing was changed.",
    },
    examples: {
      sent: {
        summary: "The provider's log shows the mail",
        status: 200,
        params: { id: "invoices" },
        body: { ids: ["i_1"], as: "sent" },
      },
      settled: {
        summary: "Somebody who is settled",
        status: 409,
        params: { id: "invoices" },
        body: { ids: ["i_1"], as: "failed" },
      },
      unknownIds: {
        summary: "Ids that nobody has",
        status: 404,
        params: { id: "invoices" },
        body: { ids: ["i_9999"], as: "sent" },
      },
    },
  },
  "POST /api/campaigns/:id/reconcile": move("reconcileDoubts", "Ask the provider about doubts", {
    text:
      "The answer is that of before; what is found is settled in the seconds and minutes after, " +
      "and an event tells when that has ended.",
    refuses: {},
    examples: {
      ask: { summary: "With somebody in doubt", status: 200, params: { id: "invoices" } },
    },
  }),
} as const satisfies SomeOperations;
