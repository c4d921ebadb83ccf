/**
 * Consumers in the test's hands: the product's own consumer over the real objects and the real
 * provider client, which dies where a test says. A killed consumer simply never goes on: nothing
 * behind that point runs, no acknowledgement and no retry, as after a SIGKILL.
 */
import { env } from "cloudflare:workers";
import type { CampaignRpc } from "../../../src/campaign/rpc.ts";
import { consumerDeps } from "../../../src/deployment.ts";
import type { CampaignId } from "../../../src/domain/ids.ts";
import type { EmailProvider } from "../../../src/provider/port.ts";
import type { ConsumerDeps, QueueMessage } from "../../../src/queue/deps.ts";
import { Pace } from "../../../src/queue/pace.ts";
import { consumeDispatches } from "../../../src/queue/send-consumer.ts";
import type { Status, TestCampaign } from "./campaign.ts";
import { stage } from "./stage.ts";

export const KILL_POINTS = [
  "beforeReserve",
  "afterReserve",
  "duringCall",
  "afterAcceptance",
  "afterReport",
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/** `lost`: it returned and said nothing, which the platform takes for an acknowledgement. */
export type Fate = "acked" | "retried" | "killed" | "lost";

export type Delivery = {
  readonly killAt?: KillPoint | null;
  /** Whether a request under way still arrives when its consumer dies during the call. */
  readonly arrives?: boolean;
  readonly attempts?: number;
  readonly messageId?: string;
  readonly deps?: Partial<ConsumerDeps>;
};

/** Requests whose consumer has died, and which arrive all the same. */
const orphans: Promise<unknown>[] = [];

/** Waits until every request of a dead consumer has been answered to nobody. */
export async function orphansAnswered(): Promise<void> {
  await Promise.all(orphans.splice(0));
}

/** The product's own dependencies by the stage's clock: a wait puts a stopped clock forward. */
export function testDeps(): ConsumerDeps {
  return {
    ...consumerDeps(env),
    monotonic: () => stage.clock.now(),
    sleep: (milliseconds) => stage.clock.sleep(milliseconds),
    // One of its own: that of the isolate goes by another clock.
    pace: new Pace(1_000),
    log: () => undefined,
  };
}

/** Hands one dispatch to a consumer of its own. */
export async function deliver(
  campaign: Pick<TestCampaign, "id">,
  dispatch: number,
  delivery: Delivery = {},
): Promise<Fate> {
  const { attempts = 1, messageId = `m-${campaign.id}-${dispatch}` } = delivery;
  let fate: Fate = "lost";
  const message: QueueMessage = {
    id: messageId,
    body: { v: 1, campaignId: campaign.id, dispatch },
    attempts,
    ack: () => (fate = "acked"),
    retry: () => (fate = "retried"),
  };
  const killed = Promise.withResolvers<Fate>();
  const deps = { ...dying(testDeps(), delivery, () => killed.resolve("killed")), ...delivery.deps };
  const ended = consumeDispatches([message], deps).then(() => fate);
  return Promise.race([ended, killed.promise]);
}

function dying(deps: ConsumerDeps, delivery: Delivery, kill: () => void): ConsumerDeps {
  const { killAt = null } = delivery;
  if (killAt === null) return deps;
  const die = (): Promise<never> => {
    kill();
    return new Promise(() => undefined);
  };
  const account: ConsumerDeps["account"] = () => {
    if (killAt !== "beforeReserve") return deps.account();
    return { takeSlot: die } as unknown as ReturnType<ConsumerDeps["account"]>;
  };
  const provider = dyingProvider(deps.provider, delivery, die);
  const campaign = (id: CampaignId) => dyingCampaign(deps.campaign(id), killAt, die);
  return { ...deps, account, provider, campaign };
}

function dyingProvider(
  provider: EmailProvider,
  { killAt, arrives = true }: Delivery,
  die: () => Promise<never>,
): EmailProvider {
  return {
    sendBatch: async (request) => {
      if (killAt === "duringCall") {
        if (arrives) orphans.push(provider.sendBatch(request));
        return die();
      }
      const outcome = await provider.sendBatch(request);
      return killAt === "afterAcceptance" ? die() : outcome;
    },
  };
}

function dyingCampaign(
  real: CampaignRpc,
  killAt: KillPoint,
  die: () => Promise<never>,
): CampaignRpc {
  const methods: Partial<CampaignRpc> = {
    content: () => real.content(),
    decline: (dispatch) => real.decline(dispatch),
    postpone: (...asked) => real.postpone(...asked),
    reserve: async (request) => {
      const answer = await real.reserve(request);
      const granted = answer.ok && answer.value.granted;
      return killAt === "afterReserve" && granted ? die() : answer;
    },
    report: async (request) => {
      const answer = await real.report(request);
      return killAt === "afterReport" ? die() : answer;
    },
  };
  return methods as CampaignRpc;
}

/** Deliveries without an end would be a bug of the product, and not hang the run. */
const ROUNDS_AT_MOST = 2_000;

export type Drive = {
  /** How a message is handed out; by default to a consumer that lives. */
  readonly hand?: (dispatch: number, attempts: number) => Promise<Fate>;
  /** Looked at after each delivery. */
  readonly after?: () => Promise<void>;
};

/**
 * Runs a campaign to rest with a stopped clock: rings its alarm, hands out what it put on the queue,
 * hands out again what nobody acknowledged, and puts the clock to the next deadline when nothing
 * else is left to do. At rest is a campaign that has nothing more to do by itself.
 */
export async function drive(campaign: TestCampaign, how: Drive = {}): Promise<Status> {
  const hand = how.hand ?? ((dispatch, attempts) => deliver(campaign, dispatch, { attempts }));
  const unacknowledged: { dispatch: number; attempts: number }[] = [];
  for (let round = 0; round < ROUNDS_AT_MOST; round += 1) {
    await campaign.ring();
    const fresh = stage.queue.take(campaign.id).map((dispatch) => ({ dispatch, attempts: 1 }));
    const batch = [...fresh, ...unacknowledged.splice(0)];
    for (const { dispatch, attempts } of batch) {
      const fate = await hand(dispatch, attempts);
      if (fate === "killed" || fate === "retried") {
        unacknowledged.push({ dispatch, attempts: attempts + 1 });
      }
      await how.after?.();
    }
    if (batch.length > 0) continue;
    const deadline = await campaign.deadline();
    if (deadline === null) return campaign.status();
    stage.clock.advance(Math.max(deadline - stage.clock.now(), 0));
  }
  throw new Error(`${campaign.id} never comes to rest`);
}
