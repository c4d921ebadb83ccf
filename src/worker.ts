/** The composition root: fetch, queue, cron and the two objects, in the default deployment. */
import type { Bindings } from "./bindings.ts";
import { consumerDeps, httpDeps, watchdogDeps } from "./deployment.ts";
import { handleRequest } from "./http/router.ts";
import { consumeQueue } from "./queue/consume.ts";
import { watchCampaigns } from "./watchdog/watchdog.ts";

export { AccountObject } from "./account/account-object.ts";
export { CampaignObject } from "./campaign/campaign-object.ts";

export default {
  fetch: (request, env) => handleRequest(request, httpDeps(env)),
  queue: (batch, env) => consumeQueue(batch, consumerDeps(env)),
  scheduled: async (_, env) => void (await watchCampaigns(watchdogDeps(env))),
} satisfies ExportedHandler<Bindings>;
