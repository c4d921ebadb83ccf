/**
 * The way to ask a provider which mails it has. Each method is one request and never throws; the
 * caller takes a slot of the rate limit for each.
 */
import type { Address, CampaignId, Instant, Seq } from "../domain/ids.ts";
import type { Fate } from "../domain/feedback.ts";

/** A mail as a list shows it: without tags, so that it says to whom and not of which campaign. */
export type ListedMail = {
  readonly providerId: string;
  readonly addresses: readonly Address[];
  readonly createdAt: Instant | null;
};

export type MailPage = {
  /** Newest first. */
  readonly mails: readonly ListedMail[];
  /** For the next, older page; null: this was the last. */
  readonly after: string | null;
};

/** A mail of a campaign of ours. */
export type OwnMail = ListedMail & {
  readonly campaign: CampaignId;
  readonly seq: Seq;
  readonly fate: Fate;
};

export type Looked<Found> =
  | { readonly kind: "found"; readonly value: Found }
  /** The key may not read: asking again can't help. */
  | { readonly kind: "notAllowed" }
  /** No answer, or one that nobody can read; ask again later. */
  | { readonly kind: "later"; readonly retryAfterSeconds: number | null };

export interface MailLookup {
  page(after: string | null): Promise<Looked<MailPage>>;
  /** Null for a mail that is not there, or is not of a campaign. */
  mail(providerId: string): Promise<Looked<OwnMail | null>>;
}
