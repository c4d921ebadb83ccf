/** Campaigns as a whole. */
import { MAX_PAGE_WITH_STATUS } from "../../../domain/limits.ts";
import { json, jsonBody, optionalJsonBody, type SomeOperations } from "../operation.ts";
import { ETAG, IF_MATCH, pageParameters } from "../parameters.ts";

const MANAGED = {
  id: "spring",
  name: "Spring sale",
  from: "The Shop <news@shop.example>",
  replyTo: "help@shop.example",
  subject: '{{ firstName | default: "Hello" }}, spring has come',
  html: "<p>Everything for the garden is 20 % off.</p>",
  headers: { "X-Season": "spring" },
  tags: { season: "spring" },
  settings: { batchSize: 50, pauseAtFailureRate: 0.1 },
};

const EXTERNAL = {
  id: "welcome",
  name: "Welcome mails",
  delivery: "external",
  settings: { idempotencyWindowSeconds: 0 },
};

export const CAMPAIGNS = {
  "POST /api/campaigns": {
    id: "createCampaign",
    area: "campaigns",
    summary: "Create a draft",
    text: "The same id with the same body again is 200, with another body 409.",
    query: {},
    body: jsonBody("CampaignDraft"),
    answers: {
      200: json("Campaign", "The same draft was there already.", {
        Location: "Its path.",
        ...ETAG,
      }),
      201: json("Campaign", "It was created.", { Location: "Its path.", ...ETAG }),
    },
    refuses: { campaignExists: "The id is taken by a campaign that is not the same." },
    examples: {
      managed: { summary: "Sendonce mails it", status: 201, body: MANAGED },
      again: { summary: "The same once more", status: 200, body: MANAGED },
      external: {
        summary: "Consumers of another queue mail it, at a provider without keys",
        status: 201,
        body: EXTERNAL,
      },
      taken: {
        summary: "Another campaign under an id that is taken",
        status: 409,
        body: { ...EXTERNAL, name: "Other mails" },
      },
      faults: {
        summary: "Fields that are missing, unknown and out of range",
        status: 400,
        body: { id: "faulty", from: "nobody", colour: "red", settings: { batchSize: 1000 } },
      },
      brokenJson: { summary: "A body that breaks off", status: 400, body: '{"id": "spring",\n' },
    },
  },
  "GET /api/campaigns": {
    id: "listCampaigns",
    area: "campaigns",
    summary: "List the campaigns, the newest first",
    query: {
      ...pageParameters(),
      include: {
        text: `\`status\` adds each campaign's delivery status; a page has at most ${MAX_PAGE_WITH_STATUS} then.`,
        schema: { type: "string", enum: ["status"] },
      },
    },
    answers: { 200: json("CampaignPage", "One page.") },
    refuses: {},
    examples: {
      all: { summary: "By name", status: 200 },
      withStatus: {
        summary: "With their numbers",
        status: 200,
        query: { include: "status", limit: "10" },
      },
      outOfRange: { summary: "More than a page may have", status: 400, query: { limit: "5000" } },
    },
  },
  "GET /api/campaigns/:id": {
    id: "getCampaign",
    area: "campaigns",
    summary: "Look at a campaign",
    query: {},
    answers: {
      200: json("Campaign", "The campaign with its content, settings and status.", ETAG),
    },
    refuses: {},
    examples: {
      one: { summary: "A draft", status: 200 },
      unknown: { summary: "An id that nobody has", status: 404, params: { id: "autumn" } },
      brokenPath: { summary: "An id that can't be decoded", status: 400, params: { id: "%FF" } },
    },
  },
  "PATCH /api/campaigns/:id": {
    id: "changeCampaign",
    area: "campaigns",
    summary: "Change a draft",
    text:
      "Fields that are left out stay as they are, settings one by one. Two changes at once are both " +
      "carried out; to make one only of what you have read, send its `ETag` as `If-Match`.",
    query: {},
    headers: { "If-Match": IF_MATCH },
    body: jsonBody("CampaignChange"),
    answers: { 200: json("Campaign", "The campaign as it is now.", ETAG) },
    refuses: {
      wrongState: "It has started.",
      changedMeanwhile: "It has changed since it had the tag that `If-Match` names.",
    },
    examples: {
      change: {
        summary: "Another subject and smaller batches",
        status: 200,
        body: {
          subject: "{{ firstName }}, spring has come",
          text: "Everything for the garden is 20 % off.",
          settings: { batchSize: 20 },
        },
      },
      changedMeanwhile: {
        summary: "A change of what somebody else has changed since",
        status: 412,
        headers: { "If-Match": '"WVT0Zyl6mNhNaJKIXSbNqA"' },
        body: { subject: "Spring has come" },
      },
    },
  },
  "DELETE /api/campaigns/:id": {
    id: "eraseCampaign",
    area: "campaigns",
    summary: "Erase everything about a campaign",
    text:
      "The unsubscribe links in its mails end with it: nobody knows any more whose they were, and " +
      "their page says so.",
    query: {},
    body: optionalJsonBody("Nothing"),
    answers: { 204: { text: "It is gone." } },
    refuses: {
      wrongState: "It is sending; pause or cancel it first.",
      stillReserved: "Recipients are with a consumer right now.",
    },
    examples: {
      erase: { summary: "One that is over", status: 204 },
    },
  },
} as const satisfies SomeOperations;
