/** The bodies of `POST …/replay`, `…/resolve` and `…/resume`. */
import * as z from "zod";
import type { ReplayRequest, ResolveRequest, ResumeRequest } from "../../campaign/rpc.ts";
import { invalidFields, type Refused } from "../problem.ts";
import { check } from "./check.ts";
import { recipientIds } from "./field.ts";

export const replay = z
  .strictObject({
    recipients: z
      .enum(["failed", "deadLettered", "inDoubt"])
      .optional()
      .describe("Everybody who is in this state, in place of ids."),
    ids: recipientIds.optional(),
    acceptDuplicateRisk: z
      .boolean()
      .optional()
      .describe("Has to be true for those in doubt: they may have been mailed already."),
  })
  .meta({ oneOf: [{ required: ["recipients"] }, { required: ["ids"] }] });

/** Which recipients to mail after all. The risk of a second mail has to be accepted in words. */
export function parseReplay(body: unknown): ReplayRequest {
  const { recipients, ids, acceptDuplicateRisk } = check(replay, body);
  if (ids !== undefined) {
    if (recipients !== undefined) throw field("recipients", "can't stand beside ids");
    return { ids, acceptDuplicateRisk: acceptDuplicateRisk ?? false };
  }
  if (recipients === undefined) throw field("recipients", "is required where there are no ids");
  if (recipients !== "inDoubt") {
    if (acceptDuplicateRisk === undefined) return { recipients };
    throw field("acceptDuplicateRisk", "is only for inDoubt and for ids");
  }
  if (acceptDuplicateRisk === true) return { recipients, acceptDuplicateRisk };
  throw field("acceptDuplicateRisk", "has to be true: these may have been mailed already");
}

export const resolve = z.strictObject({
  ids: recipientIds,
  as: z.enum(["sent", "failed"]).describe("What a look at the provider's log has shown."),
});

export function parseResolve(body: unknown): ResolveRequest {
  return check(resolve, body);
}

export const resume = z.strictObject({
  acceptDuplicateRisk: z
    .boolean()
    .optional()
    .describe("Only asked for where the campaign was restored from a backup."),
});

export function parseResume(body: unknown): ResumeRequest {
  return { acceptDuplicateRisk: check(resume, body).acceptDuplicateRisk ?? false };
}

function field(path: string, detail: string): Refused {
  return invalidFields([{ path, detail }]);
}
