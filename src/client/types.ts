/**
 * What the API answers, as JSON has it: times are RFC 3339 text, absent values are null. The closed
 * sets are the domain's own, so that a new state can't be forgotten here.
 */
import type { CampaignState } from "../domain/campaign.ts";
import type { RecipientStatus } from "../domain/recipient.ts";
import type { Settings } from "../domain/settings.ts";
import type { ShownStatus } from "../domain/shown.ts";
import type { SuppressionReason } from "../domain/suppression.ts";
import type { PreflightReport } from "../domain/preflight.ts";

export type { CampaignState, RecipientStatus, SuppressionReason };

export type { PreflightReport };
export type DeliveryStatus = ShownStatus;

/** When to begin: at once, at an RFC 3339 time with an offset, or on the clocks of a place. */
export type StartTime =
  | { readonly at?: string }
  | { readonly local: string; readonly zone: string };

/** A campaign as its author writes it. */
export type CampaignDraft = {
  readonly id?: string;
  readonly name: string;
  readonly delivery?: "managed" | "external";
  readonly from?: string;
  readonly replyTo?: string | null;
  readonly subject?: string;
  readonly html?: string | null;
  readonly text?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly unsubscribe?: boolean;
  readonly settings?: Partial<Settings>;
};

export type Campaign = Omit<CampaignDraft, "id" | "settings"> & {
  readonly id: string;
  readonly settings: Settings;
  readonly createdAt: string;
  readonly scheduledAt: string | null;
  readonly enrolmentClosed: boolean;
  readonly state: CampaignState;
  readonly status: DeliveryStatus;
};

export type CampaignEntry = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly status: DeliveryStatus;
};

export type UploadFormat = "text/csv" | "application/x-ndjson" | "application/json";

export type UploadReport = {
  readonly added: number;
  readonly duplicates: number;
  readonly suppressed: number;
  readonly invalid: number;
  readonly total: number;
  /** The first hundred. */
  readonly problems: readonly {
    readonly line: number;
    readonly code: string;
    readonly detail: string;
  }[];
};

export type Recipient = {
  readonly id: string;
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: RecipientStatus;
  readonly reason: string | null;
  readonly providerId: string | null;
  readonly batch: number | null;
  readonly updatedAt: string;
};

export type Attempt = {
  readonly token: number;
  readonly startedAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
  readonly outcome: "answered" | "rejected" | "deferred" | "unknown" | "expired" | null;
  readonly reason: string | null;
};

export type RecipientStory = Recipient & {
  readonly idempotencyKey: string | null;
  readonly attempts: readonly Attempt[];
  readonly feedback: { readonly state: string; readonly at: string } | null;
  readonly suppression: { readonly reason: string; readonly at: string } | null;
};

/** `cursor` asks for the next page; null on the last one. */
export type Page<Item> = { readonly items: readonly Item[]; readonly cursor: string | null };

export type PageQuery = { readonly cursor?: string | null; readonly limit?: number };
export type RecipientQuery = PageQuery & { readonly status?: RecipientStatus | "remaining" };

export type ResumeRequest = { readonly acceptDuplicateRisk?: boolean };

export type ReplayRequest =
  | { readonly recipients: "failed" | "deadLettered" }
  | { readonly recipients: "inDoubt"; readonly acceptDuplicateRisk: true }
  | { readonly ids: readonly string[]; readonly acceptDuplicateRisk?: boolean };

export type ReplayReport = {
  readonly replayed: number;
  readonly reopened: number;
  readonly left: readonly { readonly id: string; readonly status: RecipientStatus }[];
  readonly status: DeliveryStatus;
};

export type ResolveRequest = { readonly ids: readonly string[]; readonly as: "sent" | "failed" };

export type Suppression = {
  readonly address: string;
  readonly reason: SuppressionReason;
  readonly at: string;
};

export type SuppressReport = {
  readonly addresses: number;
  readonly added: number;
  readonly already: number;
};

export type SuppressionImportReport = {
  readonly added: number;
  readonly already: number;
  readonly invalid: number;
  readonly problems: UploadReport["problems"];
};
