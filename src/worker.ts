/** The composition root: fetch, queue, the two objects, in the default deployment. Nothing else. */
import type { Bindings } from "./bindings.ts";
import { consumerDeps, httpDeps } from "./deployment.ts";
import { handleRequest } from "./http/router.ts";
import { consumeQueue } from "./queue/consume.ts";

export { AccountObject } from "./account/account-object.ts";
export { CampaignObject } from "./campaign/campaign-object.ts";

export default {
  fetch: (request, env) => handleRequest(request, httpDeps(env)),
  queue: (batch, env) => consumeQueue(batch, consumerDeps(env)),
} satisfies ExportedHandler<Bindings>;
