/** The body of `POST …/preview`. */
import * as z from "zod";
import type { RecipientId } from "../../domain/ids.ts";
import { invalidFields } from "../problem.ts";
import { check } from "./check.ts";
import { recipientId } from "./field.ts";
import { enrolment, recipient } from "./recipient.ts";

/** For requests that say for whom a mail is rendered. */
export const PREVIEW_FIELDS = {
  recipientId: recipientId.optional().describe("Somebody of the campaign."),
  recipient: recipient.optional().describe("Somebody made up, in place of recipientId."),
};

/** What `previewFor` checks, for readers of the contract. */
export const PREVIEW_RULE = { not: { required: ["recipientId", "recipient"] } };

export const preview = z.strictObject(PREVIEW_FIELDS).meta(PREVIEW_RULE);

/** For whom: somebody of the campaign, somebody made up, or its first recipient. */
export type PreviewFor =
  | { readonly by: "id"; readonly id: RecipientId }
  | { readonly by: "example"; readonly example: ReturnType<typeof enrolment> }
  | { readonly by: "first" };

export function parsePreview(body: unknown): PreviewFor {
  return previewFor(check(preview, body));
}

export function previewFor(fields: z.output<typeof preview>): PreviewFor {
  const { recipientId: id, recipient: example } = fields;
  if (id !== undefined && example !== undefined) {
    throw invalidFields([{ path: "recipient", detail: "can't stand beside recipientId" }]);
  }
  if (id !== undefined) return { by: "id", id };
  return example === undefined
    ? { by: "first" }
    : { by: "example", example: enrolment(example, 1) };
}
