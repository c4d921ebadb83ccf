/** What has happened to a campaign, and what is happening. */
import { json, type SomeOperations } from "../operation.ts";
import { pageParameters } from "../parameters.ts";

export const LOOKING = {
  "GET /api/campaigns/:id/delivery-status": {
    id: "getDeliveryStatus",
    area: "looking",
    summary: "State and numbers",
    text:
      "They always add up: total = sent + reserved + failed + remaining + suppressed + inDoubt + " +
      "cancelled, equal to a recount of the rows.",
    query: {},
    answers: { 200: json("DeliveryStatus", "The delivery status.") },
    refuses: {},
    examples: { finished: { summary: "A campaign that is over", status: 200 } },
  },
  "GET /api/campaigns/:id/dead-letters": {
    id: "listDeadLetters",
    area: "looking",
    summary: "Messages that reached the dead-letter queue, and why",
    query: pageParameters(),
    answers: { 200: json("DeadLetterPage", "One page, the newest first.") },
    refuses: {},
    examples: { all: { summary: "One message", status: 200 } },
  },
  "GET /api/campaigns/:id/events": {
    id: "listEvents",
    area: "looking",
    summary: "The audit trail",
    query: pageParameters(),
    answers: { 200: json("EventPage", "One page, the newest first.") },
    refuses: {},
    examples: { newest: { summary: "The newest", status: 200, query: { limit: "3" } } },
  },
  "GET /api/campaigns/:id/live": {
    id: "watchCampaign",
    area: "looking",
    summary: "Watch it by WebSocket",
    text:
      "Once it is open, the server sends text messages (`LiveMessage`): a `snapshot`, then a " +
      "`status` at most four times a second and only on change, `version` always rising, and an " +
      "`event` for pauses, resumes, dead letters and the finish. A client may send the text " +
      "`ping` and is answered `pong`. A browser uses its session and has to be of the same " +
      "origin; a program sends the bearer header.",
    query: {},
    headers: {
      Upgrade: {
        text: "`websocket`; the handshake of RFC 6455.",
        schema: { type: "string", const: "websocket" },
        required: true,
      },
    },
    answers: {
      101: {
        text: "The socket is open. Its messages are texts of the schema LiveMessage.",
        headers: { Upgrade: "`websocket`" },
      },
    },
    refuses: {
      upgradeRequired: "It was asked without an upgrade.",
      overloaded: "As many as may are watching this campaign already.",
    },
    examples: {
      watch: { summary: "The handshake", status: 101, headers: { Upgrade: "websocket" } },
      noUpgrade: { summary: "Without an upgrade", status: 426 },
    },
  },
} as const satisfies SomeOperations;
