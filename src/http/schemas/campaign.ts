/**
 * A campaign as its author writes it, and the checked draft that the object takes.
 *
 * Drafts are built in one fixed order of fields with sorted headers and tags, so that the same
 * campaign sent again is the same draft however its JSON was arranged.
 */
import * as z from "zod";
import type { CampaignView, Content, Draft } from "../../campaign/rpc.ts";
import { trimUnseen } from "../../domain/address.ts";
import { DELIVERIES } from "../../domain/draft.ts";
import type { CampaignId } from "../../domain/ids.ts";
import {
  MAX_CONTENT_BYTES,
  MAX_CONTENT_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_SUBJECT_CHARACTERS,
} from "../../domain/limits.ts";
import { assert } from "../../domain/result.ts";
import { DEFAULT_SETTINGS, SETTING_RANGES, type Settings } from "../../domain/settings.ts";
import { templateFaults } from "../../message/compile.ts";
import { invalidFields, type FieldError } from "../problem.ts";
import { content as contentFields } from "../wire.ts";
import { check } from "./check.ts";
import { campaignId, line, mailbox } from "./field.ts";
import { headers, tags } from "./header.ts";

/** The dashboard's way to a campaign is its name, so there has to be something to see. */
const campaignName = line(MAX_NAME_CHARACTERS).refine(
  (text) => text === "" || trimUnseen(text) !== "",
  "is blank",
);

function setting(name: keyof Settings) {
  const { least, most, whole } = SETTING_RANGES[name];
  const text = `has to be a ${whole ? "whole number" : "number"} from ${least} to ${most}`;
  const number = z.number(text).min(least, text).max(most, text);
  return (whole ? number.int(text) : number).optional();
}

const settings = z.strictObject({
  batchSize: setting("batchSize").describe("Recipients of one request to the provider."),
  leaseSeconds: setting("leaseSeconds").describe("How long a consumer has for one attempt."),
  maxAttempts: setting("maxAttempts").describe(
    "Attempts of unknown outcome before a batch is left in doubt.",
  ),
  idempotencyWindowSeconds: setting("idempotencyWindowSeconds").describe(
    "How long the provider is trusted to remember a key; 0: it keeps none.",
  ),
  requestsPerSecond: setting("requestsPerSecond")
    .nullable()
    .describe("This campaign's own limit beside the account's; null: none."),
  pauseAtFailureRate: setting("pauseAtFailureRate").describe(
    "Failed among settled, above which the campaign pauses itself.",
  ),
  pauseAtDeadLetters: setting("pauseAtDeadLetters").describe(
    "Dead letters at which the campaign pauses itself.",
  ),
});

const template = z.string().min(1, "is empty").max(MAX_CONTENT_CHARACTERS);

const CONTENT = {
  from: mailbox.optional().describe("The sender. Required where the delivery is managed."),
  replyTo: mailbox.nullable().optional().describe("Who gets the answers; null: the sender."),
  subject: line(MAX_SUBJECT_CHARACTERS)
    .optional()
    .describe("A Liquid template. Required where the delivery is managed."),
  html: template.nullable().optional().describe("A Liquid template; values are escaped."),
  text: template
    .nullable()
    .optional()
    .describe("A Liquid template. Where the delivery is managed, one of html and text is there."),
  headers: headers.optional().describe("Header fields of every mail."),
  tags: tags.optional().describe("Tags of every mail at the provider."),
  unsubscribe: z
    .boolean()
    .optional()
    .describe("Whether mails carry List-Unsubscribe and `unsubscribeUrl`; true where not said."),
};
const CONTENT_FIELDS = Object.keys(CONTENT) as (keyof typeof CONTENT)[];

export const written = z.strictObject({
  id: campaignId.optional().describe("Drawn where it is left out."),
  name: campaignName.describe("For people; recipients don't see it."),
  delivery: z
    .enum(DELIVERIES)
    .default("managed")
    .describe("`external`: consumers of other queues mail, and there is no content here."),
  ...CONTENT,
  settings: settings.optional(),
});
type Written = z.output<typeof written>;

export const change = z.strictObject({
  id: z.never("can't be changed").optional(),
  delivery: z.never("can't be changed; create another campaign").optional(),
  name: campaignName.optional(),
  ...CONTENT,
  settings: settings.optional(),
});

/**
 * Checks the body of `POST /api/campaigns`.
 * @param windowSeconds idempotency window where the body names none
 */
export function parseCampaign(
  body: unknown,
  windowSeconds: number,
): { id: CampaignId | null; draft: Draft } {
  const campaign = check(written, body);
  return { id: campaign.id ?? null, draft: draftOf(campaign, windowSeconds) };
}

/** Checks the body of `PATCH` and lays it over the draft; settings one by one. */
export function parseChange(body: unknown, { draft }: CampaignView): Draft {
  const changed = check(change, body);
  const merged = {
    name: draft.name,
    delivery: draft.delivery,
    ...(draft.content === null ? {} : contentFields(draft.content)),
    ...changed,
    settings: { ...draft.settings, ...changed.settings },
  };
  return draftOf(check(written, merged), draft.settings.idempotencyWindowSeconds);
}

function draftOf(campaign: Written, windowSeconds: number): Draft {
  const faults = campaign.delivery === "managed" ? managed(campaign) : external(campaign);
  if (faults.length > 0) throw invalidFields(faults);
  const content = campaign.delivery === "managed" ? contentOf(campaign) : null;
  if (content !== null) expectRoom(content);
  // Templates that can't be parsed would fail for everybody, so that they never get in.
  const unfit = content === null ? [] : templateFaults(content);
  if (unfit.length > 0) throw invalidFields(unfit);
  return {
    name: campaign.name,
    delivery: campaign.delivery,
    content,
    settings: {
      ...DEFAULT_SETTINGS,
      idempotencyWindowSeconds: windowSeconds,
      ...(campaign.settings as Partial<Settings> | undefined),
    },
  };
}

/** Each part has its own bound; together they are one row, and a change may bring parts one by one. */
function expectRoom(content: Content): void {
  const bytes = new TextEncoder().encode(JSON.stringify(content)).byteLength;
  if (bytes <= MAX_CONTENT_BYTES) return;
  const path = content.html === null ? "text" : "html";
  const detail = `takes ${bytes} bytes with all other parts; there is room for ${MAX_CONTENT_BYTES}`;
  throw invalidFields([{ path, detail }]);
}

function managed(campaign: Written): FieldError[] {
  const faults: FieldError[] = [];
  if (campaign.from === undefined) faults.push({ path: "from", detail: "is required" });
  if (campaign.subject === undefined) faults.push({ path: "subject", detail: "is required" });
  if ((campaign.html ?? null) === null && (campaign.text ?? null) === null) {
    faults.push({ path: "html", detail: "is required where there is no text" });
  }
  return faults;
}

function external(campaign: Written): FieldError[] {
  return CONTENT_FIELDS.filter((field) => campaign[field] !== undefined).map((path) => ({
    path,
    detail: "is not for external delivery, whose consumers bring the content",
  }));
}

function contentOf(campaign: Written): Content {
  const { from, subject } = campaign;
  assert(from !== undefined && subject !== undefined, "a managed campaign has passed its check");
  return {
    from,
    replyTo: campaign.replyTo ?? null,
    subject,
    html: campaign.html ?? null,
    text: campaign.text ?? null,
    headers: sorted(campaign.headers),
    tags: sorted(campaign.tags),
    unsubscribe: campaign.unsubscribe ?? true,
  };
}

function sorted(fields: Record<string, string> | undefined): Record<string, string> {
  const entries = Object.entries(fields ?? {});
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
