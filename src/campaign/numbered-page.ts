/** Pages of what is numbered and listed newest first: events and dead letters. */
import type { Page } from "./rpc.ts";

/** @throws RangeError at a cursor that no page has given; null begins with the newest */
export function before(cursor: string | null): number {
  if (cursor === null) return Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,15}$/.test(cursor)) throw new RangeError("cursor: not one of this list");
  return Number(cursor);
}

/** A page that is full has a cursor: there may be more. */
export function pageOf<Item extends { readonly number: number }>(
  items: readonly Item[],
  limit: number,
): Page<Item> {
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, cursor: last === undefined ? null : String(last.number) };
}
