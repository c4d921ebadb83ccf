/** The bodies of `POST …/replay` and `…/resolve`. */
import * as z from "zod";
import type { ReplayRequest, ResolveRequest } from "../../campaign/rpc.ts";
import { invalidFields, type Refused } from "../problem.ts";
import { check } from "./check.ts";
import { recipientIds } from "./field.ts";

const replay = z.strictObject({
  recipients: z.enum(["failed", "deadLettered", "inDoubt"]).optional(),
  ids: recipientIds.optional(),
  acceptDuplicateRisk: z.boolean().optional(),
});

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

const resolve = z.strictObject({ ids: recipientIds, as: z.enum(["sent", "failed"]) });

export function parseResolve(body: unknown): ResolveRequest {
  return check(resolve, body);
}

function field(path: string, detail: string): Refused {
  return invalidFields([{ path, detail }]);
}
