/** What has happened to a campaign: the audit trail and the dead letters. */
import type { Call } from "../route.ts";
import { parsePage } from "../schemas/query.ts";
import * as wire from "../wire.ts";
import { campaignOf, found } from "./named.ts";

/** Newest first. */
export async function listEvents(call: Call): Promise<Response> {
  const { cursor, limit } = parsePage(call.query);
  const events = await campaignOf(call).again((object) => object.events(cursor, limit));
  return wire.page(found(events), wire.event);
}

export async function listDeadLetters(call: Call): Promise<Response> {
  const { cursor, limit } = parsePage(call.query);
  const campaign = campaignOf(call);
  const letters = await campaign.again((object) => object.deadLetters(cursor, limit));
  return wire.page(found(letters), (letter) => wire.deadLetter(campaign.id, letter));
}
