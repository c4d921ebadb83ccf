/** The live stream of a campaign (DESIGN §5): this lets a viewer through, the object does the rest. */
import { RETRY_WATCH_SECONDS } from "../../domain/limits.ts";
import { askOnce } from "../object-call.ts";
import { Refused } from "../problem.ts";
import { campaignNotFound } from "../refusal.ts";
import type { Call } from "../route.ts";
import { campaignOf } from "./named.ts";

export async function watchCampaign(call: Call): Promise<Response> {
  const { request, deps } = call;
  const { id } = campaignOf(call);
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    throw new Refused("upgradeRequired", "This is a WebSocket; send `Upgrade: websocket`.", {
      headers: { upgrade: "websocket" },
    });
  }
  const answer = await askOnce(() => deps.watch(id, call.identity?.expiresAt ?? null));
  if (answer.status === 101) return answer;
  if (answer.status === 404) throw campaignNotFound();
  throw new Refused("overloaded", "As many as may are watching this campaign already.", {
    headers: { "retry-after": String(RETRY_WATCH_SECONDS) },
  });
}
