/**
 * Sendonce as it ships, with the demo's faults around its provider and two routes beside its own:
 * fill the audience, and tell which faults have happened.
 *
 * The local queue hands out one batch at a time. A redelivery while the first consumer still runs is
 * therefore made here: the same message goes into the same consumer a second time, whose word to the
 * queue counts for nothing.
 */
import { consumerDeps } from "../../src/deployment.ts";
import { consumeQueue } from "../../src/queue/consume.ts";
import type { ConsumerDeps, QueueMessage } from "../../src/queue/deps.ts";
import product from "../../src/worker.ts";
import { parseDispatchMessage } from "../../src/campaign/dispatch-message.ts";
import { fillAudience } from "./audience.ts";
import { Faults } from "./faults.ts";
import { withFaults } from "./faulty-provider.ts";

export { AccountObject, CampaignObject } from "../../src/worker.ts";

type Batch = { readonly queue: string; readonly messages: readonly QueueMessage[] };

/** Lives in the isolate, of which `wrangler dev` has one. */
const faults = new Faults();

/** A managed batch has the number of its dispatch, and its key is made of both. */
function carries(message: QueueMessage, idempotencyKey: string): boolean {
  const dispatch = parseDispatchMessage(message.body);
  return dispatch !== null && `${dispatch.campaignId}:${dispatch.dispatch}` === idempotencyKey;
}

function faultyDeps(batch: Batch, env: Env): ConsumerDeps {
  const deps = consumerDeps(env);
  const handOutAgain = async (idempotencyKey: string): Promise<void> => {
    const message = batch.messages.find((each) => carries(each, idempotencyKey));
    if (message === undefined) throw new Error(`no message behind ${idempotencyKey}`);
    const again = { id: message.id, body: message.body, attempts: message.attempts + 1 };
    const second = { ...again, ack: () => undefined, retry: () => undefined };
    await consumeQueue({ queue: batch.queue, messages: [second] }, deps);
  };
  return { ...deps, provider: withFaults(deps.provider, faults, handOutAgain) };
}

async function answerDemo(path: string, env: Env): Promise<Response> {
  switch (path) {
    case "/demo/audience":
      await fillAudience(env.AUDIENCE);
      return Response.json({ filled: true });
    case "/demo/faults":
      return Response.json(faults.tally());
    default:
      return new Response("no such route of the demo", { status: 404 });
  }
}

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    return pathname.startsWith("/demo/") ? answerDemo(pathname, env) : product.fetch(request, env);
  },
  queue: (batch, env) => consumeQueue(batch, faultyDeps(batch, env)),
} satisfies ExportedHandler<Env>;
