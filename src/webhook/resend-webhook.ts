/**
 * `POST /webhooks/resend`: what became of a mail, told by the provider.
 *
 * A 2xx says that it is on disk, so the order is: believe, record, suppress, answer (SPEC G6, G7).
 * Whatever fails in between is answered with a 5xx and told again by the provider, and since
 * everything here only climbs, the second time does what is missing and nothing else. The provider
 * keeps no order and repeats itself; no id of an event is kept, because no second one would count.
 */
import { readBytes } from "../http/body.ts";
import { askAgain } from "../http/object-call.ts";
import { Refused } from "../http/problem.ts";
import type { Call } from "../http/route.ts";
import { json } from "../http/wire.ts";
import { MAX_WEBHOOK_BYTES, RETRY_NOT_CONFIGURED_SECONDS } from "../domain/limits.ts";
import { readEvent, type ReadEvent } from "./resend-event.ts";
import { signatureFault, type SignatureFault } from "./signature.ts";

/** Events that are none of ours are taken as well: the endpoint hears of a whole team's mails. */
export async function receiveResendEvent(call: Call): Promise<Response> {
  const event = readEvent(await believedBody(call));
  if (event === null || !(await record(call, event))) return json({ ignored: true });
  return json({ ignored: false });
}

/** @returns whether it was about a mail of a campaign that is there */
async function record({ deps }: Call, event: ReadEvent): Promise<boolean> {
  const { campaign, feedback, suppression } = event;
  const [answer] = await askAgain(() => deps.campaign(campaign).recordFeedback([feedback]));
  if (answer === undefined || answer === null) return false;
  if (suppression === null) return true;
  const { address } = answer;
  // Also where nothing was new: the first delivery of the event may have got no further.
  await askAgain(() => deps.account().suppress([address], suppression));
  return true;
}

/** The JSON of a request that the provider has signed. */
async function believedBody({ request, deps }: Call): Promise<unknown> {
  const secret = deps.webhookSecret;
  if (secret === undefined || secret === "") throw notConfigured("is not set");
  const body = await readBytes(request, MAX_WEBHOOK_BYTES);
  const { headers } = request;
  const fault = await signatureFault(
    secret,
    {
      id: headers.get("svix-id"),
      timestamp: headers.get("svix-timestamp"),
      signature: headers.get("svix-signature"),
      body,
    },
    deps.now(),
  );
  if (fault === "unusableSecret") throw notConfigured("is not base64 behind whsec_");
  if (fault !== null) throw new Refused("badSignature", FAULTS[fault]);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body));
  } catch {
    throw new Refused("malformedJson", "The body is signed but is not JSON in UTF-8.");
  }
}

const FAULTS: Readonly<Record<Exclude<SignatureFault, "unusableSecret">, string>> = {
  missingHeaders: "One of the headers svix-id, svix-timestamp and svix-signature is missing.",
  malformedTimestamp: "The header svix-timestamp is not in whole seconds.",
  tooOld: "The request was signed more than five minutes ago.",
  tooNew: "The request was signed more than five minutes from now.",
  noneMatches: "No signature of the header svix-signature is one of the secret's.",
};

function notConfigured(what: string): Refused {
  const detail = `The secret RESEND_WEBHOOK_SECRET ${what}; copy it from Resend's webhook page.`;
  return new Refused("webhookNotConfigured", detail, {
    headers: { "retry-after": String(RETRY_NOT_CONFIGURED_SECONDS) },
  });
}
