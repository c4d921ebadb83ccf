/**
 * What became of a mail after the provider had accepted it: an axis of its own beside the ledger's
 * state, told by webhooks that come twice, late, early and in any order.
 *
 * Fates stand in one line and a recipient keeps the highest it has been told, so every order of the
 * same events ends the same, and a double changes nothing (SPEC G8, C62, C63). This is why the ids
 * of webhooks are not kept: a second delivery can't be told from none by what it leaves behind.
 */
import type { Address, Instant, Seq } from "./ids.ts";
import { PROVIDER_SKEW_SECONDS } from "./limits.ts";
import type { SuppressionReason } from "./suppression.ts";

/**
 * From the least to the most telling. What kept a mail from its reader outweighs `delivered`, since
 * a host may accept a mail and send it back later; a complaint outweighs all, since nobody
 * complains of a mail that has not come. The ledger's schema restates the order.
 */
export const FATES = [
  "sent",
  "delayed",
  "delivered",
  "failed", // the provider gave it up after it had accepted it, such as at the end of a quota
  "suppressed", // the provider's own list forbade it
  "bounced",
  "complained",
] as const;
export type Fate = (typeof FATES)[number];

/** The counter of a status that a mail of this fate is in; null: in none. Each mail is in one. */
export const FEEDBACK_COUNTER = {
  sent: null,
  delayed: "delayed",
  delivered: "delivered",
  // These three are one thing to a sender: accepted, and it will not arrive.
  failed: "bounced",
  suppressed: "bounced",
  bounced: "bounced",
  complained: "complained",
} as const satisfies Record<Fate, string | null>;

export type ToldFate = { readonly fate: Fate; readonly at: Instant };

/** One event about one mail of ours. That there is one proves that the provider accepted it. */
export type FeedbackEvent = {
  readonly seq: Seq;
  /** The provider's id of the mail. */
  readonly providerId: string;
  readonly fate: Fate;
  /** When it happened; null: it doesn't say. */
  readonly at: Instant | null;
  /** When the provider accepted the mail; null: it doesn't say. */
  readonly acceptedAt: Instant | null;
  /** Whom the mail is to, in normal form; empty: it doesn't say. */
  readonly addresses: readonly Address[];
};

/** Whose mail an event was about; null: no mail that this campaign can have sent. */
export type FeedbackAnswer = {
  readonly address: Address;
  /** False: it was known, or is about another mail to the same recipient. */
  readonly changed: boolean;
} | null;

/** The higher of two fates; of equals the earlier, so that the time too is the same in the end. */
export function climb(known: ToldFate | null, told: ToldFate): ToldFate {
  if (known === null) return told;
  const rise = FATES.indexOf(told.fate) - FATES.indexOf(known.fate);
  if (rise !== 0) return rise > 0 ? told : known;
  return told.at < known.at ? told : known;
}

/** What the ledger knows of the recipient that an event names. */
export type NamedRecipient = {
  readonly address: Address;
  /** Whether the provider was ever asked to mail it. */
  readonly wasReserved: boolean;
  readonly startedAt: Instant | null;
};

/**
 * Whether an event can be about a mail of this campaign. Tags hold a campaign's id and a place in
 * it, and a campaign may be erased and made anew under the same id: taken for its own, an event of
 * its predecessor would settle somebody who was never mailed.
 */
export function isPlausible(event: FeedbackEvent, recipient: NamedRecipient): boolean {
  const { address, wasReserved, startedAt } = recipient;
  if (startedAt === null || !wasReserved) return false;
  const since = startedAt - PROVIDER_SKEW_SECONDS * 1000;
  if (event.acceptedAt !== null && event.acceptedAt < since) return false;
  return event.addresses.length === 0 || event.addresses.includes(address);
}

const FATE_OF: Readonly<Record<string, Fate>> = {
  "email.sent": "sent",
  "email.scheduled": "sent",
  "email.delivery_delayed": "delayed",
  "email.delivered": "delivered",
  // Nobody opens a mail or follows its link before it has come.
  "email.opened": "delivered",
  "email.clicked": "delivered",
  "email.failed": "failed",
  "email.suppressed": "suppressed",
  "email.bounced": "bounced",
  "email.complained": "complained",
};

/** The fate that an event of the provider tells (Resend, "Event Types"); null: none. */
export function fateOf(type: string): Fate | null {
  return Object.hasOwn(FATE_OF, type) ? (FATE_OF[type] ?? null) : null;
}

/**
 * Why an event forbids further mail to its address; null: it doesn't.
 *
 * @param bounce `bounce.type`: a transient or undetermined bounce says nothing about tomorrow
 * @param cause `suppressed.reason`: why the provider's own list has the address
 */
export function suppressionBy(
  fate: Fate,
  bounce: string | null,
  cause: string | null,
): SuppressionReason | null {
  if (fate === "complained") return "complaint";
  if (fate === "bounced") return bounce === "Permanent" ? "hardBounce" : null;
  if (fate !== "suppressed") return null;
  return cause === "previous_complaint" ? "complaint" : "hardBounce";
}
