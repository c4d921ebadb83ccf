/** Bodies of requests that say everything in their path. */
import * as z from "zod";
import { readOptionalJson } from "../body.ts";
import { check } from "./check.ts";

export const nothing = z.strictObject({});

/** Takes no body or `{}`; a field would be one that we drop in silence. */
export async function expectNoFields(request: Request): Promise<void> {
  check(nothing, await readOptionalJson(request));
}
