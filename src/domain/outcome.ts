/**
 * What one provider call came to, as far as anybody can know (DESIGN §3, SPEC R-outcome).
 *
 * The four kinds differ in the one thing that matters: may the provider have accepted it?
 * `answered` yes, and we know for whom. `unknown` perhaps. `rejected` and `deferred` no.
 */
import type { PauseReason } from "./campaign.ts";
import type { RecipientId, Seq } from "./ids.ts";

/** The end of one member of an answered request. */
export type MemberOutcome =
  | { readonly seq: Seq; readonly outcome: "sent"; readonly providerId: string }
  | { readonly seq: Seq; readonly outcome: "failed"; readonly reason: string };

export type AttemptOutcome =
  /** The provider answered for each member, in any mixture. */
  | { readonly kind: "answered"; readonly results: readonly MemberOutcome[] }
  /**
   * Nothing was accepted because of the content or an address. `faults` names the members known
   * to be at fault; where it is empty the ledger finds the member by halving.
   */
  | {
      readonly kind: "rejected";
      readonly reason: string;
      readonly faults: readonly { readonly seq: Seq; readonly reason: string }[];
    }
  /** Nothing was accepted for a cause outside the batch. `pause` stops the whole campaign. */
  | {
      readonly kind: "deferred";
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      readonly pause: PauseReason | null;
    }
  /** It may have been accepted. `repeat: false`: asking again can't help, our bytes drifted. */
  | {
      readonly kind: "unknown";
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      readonly repeat: boolean;
    };

export const ATTEMPT_OUTCOMES = ["answered", "rejected", "deferred", "unknown"] as const;

/** A member as the consumer gets it: all that its mail may depend on, frozen at enrolment. */
export type Member = {
  readonly seq: Seq;
  readonly id: RecipientId;
  /** The address as it was written, for sending. */
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
};
