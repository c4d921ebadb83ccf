/** The service itself, and the sessions of its dashboard. */
import { MAX_PREVIEW_BYTES } from "../../../domain/limits.ts";
import {
  json,
  jsonBody,
  optionalJsonBody,
  type Parameter,
  type SomeOperations,
} from "../operation.ts";

const FRESH: Parameter = {
  text: "The ETag of an earlier answer.",
  schema: { type: "string" },
};
const ORIGIN: Parameter = {
  text: "The page that asks, as a browser says it. A program leaves it out.",
  schema: { type: "string" },
};
const UNCHANGED = { text: "It is what the ETag stands for." };

export const SERVICE = {
  "GET /healthz": {
    id: "getHealth",
    area: "service",
    summary: "Whether the service can serve, and which part troubles it",
    text:
      "As the campaigns at work see it; the provider is asked nothing for it. With the queue or the " +
      "provider in trouble the API serves and the ledger waits: that is `degraded`, and 200.",
    query: {},
    answers: {
      200: json("Health", "It can."),
      503: json("Health", "Its storage does not answer.", { "Retry-After": "Seconds to wait." }),
    },
    asks: false,
    refuses: {},
    examples: { alive: { summary: "With nothing at work", status: 200 } },
  },
  "GET /metrics": {
    id: "getMetrics",
    area: "service",
    summary: "What Prometheus scrapes",
    text: "Give Prometheus the viewer's token. What each series means stands in its HELP line.",
    query: {},
    answers: {
      200: {
        text: "Prometheus' text format, version 0.0.4.",
        content: { type: "text/plain", schema: "Text" },
      },
    },
    refuses: {},
    examples: {},
  },
  "GET /openapi.json": {
    id: "getContract",
    area: "service",
    summary: "This contract",
    query: {},
    headers: { "If-None-Match": FRESH },
    answers: {
      200: json("Contract", "OpenAPI 3.1.", { ETag: "Changes with the contract." }),
      304: UNCHANGED,
    },
    asks: false,
    refuses: {},
    examples: {},
  },
  "GET /docs": {
    id: "getDocs",
    area: "service",
    summary: "This contract as a page",
    query: {},
    headers: { "If-None-Match": FRESH },
    answers: {
      200: {
        text: "A page without scripts.",
        content: { type: "text/html", schema: "Text" },
        headers: { ETag: "Changes with the contract." },
      },
      304: UNCHANGED,
    },
    asks: false,
    refuses: {},
    examples: {},
  },
  "POST /session": {
    id: "openSession",
    area: "dashboard",
    summary: "Sign in: a cookie for a token",
    query: {},
    headers: { Origin: ORIGIN },
    body: jsonBody("SignIn"),
    answers: {
      200: json("Session", "Who that is, for twelve hours.", { "Set-Cookie": "The session." }),
    },
    asks: false,
    refuses: {
      unknownToken: "The token is none of the service's.",
      tooManyGuesses: "Too many wrong tokens came from this address.",
      wrongOrigin: "It is asked by a page of another origin.",
      notConfigured: "The service lacks OPERATOR_TOKEN or SIGNING_KEY.",
    },
    examples: {
      signIn: { summary: "With a token", status: 200, body: { token: "operator-token" } },
      otherOrigin: {
        summary: "From a page of another origin",
        status: 403,
        headers: { Origin: "https://elsewhere.example" },
        body: { token: "operator-token" },
      },
      wrongToken: { summary: "With another token", status: 401, body: { token: "guess" } },
    },
  },
  "GET /session": {
    id: "getSession",
    area: "dashboard",
    summary: "Who is signed in",
    query: {},
    answers: { 200: json("Session", "Who that is.") },
    refuses: {},
    examples: {
      who: { summary: "A program with the operator's token", status: 200 },
    },
  },
  "DELETE /session": {
    id: "closeSession",
    area: "dashboard",
    summary: "Sign out",
    query: {},
    body: optionalJsonBody("Nothing"),
    answers: {
      204: { text: "The cookie is taken away.", headers: { "Set-Cookie": "An empty one." } },
    },
    refuses: { wrongOrigin: "It is asked by a page of another origin." },
    examples: { signOut: { summary: "Whatever the cookie was", status: 204 } },
  },
  "POST /preview-frame": {
    id: "showPreview",
    area: "dashboard",
    summary: "The html of a mail as a document of its own",
    text: "Under a policy that runs no script and belongs to no origin, for a frame to show it in.",
    query: {},
    body: { read: "form", content: { "application/x-www-form-urlencoded": "PreviewForm" } },
    answers: {
      200: { text: "The html, as it was given.", content: { type: "text/html", schema: "Text" } },
    },
    refuses: {
      bodyInterrupted: "The connection was lost before all of it was there.",
      tooLarge: `The form has more than ${MAX_PREVIEW_BYTES} bytes, or doesn't say how many.`,
      unsupportedMediaType: "It is no form.",
    },
    examples: {
      html: { summary: "A form", status: 200, body: { html: "<p>Hello</p>" } },
    },
  },
} as const satisfies SomeOperations;
