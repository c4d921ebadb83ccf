/**
 * Asking the provider what became of doubts, before a person is asked.
 *
 * An inquiry can only settle somebody as sent. That a mail isn't found proves nothing: the list may
 * be longer than what is read of it, and a mail may appear late (SPEC G3).
 */
import type { Address, Instant, Seq } from "./ids.ts";

/** What an inquiry is about: everybody of a campaign who is in doubt, up to a bound. */
export type Inquiry = {
  /** When the first of their batches was first tried: no mail of theirs is older. */
  readonly since: Instant;
  readonly members: readonly { readonly seq: Seq; readonly address: Address }[];
};

export type InquiryOutcome =
  /** `complete`: the list was read as far back as the first attempt. */
  | { readonly kind: "looked"; readonly found: number; readonly complete: boolean }
  /** The provider couldn't be asked to the end; ask again. */
  | { readonly kind: "later"; readonly retryAfterSeconds: number | null }
  /** The API key may send and not read: nobody will ever be found by it. */
  | { readonly kind: "notAllowed" };
