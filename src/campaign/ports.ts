/** What a campaign needs from outside of it: storage, queue, account, clock and chance. */
import type { AccountRpc } from "../account/rpc.ts";
import type { Clock } from "../domain/clock.ts";
import type { NameOf } from "../domain/fault-text.ts";
import type { CampaignId } from "../domain/ids.ts";
import type { Log } from "../domain/log-event.ts";
import type { Drawn } from "../ledger/lifecycle.ts";
import type { Storage } from "../ledger/sql.ts";
import type { AlarmStorage } from "./alarm.ts";
import type { PostAlert } from "./notices.ts";

/** What a campaign needs of the platform; the simulator brings its own. */
export type CampaignPorts = {
  readonly id: CampaignId;
  readonly storage: Storage & AlarmStorage & { deleteAll(): Promise<void> };
  readonly queue: Pick<Queue, "sendBatch">;
  account(): Pick<AccountRpc, "suppressedAmong" | "suppressedSince" | "witness">;
  /** Read anew at each use, since tests replace it. */
  clock(): Clock;
  draw(): Drawn;
  /** A number in [0, 1). */
  chance(): number;
  /** Told after each call that may have changed the status, for those who watch. */
  changed?(): void;
  readonly log: Log;
  /** What addresses are called in dead letters and alerts; missing: all the same. */
  readonly nameOf?: NameOf;
  /** Tells the account that the campaign is sending. Ends by itself and never throws. */
  atWork?(): void;
  /** Sockets that watch the campaign. */
  liveSockets?(): number;
  /** Missing: nobody is told of anything. */
  readonly postAlert?: PostAlert;
  /** Days after its end until a campaign forgets its recipients; missing or 0: it keeps them. */
  readonly retentionDays?: number;
  /** Whether consumers of the queue can look mails up at the provider. */
  readonly canInquire?: boolean;
};
