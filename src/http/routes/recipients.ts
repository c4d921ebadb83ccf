/** Recipients of a campaign: the list, and one with its whole story. */
import type { Call } from "../route.ts";
import { parseEmail, parsePage, parseStatus } from "../schemas/query.ts";
import * as wire from "../wire.ts";
import { campaignOf, found, recipientIdOf, recipientNotFound } from "./named.ts";

export async function listRecipients(call: Call): Promise<Response> {
  const { query: given } = call;
  const query = { status: parseStatus(given), ...parseEmail(given), ...parsePage(given) };
  const recipients = await campaignOf(call).again((object) => object.recipients(query));
  return wire.page(found(recipients), wire.recipient);
}

export async function getRecipient(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const id = recipientIdOf(call);
  const story = await campaign.again((object) => object.recipient(id));
  if (story !== null) return wire.json(wire.recipientStory(story));
  // The object says null for either; which of the two is missing is worth a second question.
  found(await campaign.again((object) => object.deliveryStatus()));
  throw recipientNotFound();
}
