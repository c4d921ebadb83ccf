/** The body of `POST …/preview`. */
import { z } from "zod";
import type { RecipientId } from "../../domain/ids.ts";
import { invalidFields } from "../problem.ts";
import { check } from "./check.ts";
import { recipientId } from "./field.ts";
import { enrolment, recipient } from "./recipient.ts";

const preview = z.strictObject({
  recipientId: recipientId.optional(),
  recipient: recipient.optional(),
});

/** For whom: somebody of the campaign, somebody made up, or its first recipient. */
export type PreviewFor =
  | { readonly by: "id"; readonly id: RecipientId }
  | { readonly by: "example"; readonly example: ReturnType<typeof enrolment> }
  | { readonly by: "first" };

export function parsePreview(body: unknown): PreviewFor {
  const { recipientId: id, recipient: example } = check(preview, body);
  if (id !== undefined && example !== undefined) {
    throw invalidFields([{ path: "recipient", detail: "can't stand beside recipientId" }]);
  }
  if (id !== undefined) return { by: "id", id };
  return example === undefined
    ? { by: "first" }
    : { by: "example", example: enrolment(example, 1) };
}
