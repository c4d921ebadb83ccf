/**
 * The worker that ships, with its two objects in the hands of a test: the clock, the queue and the
 * fate of answers come from the stage. Nothing of the product is replaced beyond that.
 */
import type { CampaignRpc } from "../../src/campaign/rpc.ts";
import { httpDeps } from "../../src/deployment.ts";
import { handleRequest } from "../../src/http/router.ts";
import product, {
  AccountObject as ProductAccount,
  CampaignObject as ProductCampaign,
} from "../../src/worker.ts";
import { BY_THE_TEST, stage } from "./harness/stage.ts";

/** The product's bindings with the stage's queue in front of the real one. */
function staged(env: Env): Env {
  const real = env.DISPATCH;
  const sendBatch = (messages: readonly MessageSendRequest[]) => {
    stage.bill.written(messages.map(({ body }) => body));
    return stage.queue.sendBatch(real, messages);
  };
  const alerts = stage.alertUrl === null ? {} : { ALERT_URL: stage.alertUrl };
  const retention = stage.retentionDays === null ? {} : { RETENTION_DAYS: stage.retentionDays };
  return { ...env, ...alerts, ...retention, DISPATCH: { sendBatch } as unknown as Queue };
}

type Answer<Method extends keyof CampaignRpc> = ReturnType<CampaignRpc[Method]>;
type Asked<Method extends keyof CampaignRpc> = Parameters<CampaignRpc[Method]>;

export class CampaignObject extends ProductCampaign {
  override clock = stage.clock;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, staged(env));
  }

  /** Gives the answer on, unless the test wants it lost. */
  async #reply<T>(method: keyof CampaignRpc, answer: Promise<T>): Promise<T> {
    const value = await answer;
    const loss = stage.replies.takeLoss(method);
    if (loss === null) return value;
    if (loss === "throw") throw new Error(`the answer of ${method} was lost ${BY_THE_TEST}`);
    if (loss === "abort") await this.ctx.storage.sync();
    this.ctx.abort(`the object died in ${method} ${BY_THE_TEST}`);
    return value;
  }

  override alarm(): Promise<void> {
    stage.bill.request("campaign.alarm");
    return super.alarm();
  }

  override create(...asked: Asked<"create">): Answer<"create"> {
    return this.#reply("create", super.create(...asked));
  }

  override enrol(...asked: Asked<"enrol">): Answer<"enrol"> {
    return this.#reply("enrol", super.enrol(...asked));
  }

  override start(...asked: Asked<"start">): Answer<"start"> {
    return this.#reply("start", super.start(...asked));
  }

  override pause(...asked: Asked<"pause">): Answer<"pause"> {
    return this.#reply("pause", super.pause(...asked));
  }

  override reserve(...asked: Asked<"reserve">): Answer<"reserve"> {
    return this.#reply("reserve", super.reserve(...asked));
  }

  override report(...asked: Asked<"report">): Answer<"report"> {
    return this.#reply("report", super.report(...asked));
  }
}

/** An account object named `limit-2` has two slots a second. */
function slotsOf(name: string | undefined, env: Env): string {
  const named = /^limit-(\d+)$/.exec(name ?? "")?.[1];
  const wanted = stage.requestsPerSecond;
  return named ?? (wanted === null ? env.RESEND_REQUESTS_PER_SECOND : String(wanted));
}

export class AccountObject extends ProductAccount {
  override clock = stage.clock;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, RESEND_REQUESTS_PER_SECOND: slotsOf(ctx.id.name, env) });
  }
}

const edgeNow = () => (stage.edgeFollowsClock ? stage.clock.now() : Date.now());

export default {
  ...product,
  fetch: (request, env) => handleRequest(request, { ...httpDeps(env), now: edgeNow }),
  queue: (batch, env) => {
    const CAMPAIGNS = stage.bill.counted(env.CAMPAIGNS, "campaign");
    const ACCOUNT = stage.bill.counted(env.ACCOUNT, "account");
    return product.queue(stage.bill.read(batch), { ...env, CAMPAIGNS, ACCOUNT });
  },
} satisfies ExportedHandler<Env>;
