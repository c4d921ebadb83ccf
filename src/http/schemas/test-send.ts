/** The body of `POST …/test`. */
import * as z from "zod";
import { MAX_TEST_ADDRESSES } from "../../domain/limits.ts";
import { check } from "./check.ts";
import { address, list } from "./field.ts";
import { PREVIEW_FIELDS, previewFor, type PreviewFor } from "./preview.ts";

const test = z.strictObject({ to: list(address, MAX_TEST_ADDRESSES), ...PREVIEW_FIELDS });

/** Whose mail, and who gets it: each mailbox once. */
export function parseTestSend(body: unknown): { to: readonly string[]; whose: PreviewFor } {
  const { to, ...whose } = check(test, body);
  const once = new Map(to.map((each) => [each.address, each.email]));
  return { to: [...once.values()], whose: previewFor(whose) };
}
