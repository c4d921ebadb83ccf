/**
 * What becomes of one person's data in one campaign.
 *
 * `nobody`: the campaign has no such recipient, or has forgotten it already. `pending`: the recipient
 * is in a request that may be repeated under its key, whose bytes are made of its data (SPEC
 * R-erase); it is erased by itself when that is over, at `until` at the latest.
 */
import type { Instant } from "./ids.ts";

export type ErasureAnswer =
  | { readonly state: "nobody" | "erased" }
  | { readonly state: "pending"; readonly until: Instant };
