/** What can be looked up afterwards: recipients with their story, events, dead letters. */
import type { Address, BatchNumber, DispatchNumber, Instant, RecipientId, Token } from "./ids.ts";
import type { Fate } from "./feedback.ts";
import type { AttemptOutcome } from "./outcome.ts";
import type { RecipientStatus } from "./recipient.ts";
import type { SuppressionReason } from "./suppression.ts";

export type Page<Item> = { readonly items: readonly Item[]; readonly cursor: string | null };

export type RecipientQuery = {
  readonly status: RecipientStatus | null;
  /** Nobody but the recipient with this address. */
  readonly address?: Address;
  readonly limit: number;
  readonly cursor: string | null;
};

export type RecipientView = {
  readonly id: RecipientId;
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: RecipientStatus;
  /** Why it failed, is suppressed, is in doubt, or was put back. */
  readonly reason: string | null;
  readonly providerId: string | null;
  readonly batch: BatchNumber | null;
  readonly updatedAt: Instant;
};

export type AttemptView = {
  readonly token: Token;
  readonly startedAt: Instant;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | null;
  readonly outcome: AttemptOutcome["kind"] | "expired" | null;
  readonly reason: string | null;
};

export type RecipientStory = RecipientView & {
  readonly idempotencyKey: string | null;
  readonly attempts: readonly AttemptView[];
  readonly feedback: { readonly state: Fate; readonly at: Instant } | null;
  readonly suppression: { readonly reason: SuppressionReason; readonly at: Instant } | null;
};

/** The closed set of what the audit trail tells. */
export type EventType =
  | "created"
  | "edited"
  | "scheduled"
  | "started"
  | "paused"
  | "resumed"
  | "cancelled"
  | "enrolmentClosed"
  | "finished"
  | "replayed"
  | "resolved"
  | "inDoubt"
  | "inquired"
  | "acceptanceProved"
  | "deadLetter"
  | "suppressed"
  | "restoreAccepted"
  | "erased";

export type EventView = {
  readonly number: number;
  readonly at: Instant;
  readonly type: EventType;
  readonly detail: Readonly<Record<string, unknown>>;
};

export type DeadLetter = {
  readonly messageId: string;
  readonly dispatch: DispatchNumber | null;
  readonly error: string;
  readonly stack: string | null;
  readonly attempts: number;
};

export type DeadLetterView = DeadLetter & {
  readonly number: number;
  readonly at: Instant;
  /** How many recipients its batch holds; 0 where no batch was formed. */
  readonly recipients: number;
  readonly replayedAt: Instant | null;
};
