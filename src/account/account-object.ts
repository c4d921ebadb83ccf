/** The Durable Object of the account: gives the platform to `Account` and its methods to RPC. */
import type { Bindings } from "../bindings.ts";
import { DurableObject } from "cloudflare:workers";
import type { SuppressionEntry, SuppressionReason } from "../campaign/rpc.ts";
import { systemClock, type Clock } from "../domain/clock.ts";
import type { Address, CampaignId, Instant } from "../domain/ids.ts";
import { positiveNumber } from "../domain/vars.ts";
import { Account } from "./account.ts";
import type { AccountRpc } from "./rpc.ts";

type Answer<Method extends keyof AccountRpc> = ReturnType<AccountRpc[Method]>;

export class AccountObject extends DurableObject<Bindings> implements AccountRpc {
  /** Replaced by tests. */
  clock: Clock = systemClock;
  readonly #account: Account;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.#account = new Account({
      storage: ctx.storage,
      requestsPerSecond: positiveNumber(
        "RESEND_REQUESTS_PER_SECOND",
        env.RESEND_REQUESTS_PER_SECOND,
      ),
      campaign: (id) => env.CAMPAIGNS.getByName(id),
      clock: () => this.clock,
    });
  }

  register(id: CampaignId, name: string, requestsPerSecond: number | null): Answer<"register"> {
    return this.#account.register(id, name, requestsPerSecond);
  }

  unregister(id: CampaignId): Answer<"unregister"> {
    return this.#account.unregister(id);
  }

  campaigns(cursor: string | null, limit: number): Answer<"campaigns"> {
    return this.#account.campaigns(cursor, limit);
  }

  witness(
    id: CampaignId,
    grants: number,
    nextNumber: number,
    decisions?: number,
  ): Answer<"witness"> {
    return this.#account.witness(id, grants, nextNumber, decisions);
  }

  takeLooks(limit: number): Answer<"takeLooks"> {
    return this.#account.takeLooks(limit);
  }

  letRest(ids: readonly CampaignId[]): Answer<"letRest"> {
    return this.#account.letRest(ids);
  }

  endSession(id: string, until: Instant): Answer<"endSession"> {
    return this.#account.endSession(id, until);
  }

  isSessionEnded(id: string): Answer<"isSessionEnded"> {
    return this.#account.isSessionEnded(id);
  }

  takeSlot(...asked: Parameters<AccountRpc["takeSlot"]>): Answer<"takeSlot"> {
    return this.#account.takeSlot(...asked);
  }

  slotStands(epoch: number): Answer<"slotStands"> {
    return this.#account.slotStands(epoch);
  }

  holdSlots(milliseconds: number): Answer<"holdSlots"> {
    return this.#account.holdSlots(milliseconds);
  }

  atWork(id: CampaignId): Answer<"atWork"> {
    return this.#account.atWork(id);
  }

  watch(limit: number): Answer<"watch"> {
    return this.#account.watch(limit);
  }

  setStandings(standings: Parameters<AccountRpc["setStandings"]>[0]): Answer<"setStandings"> {
    return this.#account.setStandings(standings);
  }

  health(): Answer<"health"> {
    return this.#account.health();
  }

  suppressedAmong(addresses: readonly Address[]): Answer<"suppressedAmong"> {
    return this.#account.suppressedAmong(addresses);
  }

  suppressedSince(number: number | null): Answer<"suppressedSince"> {
    return this.#account.suppressedSince(number);
  }

  suppress(addresses: readonly Address[], reason: SuppressionReason): Answer<"suppress"> {
    return this.#account.suppress(addresses, reason);
  }

  importSuppressions(entries: readonly SuppressionEntry[]): Answer<"importSuppressions"> {
    return this.#account.importSuppressions(entries);
  }

  suppressErased(address: Address): Answer<"suppressErased"> {
    return this.#account.suppressErased(address);
  }

  allow(address: Address): Answer<"allow"> {
    return this.#account.allow(address);
  }

  suppressions(cursor: string | null, limit: number): Answer<"suppressions"> {
    return this.#account.suppressions(cursor, limit);
  }
}
