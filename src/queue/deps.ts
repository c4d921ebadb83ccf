/** What the consumers need from outside, so that tests, the simulator and the demo can stand in. */
import type { AccountRpc } from "../account/rpc.ts";
import type { CampaignRpc, FrozenContent } from "../campaign/rpc.ts";
import type { CampaignId } from "../domain/ids.ts";
import type { Log } from "../domain/log-event.ts";
import type { Member } from "../domain/outcome.ts";
import type { EmailProvider, RenderedBatch } from "../provider/port.ts";
import type { MailLookup } from "../provider/reconcile.ts";
import type { Pace } from "./pace.ts";

export type ConsumerDeps = {
  /** A new stub at each call: after a reset the old one keeps failing. */
  campaign(id: CampaignId): CampaignRpc;
  account(): AccountRpc;
  readonly provider: EmailProvider;
  /** Missing: the provider can't be asked which mails it has. */
  readonly lookup?: MailLookup;
  /**
   * Fills in the frozen content named `contentId`; `load` brings it where it is not at hand. The
   * result is a function of these two alone, so that a repeated batch has the same bytes.
   */
  render(
    contentId: string,
    load: () => Promise<FrozenContent>,
    members: readonly Member[],
  ): Promise<RenderedBatch>;
  /** Milliseconds of a clock that only runs forward; differences of it are all that counts. */
  monotonic(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Shared by all consumers of an isolate. */
  readonly pace: Pace;
  /** A new name for one delivery of a message. */
  newClaim(): string;
  readonly log: Log;
};

/** What of a queue message is used; `Message` of the platform satisfies it. */
export type QueueMessage = {
  readonly id: string;
  readonly body: unknown;
  readonly attempts: number;
  ack(): void;
  retry(options?: { delaySeconds?: number }): void;
};
