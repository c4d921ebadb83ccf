/**
 * Sendonce as it ships, with what a benchmark has to know of its inside: what the objects have cost
 * (count-object.ts), how many messages the queue has carried, and how long a consumer's two calls take.
 *
 * A campaign whose id begins with `rounds-` is mailed by nobody: its dispatches are reserved and
 * reported one after the other, and the time of the two calls is kept. One that begins with `wide-` has
 * a queue with many consumers (wide-queue.ts). Every other campaign takes the product's own way.
 */
import { ACCOUNT_NAME } from "../../src/account/rpc.ts";
import { parseDispatchMessage } from "../../src/campaign/dispatch-message.ts";
import type { CampaignRpc } from "../../src/campaign/rpc.ts";
import { consumerDeps } from "../../src/deployment.ts";
import type { AttemptOutcome } from "../../src/domain/outcome.ts";
import product, {
  AccountObject as ShippedAccount,
  CampaignObject as ShippedCampaign,
} from "../../src/worker.ts";
import { countRequests, ObjectCounts, type Counted } from "./count-object.ts";
import { D1_WAYS, d1Rounds } from "./d1-ledger.ts";
import { providerId } from "./provider-id.ts";
import { consumeWide, WIDE, wideQueue } from "./wide-queue.ts";

/** What `/bench/counts` tells of a campaign and of what it shares. */
export type RunCounts = {
  readonly campaign: Counted;
  readonly account: Counted;
  readonly queue: { readonly batches: number; readonly messages: number };
};

/** Live in the isolate, of which `wrangler dev` has one. */
const roundMilliseconds: number[] = [];
const queue = { batches: 0, messages: 0 };

export class CampaignObject extends ShippedCampaign {
  readonly counts: ObjectCounts;

  constructor(ctx: DurableObjectState, env: Env) {
    const counts = new ObjectCounts(ctx.storage);
    const isWide = ctx.id.name?.startsWith(WIDE) === true;
    super(ctx, isWide ? { ...env, DISPATCH: wideQueue(env.AUDIENCE) } : env);
    this.counts = counts;
  }

  counted(): Counted {
    return this.counts.read();
  }
}
countRequests(ShippedCampaign, CampaignObject, ({ counts }) => counts);

export class AccountObject extends ShippedAccount {
  readonly counts: ObjectCounts;

  constructor(ctx: DurableObjectState, env: Env) {
    const counts = new ObjectCounts(ctx.storage);
    super(ctx, env);
    this.counts = counts;
  }

  counted(): Counted {
    return this.counts.read();
  }
}
countRequests(ShippedAccount, AccountObject, ({ counts }) => counts);

/** Reserves and reports what a dispatch stands for, as if the provider had taken all in no time. */
async function playRound(body: unknown, env: Env): Promise<void> {
  const message = parseDispatchMessage(body);
  if (message === null) return;
  const campaign: CampaignRpc = env.CAMPAIGNS.getByName(message.campaignId);
  const request = { by: "dispatch", dispatch: message.dispatch, claim: "bench" } as const;
  const began = performance.now();
  const answer = await campaign.reserve(request);
  if (!answer.ok || !answer.value.granted) return;
  const { batch, token, members } = answer.value;
  const outcome: AttemptOutcome = {
    kind: "answered",
    results: members.map(({ seq }) => ({ seq, outcome: "sent", providerId: providerId(seq) })),
  };
  const told = await campaign.report({ batch: { number: batch }, token, outcome });
  if (!told.ok) throw new Error(`not taken: ${told.refusal.code}`);
  if (members.length === 100) roundMilliseconds.push(performance.now() - began);
}

async function answerBench(url: URL, env: Env): Promise<Response> {
  const asked = url.searchParams;
  switch (url.pathname) {
    case "/bench/rounds":
      return Response.json(roundMilliseconds.splice(0));
    case "/bench/d1": {
      const way = D1_WAYS.find((each) => each === asked.get("way"));
      if (way === undefined) return new Response("no such way", { status: 400 });
      return Response.json(await d1Rounds(env.AUDIENCE, way, Number(asked.get("rounds")), 100));
    }
    case "/bench/consume":
      return consumeWide(env.AUDIENCE, consumerDeps(env));
    case "/bench/counts":
      return Response.json(await runCounts(asked.get("campaign") ?? "", env));
    default:
      return new Response("no such route of the benchmark", { status: 404 });
  }
}

/** The binding's type is of the object that ships, which counts nothing. */
const countsOf = (stub: unknown): Promise<Counted> =>
  (stub as { counted(): Promise<Counted> }).counted();

async function runCounts(id: string, env: Env): Promise<RunCounts> {
  return {
    campaign: await countsOf(env.CAMPAIGNS.getByName(id)),
    account: await countsOf(env.ACCOUNT.getByName(ACCOUNT_NAME)),
    queue,
  };
}

const isRound = ({ body }: { readonly body: unknown }): boolean =>
  parseDispatchMessage(body)?.campaignId.startsWith("rounds-") ?? false;

export default {
  fetch(request, env) {
    const url = new URL(request.url);
    return url.pathname.startsWith("/bench/") ? answerBench(url, env) : product.fetch(request, env);
  },
  async queue(batch, env) {
    queue.batches += 1;
    queue.messages += batch.messages.length;
    if (!batch.messages.some(isRound)) return product.queue(batch, env);
    // One after the other, so that a round's time is its own.
    for (const message of batch.messages) await playRound(message.body, env);
  },
} satisfies ExportedHandler<Env>;
