/** The run of a campaign: from start to finish, its replays, and its numbers. */
import type { CampaignRpc, DeliveryStatus } from "../../campaign/rpc.ts";
import type { Result } from "../../domain/result.ts";
import { readJson, readOptionalJson } from "../body.ts";
import { granted, type RpcRefusal } from "../refusal.ts";
import type { Call } from "../route.ts";
import { expectNoFields } from "../schemas/empty.ts";
import { parseReplay, parseResolve, parseResume } from "../schemas/replay.ts";
import { parseStart } from "../schemas/start.ts";
import * as wire from "../wire.ts";
import { publicUrlOf, refuseErrors } from "./preflight.ts";
import { campaignOf, found } from "./named.ts";

export async function getDeliveryStatus(call: Call): Promise<Response> {
  const status = await campaignOf(call).again((object) => object.deliveryStatus());
  return wire.json(wire.deliveryStatus(found(status)));
}

/** Never asked twice: the second would be told 409 for the start that the first has made. */
export async function startCampaign(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const at = parseStart(await readOptionalJson(call.request), call.deps.now());
  const publicUrl = publicUrlOf(call);
  await refuseErrors(call, campaign);
  const result = await campaign.once((object) => object.start({ at, publicUrl }));
  return wire.json(wire.deliveryStatus(granted(result)));
}

export function pauseCampaign(call: Call): Promise<Response> {
  return move(call, (object) => object.pause("operator", "Paused by the operator."));
}

/** The body is for a campaign that was restored from a backup; no other one takes a risk here. */
export async function resumeCampaign(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const request = parseResume(await readOptionalJson(call.request));
  const result = await campaign.again((object) => object.resume(request));
  return wire.json(wire.deliveryStatus(granted(result)));
}

export function cancelCampaign(call: Call): Promise<Response> {
  return move(call, (object) => object.cancel());
}

export function finishCampaign(call: Call): Promise<Response> {
  return move(call, (object) => object.finish());
}

async function move(
  call: Call,
  ask: (object: CampaignRpc) => Promise<Result<DeliveryStatus, RpcRefusal>>,
): Promise<Response> {
  const campaign = campaignOf(call);
  await expectNoFields(call.request);
  return wire.json(wire.deliveryStatus(granted(await campaign.again(ask))));
}

/** Never asked twice: the second would count nobody. */
export async function replayRecipients(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const request = parseReplay(await readJson(call.request));
  const report = granted(await campaign.once((object) => object.replay(request)));
  return wire.json(wire.replayReport(report));
}

/** Never asked twice: the second would find them settled and refuse. */
export async function resolveRecipients(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const request = parseResolve(await readJson(call.request));
  const status = granted(await campaign.once((object) => object.resolve(request)));
  return wire.json(wire.deliveryStatus(status));
}

/**
 * Has the provider asked which of the doubts it has mails of. The answer is that of before: what is
 * found is settled in the seconds and minutes after, and the events tell when that has ended.
 */
export function reconcileDoubts(call: Call): Promise<Response> {
  return move(call, (object) => object.inquire());
}
