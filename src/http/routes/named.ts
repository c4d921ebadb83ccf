/** The campaign, the recipient and the address that a path names. */
import type { CampaignRpc } from "../../campaign/rpc.ts";
import { parseAddress } from "../../domain/address.ts";
import { parseCampaignId, parseRecipientId } from "../../domain/ids.ts";
import type { Address, CampaignId, RecipientId } from "../../domain/ids.ts";
import { askAgain, askOnce } from "../object-call.ts";
import { invalidFields, Refused } from "../problem.ts";
import { campaignNotFound } from "../refusal.ts";
import type { Call } from "../route.ts";

/** The id in the path. One that can't be an id names no campaign, and no object is woken for it. */
function campaignIdOf(call: Call): CampaignId {
  const id = parseCampaignId(call.params.id ?? "");
  if (id === null) throw campaignNotFound();
  return id;
}

export function recipientIdOf(call: Call): RecipientId {
  const id = parseRecipientId(call.params.recipientId ?? "");
  if (id === null) throw recipientNotFound();
  return id;
}

/** The address in the path, in its normal form. */
export function addressIn({ params }: Call): Address {
  const parsed = parseAddress(params.address ?? "");
  if (parsed.ok) return parsed.value.address;
  throw invalidFields([{ path: "address", detail: `is not an address: ${parsed.refusal.detail}` }]);
}

export function recipientNotFound(): Refused {
  return new Refused("recipientNotFound", "The campaign has no recipient with this id.");
}

/** A campaign as routes talk to it: each call says whether it may be made again. */
export type NamedCampaign = {
  readonly id: CampaignId;
  /** For calls whose repetition gives the same answer. */
  again<Answer>(ask: (campaign: CampaignRpc) => Promise<Answer>): Promise<Answer>;
  /** For calls whose repetition would be answered otherwise, such as a second start. */
  once<Answer>(ask: (campaign: CampaignRpc) => Promise<Answer>): Promise<Answer>;
};

export function campaignOf(call: Call): NamedCampaign {
  return campaignWith(call, campaignIdOf(call));
}

export function campaignWith({ deps }: Call, id: CampaignId): NamedCampaign {
  return {
    id,
    again: (ask) => askAgain(() => ask(deps.campaign(id))),
    once: (ask) => askOnce(() => ask(deps.campaign(id))),
  };
}

/** For calls that say null for a campaign that is not there. */
export function found<Answer>(answer: Answer | null): Answer {
  if (answer === null) throw campaignNotFound();
  return answer;
}
