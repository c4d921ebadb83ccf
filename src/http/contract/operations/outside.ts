/** What recipients, the provider, monitors and readers of this contract ask for, without a token. */
import { MAX_WEBHOOK_BYTES, WEBHOOK_TOLERANCE_SECONDS } from "../../../domain/limits.ts";
import { json, type Answer, type Parameter, type SomeOperations } from "../operation.ts";

const page = (text: string): Answer => ({
  text,
  content: { type: "text/html", schema: "Text" },
});
const BAD_LINK = page("A page: the link is not complete, or no longer known. Nothing has changed.");
const TRY_AGAIN = {
  ...page("A page: it could not be noted just now."),
  headers: { "Retry-After": "Seconds to wait." },
};

const signed = (text: string, pattern: string): Parameter => ({
  text,
  schema: { type: "string", pattern },
  required: true,
});

/** Of the right form; only the provider can make one that is right. */
const SIGNATURE = {
  "svix-id": "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
  "svix-timestamp": "1795953600",
  "svix-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
};

export const OUTSIDE = {
  "POST /webhooks/resend": {
    id: "receiveResendEvent",
    area: "outside",
    summary: "Take an event of Resend",
    text:
      "Signed as Standard Webhooks has it: HMAC-SHA-256 over `id.timestamp.body` with the secret " +
      "of the webhook. Events may come twice and in any order; the fate of a mail only climbs. " +
      "Events that are not ours are taken as well.",
    query: {},
    headers: {
      "svix-id": signed("The id of the message.", "^.+$"),
      "svix-timestamp": signed(
        `Whole seconds since 1970, at most ${WEBHOOK_TOLERANCE_SECONDS} from now.`,
        "^\\d{1,12}$",
      ),
      "svix-signature": signed("`v1,` and base64; several with spaces between.", "^v1,.+$"),
    },
    body: { read: "signed", content: { "application/json": "ProviderEvent" } },
    answers: { 200: json("Taken", "It is on disk.") },
    refuses: {
      bodyInterrupted: "The connection was lost before all of it was there.",
      badSignature: "It is not signed with the secret, or not in these minutes.",
      malformedJson: "It is signed, but is not JSON in UTF-8.",
      tooLarge: `It has more than ${MAX_WEBHOOK_BYTES} bytes.`,
      webhookNotConfigured: "The service lacks the secret of the webhook.",
    },
    examples: {
      foreign: {
        summary: "An event about a mail of somebody else",
        status: 200,
        headers: SIGNATURE,
        body: {
          type: "email.delivered",
          created_at: "2026-11-29T11:59:59.000Z",
          data: { email_id: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794", to: ["ada@mail.example"] },
        },
      },
      unsigned: {
        summary: "A signature of somebody else",
        status: 401,
        headers: { ...SIGNATURE, "svix-signature": `v1,${"A".repeat(43)}=` },
        body: { type: "email.delivered" },
      },
    },
  },
  "GET /unsubscribe/:token": {
    id: "showUnsubscribe",
    area: "outside",
    summary: "The page behind the link of a mail",
    text: "It changes nothing: scanners follow every link.",
    query: {},
    answers: { 200: page("A page with a button."), 404: BAD_LINK, 503: TRY_AGAIN },
    // Trouble is a page as well.
    asks: false,
    refuses: {},
    examples: {
      link: { summary: "The link of a mail", status: 200 },
      badLink: {
        summary: "A link that is not whole",
        status: 404,
        params: { token: "spring.1" },
      },
    },
  },
  "POST /unsubscribe/:token": {
    id: "unsubscribe",
    area: "outside",
    summary: "Unsubscribe with one click (RFC 8058)",
    text:
      "The token alone decides, whatever the body is. The address is suppressed for all campaigns " +
      "when this has answered.",
    query: {},
    body: { read: "signed", content: { "application/x-www-form-urlencoded": "OneClick" } },
    answers: { 200: page("A page: done."), 404: BAD_LINK, 503: TRY_AGAIN },
    // Trouble is a page as well.
    asks: false,
    refuses: {},
    examples: {
      oneClick: {
        summary: "As a mail program does it",
        status: 200,
        body: { "List-Unsubscribe": "One-Click" },
      },
    },
  },
} as const satisfies SomeOperations;
