/** Who is to be mailed: uploads, segments, lists and stories. */
import { json, jsonBody, type RequestBody, type SomeOperations } from "../operation.ts";
import {
  columnParameter,
  EMAIL_PARAMETER,
  pageParameters,
  STATUS_PARAMETER,
} from "../parameters.ts";

const UPLOAD: RequestBody = {
  read: "stream",
  content: {
    "text/csv": "UploadTable",
    "application/x-ndjson": "UploadLines",
    "application/json": "Upload",
  },
};

const REPORT = json("UploadReport", "What became of the rows.");
const STOPPED = "The campaign has started, before the upload or during it.";

export const RECIPIENTS = {
  "POST /api/campaigns/:id/recipients": {
    id: "uploadRecipients",
    area: "recipients",
    summary: "Add recipients from a file of any size",
    text:
      "Read as it comes in, and stored page by page. Repeating is safe: who is there already " +
      "counts as a duplicate. Where the upload is stopped, the refusal says what is stored.",
    query: { email: columnParameter("addresses", "email"), id: columnParameter("ids", "id") },
    body: UPLOAD,
    answers: { 200: REPORT },
    refuses: {
      wrongState: STOPPED,
      invalidUpload: "The file can't be read at all, such as one without an email column.",
      uploadInterrupted: "The file can't be read any further.",
      tooLarge: "A row is longer than a row may be.",
      unsupportedMediaType: "The file is in none of the three forms.",
    },
    examples: {
      csv: {
        summary: "CSV: one suppressed, one twice, and one without an address",
        status: 200,
        type: "text/csv",
        body: "email,id,firstName\nada@mail.example,u_81,Ada\ngrace@mail.example,u_82,Grace\nada@mail.example,u_83,Ada\nnobody,u_84,Nobody\n",
      },
      ndjson: {
        summary: "NDJSON",
        status: 200,
        type: "application/x-ndjson",
        body: '{"id":"u_85","email":"alan@mail.example","data":{"firstName":"Alan"}}\n{"email":"edsger@mail.example"}\n',
      },
      json: {
        summary: "JSON",
        status: 200,
        type: "application/json",
        body: {
          recipients: [
            { id: "u_86", email: "barbara@mail.example", data: { firstName: "Barbara" } },
          ],
        },
      },
      columns: {
        summary: "CSV with columns of other names",
        status: 200,
        type: "text/csv",
        query: { email: "mail", id: "number" },
        body: "number,mail,firstName\n87,john@mail.example,John\n",
      },
      noEmail: {
        summary: "CSV without a column for addresses",
        status: 400,
        type: "text/csv",
        body: "id,firstName\nu_81,Ada\n",
      },
      breaksOff: {
        summary: "JSON that breaks off",
        status: 400,
        type: "application/json",
        body: '{"recipients":[{"email":"ada@mail.example"},',
      },
    },
  },
  "POST /api/campaigns/:id/recipients/segment": {
    id: "enrolSegment",
    area: "recipients",
    summary: "Add everybody in a view of your D1 database",
    text: "`line` in the answer is the number of a row, in the order of the ids.",
    query: {},
    body: jsonBody("Segment"),
    answers: { 200: REPORT },
    refuses: {
      wrongState: STOPPED,
      segmentNotFound: "There is no view of this name.",
      segmentUnfit: "The view lacks a column, or can't be queried.",
    },
    examples: {
      view: { summary: "A view", status: 200, body: { segment: "active_customers" } },
      unknownView: {
        summary: "A view that is not there",
        status: 404,
        body: { segment: "nobody" },
      },
      unfitView: {
        summary: "A view without the column that is named",
        status: 409,
        body: { segment: "active_customers", email: "mail" },
      },
    },
  },
  "GET /api/campaigns/:id/recipients": {
    id: "listRecipients",
    area: "recipients",
    summary: "List recipients, the newest problem first",
    query: { ...pageParameters(), status: STATUS_PARAMETER, email: EMAIL_PARAMETER },
    answers: { 200: json("RecipientPage", "One page.") },
    refuses: {},
    examples: {
      some: { summary: "The first two", status: 200, query: { limit: "2" } },
      suppressed: { summary: "By status", status: 200, query: { status: "suppressed" } },
      byAddress: { summary: "By address", status: 200, query: { email: "ADA@mail.example" } },
    },
  },
  "GET /api/campaigns/:id/recipients.csv": {
    id: "exportRecipients",
    area: "recipients",
    summary: "The same as a file",
    text:
      "A cell that a spreadsheet would run as a formula begins with an apostrophe. An export that " +
      "breaks off has failed; it is safe to ask again.",
    query: { status: STATUS_PARAMETER },
    answers: {
      200: {
        text: "A streamed file with the columns id, email, status, reason, providerId, batch, updatedAt and data.",
        content: { type: "text/csv", schema: "Text" },
        headers: { "Content-Disposition": "Its name." },
      },
    },
    refuses: {},
    examples: {
      suppressed: { summary: "By status", status: 200, query: { status: "suppressed" } },
    },
  },
  "GET /api/campaigns/:id/recipients/:recipientId": {
    id: "getRecipient",
    area: "recipients",
    summary: "One recipient with the whole story",
    query: {},
    answers: {
      200: json("RecipientStory", "Status, reason, batch, key, each attempt, and feedback."),
    },
    refuses: { recipientNotFound: "The campaign has no recipient with this id." },
    examples: {
      mailed: { summary: "Somebody who was mailed", status: 200 },
      suppressed: {
        summary: "Somebody who is not to be mailed",
        status: 200,
        params: { recipientId: "u_82" },
      },
      nobody: {
        summary: "An id that nobody has",
        status: 404,
        params: { recipientId: "u_9999" },
      },
    },
  },
} as const satisfies SomeOperations;
