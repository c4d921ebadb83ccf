/** How a campaign object is asked to take a viewer, and how long that one may watch. */
import type { Instant } from "../domain/ids.ts";

/** @param until the end of the viewer's session; null: it has none */
export function watchAddress(until: Instant | null): string {
  return `https://campaign/live${until === null ? "" : `?until=${until}`}`;
}

/** Null where the address says nothing. */
export function watchedUntil(address: string): Instant | null {
  const until = new URL(address).searchParams.get("until");
  return until === null ? null : Number(until);
}
