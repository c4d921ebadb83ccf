/** A campaign by the RPC of its object, for a Worker that binds to the objects by `script_name`. */
import type { CampaignRpc, ReportRequest, ReserveRequest } from "../campaign/rpc.ts";
import type { RecipientId, Token } from "../domain/ids.ts";
import { mayAskAtOnce } from "../domain/object-error.ts";
import {
  CampaignTrouble,
  type CampaignPort,
  type Declined,
  type Grant,
  type ReportAsk,
  type ReservationAsk,
} from "./campaign-port.ts";

/** What is called of the object. A stub of `DurableObjectNamespace<CampaignObject>` fits. */
export type CampaignStub = Pick<CampaignRpc, "reserve" | "report">;

/**
 * @param stub gives a new stub at each call, as in `() => env.CAMPAIGNS.getByName("spring")`: after a
 *   reset of its object an old one keeps failing
 */
export function rpcCampaign(stub: () => CampaignStub): CampaignPort {
  return {
    async reserve(ask: ReservationAsk): Promise<Grant | Declined> {
      const answer = await called(() => stub().reserve(requestOf(ask)));
      if (!answer.ok) throw refusedFor(answer.refusal.code);
      if (!answer.value.granted) return answer.value;
      const { token, leaseMilliseconds, idempotencyKey, members, skipped } = answer.value;
      const recipients = members.map(({ id, email, data }) => ({ id, email, data }));
      return { granted: true, token, leaseMilliseconds, idempotencyKey, recipients, skipped };
    },

    async report({ reservationId, token, told }: ReportAsk): Promise<boolean> {
      const batch = { reservationId };
      const request = { batch, token: token as Token, outcome: outcomeOf(told) };
      const answer = await called(() => stub().report(request));
      if (answer.ok) return true;
      if (answer.refusal.code === "staleToken") return false;
      throw refusedFor(answer.refusal.code);
    },
  };
}

function requestOf({ reservationId, claim, wanted }: ReservationAsk): ReserveRequest {
  return "limit" in wanted
    ? { by: "limit", reservationId, claim, limit: wanted.limit }
    : { by: "recipients", reservationId, claim, recipients: wanted.recipients };
}

function outcomeOf(told: ReportAsk["told"]): ReportRequest["outcome"] {
  switch (told.kind) {
    case "results":
      return {
        kind: "results",
        results: told.results.map((result) => ({ ...result, id: result.id as RecipientId })),
      };
    case "deferred":
      return { ...told, kind: "deferred", pause: null };
    case "unknown":
      return { ...told, kind: "unknown", repeat: true };
  }
}

/** An object that is overloaded gets worse by being asked at once (Cloudflare, error handling). */
async function called<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    const detail = `the campaign's object has not answered: ${String(cause)}`;
    throw new CampaignTrouble("unreachable", detail, { isPassing: mayAskAtOnce(cause), cause });
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  notFound: "there is no campaign with this id",
  wrongDelivery: "the campaign's delivery is managed: it mails by itself",
};

function refusedFor(code: string): CampaignTrouble {
  const detail = REFUSALS[code] ?? `the campaign refuses: ${code}`;
  return new CampaignTrouble(code, detail, { isPassing: false });
}
