/** Bringing settled work back, and settling doubts by hand. */
import type { RecipientId } from "./ids.ts";
import type { RecipientStatus } from "./recipient.ts";
import type { StateRefusal } from "./refusal.ts";
import type { DeliveryStatus } from "./status.ts";

export type ReplayRequest =
  | { readonly recipients: "failed" | "deadLettered" }
  | { readonly recipients: "inDoubt"; readonly acceptDuplicateRisk: true }
  | { readonly ids: readonly RecipientId[]; readonly acceptDuplicateRisk: boolean };

export type ReplayReport = {
  /** Recipients that will be mailed, under new keys. */
  readonly replayed: number;
  /** Recipients whose batch is repeated under its old key. */
  readonly reopened: number;
  /** Named recipients that were left as they are, and their status. */
  readonly left: readonly { readonly id: RecipientId; readonly status: RecipientStatus }[];
  readonly status: DeliveryStatus;
};

export type ReplayRefusal =
  | StateRefusal
  | { readonly code: "unknownRecipients"; readonly ids: readonly RecipientId[] }
  | { readonly code: "duplicateRisk"; readonly inDoubt: number };

export type ResolveRequest = {
  readonly ids: readonly RecipientId[];
  readonly as: "sent" | "failed";
};

export type ResolveRefusal =
  | { readonly code: "notFound" }
  | { readonly code: "unknownRecipients"; readonly ids: readonly RecipientId[] }
  | {
      readonly code: "notInDoubt";
      readonly recipients: readonly {
        readonly id: RecipientId;
        readonly status: RecipientStatus;
      }[];
    };
