/** What an author makes: the draft of a campaign, and what its start freezes of it. */
import type { CampaignId, Instant } from "./ids.ts";
import type { Settings } from "./settings.ts";

/** The content of a campaign as its author wrote it. `html` and `text` are Liquid templates. */
export type Content = {
  readonly from: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly unsubscribe: boolean;
};

export const DELIVERIES = ["managed", "external"] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** A checked draft. `content` is null exactly where delivery is external. */
export type Draft = {
  readonly name: string;
  readonly delivery: Delivery;
  readonly content: Content | null;
  readonly settings: Settings;
};

/** What start freezes beside the content, so that each attempt of a batch has the same bytes. */
export type FrozenContent = Content & {
  /** Drawn at start; names this content in a consumer's cache. */
  readonly contentId: string;
  readonly campaign: CampaignId;
  /** Origin of the unsubscribe links, without a slash at the end. */
  readonly publicUrl: string;
  /** Hex of 32 bytes; signs the unsubscribe links of this campaign. */
  readonly linkSecret: string;
};

export type StartRequest = {
  /** Null: at once. */
  readonly at: Instant | null;
  readonly publicUrl: string;
};
