/** Recipients inside a JSON body: of a reservation, and of a preview. */
import * as z from "zod";
import type { Enrolment } from "../../campaign/rpc.ts";
import { parseRecipientId } from "../../domain/ids.ts";
import { assert } from "../../domain/result.ts";
import { address, mergeFields, recipientId } from "./field.ts";

export const recipient = z.strictObject({
  id: recipientId.optional().describe("The address where it is left out."),
  email: address,
  data: mergeFields.optional().describe(`The merge fields. ${mergeFields.description ?? ""}`),
});

/** @param line place in the list, from 1; it names the recipient in problems */
export function enrolment(from: z.output<typeof recipient>, line: number): Enrolment {
  // Where no id is given, the address is the id, in the form that two spellings share.
  const id = from.id ?? parseRecipientId(from.email.address);
  assert(id !== null, "an address is short enough to be an id");
  return {
    line,
    id,
    address: from.email.address,
    email: from.email.email,
    data: from.data ?? {},
  };
}
