/** Campaigns as a whole: create, list, look at, change, erase. */
import type { CampaignView, Draft } from "../../campaign/rpc.ts";
import type { DirectoryEntry } from "../../account/rpc.ts";
import { parseCampaignId, type CampaignId } from "../../domain/ids.ts";
import { campaignAfter } from "../../domain/campaign.ts";
import { CHANGE_TRIES, MAX_PAGE_WITH_STATUS } from "../../domain/limits.ts";
import { assert } from "../../domain/result.ts";
import { readJson } from "../body.ts";
import { entityTag, isMatch } from "../entity-tag.ts";
import { askAgain } from "../object-call.ts";
import { Refused } from "../problem.ts";
import { granted } from "../refusal.ts";
import type { Call } from "../route.ts";
import { parseCampaign, parseChange } from "../schemas/campaign.ts";
import { expectNoFields } from "../schemas/empty.ts";
import { invalidQuery, parsePage } from "../schemas/query.ts";
import * as wire from "../wire.ts";
import { campaignOf, campaignWith, found, type NamedCampaign } from "./named.ts";

/** 201 where it was created, 200 where the same draft was there already, 409 for another. */
export async function createCampaign(call: Call): Promise<Response> {
  const { deps, request } = call;
  const parsed = parseCampaign(await readJson(request), deps.defaultIdempotencyWindowSeconds);
  const campaign = campaignWith(call, parsed.id ?? newCampaignId(call));
  // An id that was drawn just now names nothing yet.
  const standing = parsed.id === null ? null : await campaign.again((each) => each.describe());
  // In the directory first: a campaign that a suppression can't find would mail the address
  // (SPEC G6), while an entry without a campaign does no harm.
  if (standing === null) await register(call, campaign.id, parsed.draft);
  const result = await campaign.again((object) => object.create(parsed.draft));
  if (!result.ok && standing === null) await registerWinner(call, campaign);
  const { created, view } = granted(result);
  // Of one that is there already the entry may be missing: the account's object may be a backup.
  if (standing !== null) await register(call, campaign.id, view.draft);
  // Where an earlier try lost its answer, the second finds the campaign it has made itself.
  const isNew = created || (standing === null && parsed.id === null);
  const location = `/api/campaigns/${campaign.id}`;
  return shown(view, isNew ? 201 : 200, { location });
}

/** Each answer of a whole campaign names what it is, so that a change can say what it is one of. */
async function shown(
  view: CampaignView,
  status = 200,
  headers: Record<string, string> = {},
): Promise<Response> {
  return wire.json(wire.campaign(view), status, { ...headers, etag: await tagOf(view) });
}

function newCampaignId({ deps }: Call): CampaignId {
  const id = parseCampaignId(deps.newId());
  assert(id !== null, "newId gives campaign ids");
  return id;
}

function register({ deps }: Call, id: CampaignId, draft: Draft): Promise<void> {
  const { requestsPerSecond } = draft.settings;
  return askAgain(() => deps.account().register(id, draft.name, requestsPerSecond));
}

/** Two created the same id at once; the entry is now the loser's and is put right. */
async function registerWinner(call: Call, campaign: NamedCampaign): Promise<void> {
  const winner = await campaign.again((object) => object.describe());
  if (winner !== null) await register(call, campaign.id, winner.draft);
}

/** With `include=status` each entry is asked for its state; such a page is short. */
export async function listCampaigns(call: Call): Promise<Response> {
  const include = call.query.get("include");
  if (include !== null && include !== "status") {
    throw invalidQuery("include", "has to be status");
  }
  if (include === null) {
    const { cursor, limit } = parsePage(call.query);
    const entries = await askAgain(() => call.deps.account().campaigns(cursor, limit));
    return wire.page(entries, wire.directoryEntry);
  }
  const { cursor, limit } = parsePage(call.query, MAX_PAGE_WITH_STATUS);
  const entries = await askAgain(() => call.deps.account().campaigns(cursor, limit));
  const items = await Promise.all(entries.items.map((entry) => withStatus(call, entry)));
  return wire.json({ items: items.filter((item) => item !== null), cursor: entries.cursor });
}

/** Null for an entry whose campaign was never created or is erased already. */
async function withStatus(call: Call, entry: DirectoryEntry): Promise<object | null> {
  const status = await campaignWith(call, entry.id).again((object) => object.deliveryStatus());
  return status && { ...wire.directoryEntry(entry), status: wire.deliveryStatus(status) };
}

export async function getCampaign(call: Call): Promise<Response> {
  const view = await campaignOf(call).again((object) => object.describe());
  return shown(found(view));
}

const tagOf = (view: CampaignView): Promise<string> =>
  entityTag(JSON.stringify(wire.campaign(view)));

/** Two changes at once are both carried out; with `If-Match`, only one of what was read. */
export async function changeCampaign(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const body = await readJson(call.request);
  const { before, after } = await changed(campaign, body, call.request.headers.get("if-match"));
  await registerChange(call, before, after);
  return shown(after);
}

/** Lays the change over the draft as it stands, and anew where somebody else was quicker. */
async function changed(
  campaign: NamedCampaign,
  body: unknown,
  ifMatch: string | null,
): Promise<{ readonly before: CampaignView; readonly after: CampaignView }> {
  for (let tries = 1; ; tries += 1) {
    const before = found(await campaign.again((object) => object.describe()));
    const draft = parseChange(body, before);
    await expectMatch(ifMatch, before);
    const answer = await campaign.again((object) => object.edit(draft, before.draft));
    const isTaken = answer.ok || answer.refusal.code !== "changed" || tries === CHANGE_TRIES;
    if (isTaken) return { before, after: granted(answer) };
  }
}

/** What would be refused anyhow is refused for that (RFC 9110 §13.2.1). */
async function expectMatch(ifMatch: string | null, view: CampaignView): Promise<void> {
  if (ifMatch === null || !campaignAfter(view.status.state, "edit").ok) return;
  const etag = await tagOf(view);
  if (isMatch(ifMatch, etag)) return;
  const detail = "The campaign has changed since it was read. Nothing was changed.";
  throw new Refused("changedMeanwhile", detail, { headers: { etag } });
}

/** The directory holds a copy of the name and of the campaign's own rate limit. */
async function registerChange(call: Call, before: CampaignView, after: CampaignView) {
  const { name, settings } = before.draft;
  const sameRate = settings.requestsPerSecond === after.draft.settings.requestsPerSecond;
  if (name !== after.draft.name || !sameRate) await register(call, after.id, after.draft);
}

/** 204 when everything about it is gone. */
export async function eraseCampaign(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  await expectNoFields(call.request);
  found(await campaign.again((object) => object.describe()));
  const result = await campaign.again((object) => object.erase());
  // It was there a moment ago. An erasure whose answer was lost is found done by the next try.
  if (result.ok || result.refusal.code !== "notFound") granted(result);
  await askAgain(() => call.deps.account().unregister(campaign.id));
  // Somebody may have created it anew in between, and its entry must not be missing (SPEC G6).
  const successor = await campaign.again((object) => object.describe());
  if (successor !== null) await register(call, campaign.id, successor.draft);
  return new Response(null, { status: 204 });
}
