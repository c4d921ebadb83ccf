/** Reserve and report, for consumers of any queue (DESIGN §6). */
import { json, jsonBody, type SomeOperations } from "../operation.ts";
import { CLAIM_HEADER } from "../parameters.ts";

const welcome = { id: "welcome" };

export const RESERVATIONS = {
  "POST /api/campaigns/:id/reservations": {
    id: "reserveRecipients",
    area: "reservations",
    summary: "Reserve recipients before you mail them",
    text:
      "Of a campaign whose delivery is external. With `recipients`, those that the ledger doesn't " +
      "know are enrolled first; with `limit`, it is whoever is next. Mail those that are granted " +
      "and nobody else, before `expiresAt`, and report.",
    query: {},
    headers: { "Idempotency-Key": CLAIM_HEADER },
    body: jsonBody("ReservationRequest"),
    answers: { 200: json("Reservation", "Whom to mail now; or why nobody.") },
    refuses: {
      invalidHeader: "The Idempotency-Key is no visible ASCII, or too long.",
      wrongDelivery: "The delivery is managed: Sendonce mails by itself.",
    },
    examples: {
      recipients: {
        summary: "The recipients of a message",
        status: 200,
        params: welcome,
        headers: { "Idempotency-Key": "message-1 attempt 1" },
        body: {
          reservationId: "message-1",
          recipients: [
            { id: "w_1", email: "ada@mail.example", data: { firstName: "Ada" } },
            { id: "w_2", email: "alan@mail.example" },
            { id: "w_3", email: "grace@mail.example" },
          ],
        },
      },
      redelivered: {
        summary: "The same message, while its first delivery is being mailed",
        status: 200,
        params: welcome,
        body: {
          reservationId: "message-1",
          recipients: [
            { id: "w_1", email: "ada@mail.example" },
            { id: "w_2", email: "alan@mail.example" },
          ],
        },
      },
      next: {
        summary: "Whoever is next",
        status: 200,
        params: welcome,
        body: { reservationId: "message-2", limit: 100 },
      },
      bothWays: {
        summary: "Both at once",
        status: 400,
        params: welcome,
        body: {
          reservationId: "message-3",
          limit: 1,
          recipients: [{ id: "w_4", email: "john@mail.example" }],
        },
      },
      longKey: {
        summary: "A key that is too long",
        status: 400,
        params: welcome,
        headers: { "Idempotency-Key": "k".repeat(300) },
        body: { reservationId: "message-3", limit: 1 },
      },
      managed: {
        summary: "Of a campaign that Sendonce mails",
        status: 409,
        body: { reservationId: "message-1", limit: 1 },
      },
    },
  },
  "POST /api/campaigns/:id/reservations/:reservationId/report": {
    id: "reportReservation",
    area: "reservations",
    summary: "Report what came of it",
    text:
      "Either one outcome for each member, or one for the whole batch. Repeating a report changes " +
      "nothing. `sent` is taken from anybody; everything else needs the current token.",
    query: {},
    body: jsonBody("Report"),
    answers: { 200: json("DeliveryStatus", "The delivery status after it.") },
    refuses: {
      reservationNotFound: "There is no reservation with this id.",
      staleToken: "Somebody else holds the reservation by now; nothing was changed.",
      notInBatch: "A result names somebody who is not in the reservation.",
    },
    examples: {
      results: {
        summary: "One accepted, one refused",
        status: 200,
        params: welcome,
        body: {
          token: 1,
          results: [
            { id: "w_1", outcome: "sent", providerId: "mail-1" },
            { id: "w_2", outcome: "failed", reason: "The mailbox is full." },
          ],
        },
      },
      unknown: {
        summary: "No answer came: they may have been mailed",
        status: 200,
        params: { id: "welcome", reservationId: "message-4" },
        body: { token: 1, outcome: "unknown", reason: "The connection was reset." },
      },
      stale: {
        summary: "By somebody who no longer holds it",
        status: 409,
        params: { id: "welcome", reservationId: "message-4" },
        body: { token: 1, outcome: "deferred", reason: "451 try again later" },
      },
      strangers: {
        summary: "With somebody who is not in the reservation",
        status: 400,
        params: { id: "welcome", reservationId: "message-4" },
        body: { token: 1, results: [{ id: "w_1", outcome: "sent", providerId: "mail-9" }] },
      },
      unknownReservation: {
        summary: "Of a reservation that nobody has made",
        status: 404,
        params: { id: "welcome", reservationId: "message-9" },
        body: { token: 1, outcome: "unknown", reason: "The connection was reset." },
      },
    },
  },
} as const satisfies SomeOperations;
