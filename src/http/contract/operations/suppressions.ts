/** The account's list of addresses that no campaign may mail. */
import { SUPPRESSION_REASONS } from "../../../domain/suppression.ts";
import { json, jsonBody, optionalJsonBody, type SomeOperations } from "../operation.ts";
import { columnParameter, pageParameters } from "../parameters.ts";

export const SUPPRESSIONS = {
  "GET /api/suppressions": {
    id: "listSuppressions",
    area: "suppressions",
    summary: "List the addresses that must not be mailed",
    query: pageParameters(),
    answers: { 200: json("SuppressionPage", "One page, the newest first.") },
    refuses: {},
    examples: { all: { summary: "One page", status: 200 } },
  },
  "GET /api/suppressions.csv": {
    id: "exportSuppressions",
    area: "suppressions",
    summary: "The whole list as a file",
    text: "In the columns that an import reads.",
    query: {},
    answers: {
      200: {
        text: "A streamed file with the columns address, reason and at.",
        content: { type: "text/csv", schema: "Text" },
        headers: { "Content-Disposition": "Its name." },
      },
    },
    refuses: {},
    examples: { all: { summary: "The whole list", status: 200 } },
  },
  "POST /api/suppressions/import": {
    id: "importSuppressions",
    area: "suppressions",
    summary: "Add a list that was kept elsewhere",
    text:
      "Safe to repeat: who is there already keeps the reason and the time. A row whose reason or " +
      "time can't be read is taken all the same. Answers when every campaign knows of all of them.",
    query: {
      email: columnParameter("addresses", "address"),
      reason: {
        text: "For rows that give none; `operator` where not said.",
        schema: { type: "string", enum: [...SUPPRESSION_REASONS] },
      },
    },
    body: { read: "stream", content: { "text/csv": "SuppressionTable" } },
    answers: { 200: json("SuppressionImport", "What became of the rows.") },
    refuses: {
      unsupportedMediaType: "The list is no CSV, or has no header line.",
      invalidUpload: "The list can't be read at all.",
      uploadInterrupted: "The list can't be read any further.",
    },
    examples: {
      csv: {
        summary: "A list with reasons and times",
        status: 200,
        type: "text/csv",
        body: "address,reason,at\ngone@mail.example,hardBounce,2026-05-04T10:00:00Z\nno@mail.example,unsubscribe,\n",
      },
    },
  },
  "PUT /api/suppressions": {
    id: "putSuppressions",
    area: "suppressions",
    summary: "Suppress addresses",
    text: "Answers when every campaign that may still mail knows of it.",
    query: {},
    body: jsonBody("SuppressionRequest"),
    answers: { 200: json("SuppressReport", "How many of them are new.") },
    refuses: {},
    examples: {
      two: {
        summary: "One mailbox in two spellings",
        status: 200,
        body: { addresses: ["grace@mail.example", "GRACE@mail.example"] },
      },
    },
  },
  "DELETE /api/suppressions/:address": {
    id: "deleteSuppression",
    area: "suppressions",
    summary: "Let an address be mailed again",
    text: "By campaigns that enrol it from now on.",
    query: {},
    body: optionalJsonBody("Nothing"),
    answers: { 204: { text: "It is off the list." } },
    refuses: { suppressionNotFound: "The address is not suppressed." },
    examples: {
      lift: { summary: "A suppressed address", status: 204 },
      notThere: {
        summary: "An address that is not suppressed",
        status: 404,
        params: { address: "ada@mail.example" },
      },
    },
  },
} as const satisfies SomeOperations;
