/** The JSON of the contract, as the server's own code writes it. */
import type * as wire from "../../http/wire.ts";

export type { ShownEvent, ShownStatus } from "../../domain/shown.ts";
export type { CampaignState } from "../../domain/campaign.ts";
export type { RecipientStatus } from "../../domain/recipient.ts";

export type Campaign = ReturnType<typeof wire.campaign>;
export type CampaignEntry = ReturnType<typeof wire.directoryEntry> & {
  readonly status: ReturnType<typeof wire.deliveryStatus>;
};
export type Recipient = ReturnType<typeof wire.recipient>;
export type RecipientStory = ReturnType<typeof wire.recipientStory>;
export type DeadLetter = ReturnType<typeof wire.deadLetter>;
export type ReplayReport = ReturnType<typeof wire.replayReport>;

export type Page<Item> = { readonly items: readonly Item[]; readonly cursor: string | null };

export type Role = "operator" | "viewer";
export type Identity = { readonly role: Role; readonly expiresAt: string | null };

export type UploadReport = {
  readonly added: number;
  readonly duplicates: number;
  readonly suppressed: number;
  readonly invalid: number;
  readonly total: number;
  readonly problems: readonly {
    readonly line: number;
    readonly code: string;
    readonly detail: string;
  }[];
};

export type Preview = {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
};
export type MailPreview = Preview & {
  readonly recipient: { readonly id: string; readonly email: string };
  readonly from: string;
  readonly replyTo: string | null;
};

export type { PreflightReport, Finding } from "../../domain/preflight.ts";

export type TestReport = {
  readonly sent: readonly { readonly to: string; readonly providerId: string }[];
  readonly failed: readonly { readonly to: string; readonly reason: string }[];
};

/** What an author sends: the fields of a campaign, as a form has them. */
export type Draft = {
  readonly id?: string;
  readonly name: string;
  readonly delivery?: "managed" | "external";
  readonly from?: string;
  readonly replyTo?: string | null;
  readonly subject?: string;
  readonly html?: string | null;
  readonly text?: string | null;
  readonly unsubscribe?: boolean;
  readonly settings?: Readonly<Record<string, number | null>>;
};
