/** Whom somebody means by an id or an address. */
import { ApiError } from "./ask.ts";
import { getRecipient, listRecipients } from "./calls.ts";

/** By id first, since that is exact; then by address, in any spelling. */
export async function findRecipient(campaign: string, wanted: string): Promise<string> {
  try {
    return (await getRecipient(campaign, wanted)).id;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "recipientNotFound") throw error;
  }
  const nobody = new ApiError("recipientNotFound", `Nobody here has the id or address ${wanted}.`);
  if (!wanted.includes("@")) throw nobody;
  const { items } = await listRecipients(campaign, { status: null, email: wanted }, null);
  const [found] = items;
  if (found === undefined) throw nobody;
  return found.id;
}
