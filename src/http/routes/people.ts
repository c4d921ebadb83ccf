/** What is held about one person: the export of it, and its erasure. */
import { askEveryCampaign, refuseSilence } from "../every-campaign.ts";
import { askAgain } from "../object-call.ts";
import type { Call } from "../route.ts";
import { expectNoFields } from "../schemas/empty.ts";
import * as wire from "../wire.ts";
import { addressIn } from "./named.ts";

/** Everything about one address; 200 with nothing in it where nothing is held. */
export async function getPerson(call: Call): Promise<Response> {
  const address = addressIn(call);
  const { deps } = call;
  const [suppression = null] = await askAgain(() => deps.account().suppressedAmong([address]));
  const answers = await askEveryCampaign(deps, (campaign) => campaign.person(address));
  const person = wire.person(address, suppression, answers.answered);
  refuseSilence(answers, person);
  return wire.json(person);
}

/**
 * Suppressed first, so that nobody enrols the address meanwhile; then gone from every campaign. Safe
 * to repeat: the second time finds nobody, or those who still wait for their batch.
 */
export async function erasePerson(call: Call): Promise<Response> {
  const address = addressIn(call);
  await expectNoFields(call.request);
  const { deps } = call;
  const entry = await askAgain(() => deps.account().suppressErased(address));
  const answers = await askEveryCampaign(deps, (campaign) => campaign.erasePerson(entry));
  const erasure = wire.erasure(address, answers.answered);
  refuseSilence(answers, erasure);
  return wire.json(erasure);
}
