/** The rows of the ledger as SQLite gives them, one type a table. */
import type { BatchState } from "../domain/batch.ts";
import type { CampaignState, PauseReason } from "../domain/campaign.ts";
import type { Fate } from "../domain/feedback.ts";
import type {
  Address,
  BatchNumber,
  CampaignId,
  DispatchNumber,
  Instant,
  RecipientId,
  Seq,
  Token,
} from "../domain/ids.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import type { Delivery } from "../domain/draft.ts";
import type { SuppressionReason } from "../domain/suppression.ts";

export type CampaignRow = {
  id: CampaignId;
  name: string;
  delivery: Delivery;
  settings: string;
  state: CampaignState;
  pause_reason: PauseReason | null;
  pause_detail: string | null;
  paused_at: Instant | null;
  created_at: Instant;
  scheduled_at: Instant | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  enrolment_closed: 0 | 1;
};

export type CountersRow = {
  total: number;
  pending: number;
  reserved: number;
  sent: number;
  failed: number;
  suppressed: number;
  in_doubt: number;
  cancelled: number;
  delivered: number;
  delayed: number;
  bounced: number;
  complained: number;
  duplicates_prevented: number;
  dead_letters: number;
  version: number;
  next_seq: number;
  next_number: number;
  heard_at: Instant;
  grants: number;
  witnessed: number;
  decisions: number;
  decisions_witnessed: number;
  /** 1: it is known to have been restored, and counts no decisions until that is accepted. */
  restored: 0 | 1;
  list_number: number | null;
  breaker_sent: number;
  breaker_failed: number;
  recent: string;
  /** JSON of domain/measures.ts. */
  measures: string;
};

export type RecipientRow = {
  seq: Seq;
  id: RecipientId;
  address: Address;
  email: string | null;
  data: string;
  status: RecipientStatus;
  reason: string | null;
  provider_id: string | null;
  batch: BatchNumber | null;
  released: number | null;
  suppression: SuppressionReason | null;
  suppressed_at: Instant | null;
  feedback: Fate | null;
  feedback_at: Instant | null;
  updated_at: Instant;
};

export type BatchRow = {
  batch: BatchNumber;
  reservation: string | null;
  state: BatchState;
  members: string;
  size: number;
  unsettled: number;
  token: Token;
  claim: string | null;
  first_attempt_at: Instant;
  window_until: Instant;
  unknown_attempts: number;
  repeat_at: Instant | null;
  due_at: Instant | null;
  /** 1: its members' own rows do not say yet that they are in it (ledger/unwritten.ts). */
  unwritten: 0 | 1;
};

export type DispatchRow = {
  dispatch: DispatchNumber;
  state: "due" | "out";
  due_at: Instant;
  sends: number;
  repeats: 0 | 1;
};
