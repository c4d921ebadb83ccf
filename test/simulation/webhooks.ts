/** What the provider tells about accepted mails: twice, late, early, out of order, or never. */
import type { CampaignRpc } from "../../src/campaign/rpc.ts";
import { type FeedbackEvent, suppressionBy } from "../../src/domain/feedback.ts";
import type { AccountRpc } from "../../src/account/rpc.ts";
import type { Address, Seq } from "../../src/domain/ids.ts";
import { Process } from "./process.ts";
import type { Twin } from "./twin.ts";
import type { World } from "./world.ts";

/** How often a webhook is sent again that got no answer. */
const TRIES = 8;

type Event = Pick<FeedbackEvent, "fate">["fate"];

export class Webhooks {
  readonly #world: World;
  readonly #process: Process;

  constructor(world: World) {
    this.#world = world;
    this.#process = new Process("webhook", world, false);
  }

  /** The provider has accepted a mail: its fates follow. */
  follow(twin: Twin, recipient: string, providerId: string): void {
    const world = this.#world;
    if (!world.plan.webhooks) return;
    const end: Event = world.fault("webhookBounces") ? "bounced" : "delivered";
    for (const fate of ["sent", end] as const) {
      if (world.fault("webhookNever")) continue;
      const event = { twin, recipient, providerId, fate };
      this.#later(event);
      if (world.fault("webhookTwice")) this.#later(event);
    }
  }

  #later(event: { twin: Twin; recipient: string; providerId: string; fate: Event }): void {
    const world = this.#world;
    const wait = world.fault("webhookEarly")
      ? 0
      : world.fault("webhookLate")
        ? world.skewed(1_000, 600_000)
        : world.whole(200, 3_000);
    world.scheduler.after(wait, () => void this.#deliver(event));
  }

  async #deliver(event: {
    twin: Twin;
    recipient: string;
    providerId: string;
    fate: Event;
  }): Promise<void> {
    const { twin, recipient, providerId, fate } = event;
    const row = twin.byId.get(recipient);
    if (row === undefined) return;
    const { seq, address } = row;
    const told: FeedbackEvent = {
      seq: seq as Seq,
      providerId,
      fate,
      at: null,
      acceptedAt: null,
      addresses: [address as Address],
    };
    for (let tries = 1; tries <= TRIES; tries += 1) {
      try {
        const campaign = this.#process.stub<CampaignRpc>(this.#world.network, twin.object);
        await campaign.recordFeedback([told]);
        const reason = suppressionBy(fate, "Permanent", null);
        const account = this.#process.stub<AccountRpc>(this.#world.network, this.#world.account);
        if (reason !== null) await account.suppress([address as Address], reason);
        return;
      } catch {
        await this.#process.sleep(5_000 * tries);
      }
    }
  }
}
