/** The body of `POST …/test`. */
import * as z from "zod";
import { MAX_TEST_ADDRESSES } from "../../domain/limits.ts";
import { check } from "./check.ts";
import { address, list } from "./field.ts";
import { PREVIEW_FIELDS, PREVIEW_RULE, previewFor, type PreviewFor } from "./preview.ts";

export const test = z
  .strictObject({
    to: list(address, MAX_TEST_ADDRESSES).describe("Who gets it; each mailbox once."),
    ...PREVIEW_FIELDS,
  })
  .meta(PREVIEW_RULE);

type Mailbox = z.output<typeof address>;

/** Whose mail, and who gets it: each mailbox once. */
export function parseTestSend(body: unknown): {
  readonly mailboxes: readonly Mailbox[];
  readonly whose: PreviewFor;
} {
  const { to, ...whose } = check(test, body);
  const once = new Map(to.map((each) => [each.address, each]));
  return { mailboxes: [...once.values()], whose: previewFor(whose) };
}
