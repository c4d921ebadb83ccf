/** Query parameters. Names are checked by the router; these read the values. */
import { parseAddress } from "../../domain/address.ts";
import type { Address } from "../../domain/ids.ts";
import { DEFAULT_PAGE, MAX_CURSOR_CHARACTERS, MAX_PAGE } from "../../domain/limits.ts";
import { RECIPIENT_STATUSES, type RecipientStatus } from "../../domain/recipient.ts";
import { Refused } from "../problem.ts";

export const PAGE_PARAMETERS = ["limit", "cursor"] as const;

/** `limit` 1…`most`, and `cursor` as an earlier page gave it. */
export function parsePage(
  query: URLSearchParams,
  most: number = MAX_PAGE,
): { limit: number; cursor: string | null } {
  const limit = query.get("limit");
  const inside = limit === null || (/^\d{1,6}$/.test(limit) && +limit >= 1 && +limit <= most);
  if (!inside) throw invalidQuery("limit", `has to be a whole number from 1 to ${most}`);
  const cursor = query.get("cursor");
  if (cursor !== null && (cursor === "" || cursor.length > MAX_CURSOR_CHARACTERS)) {
    throw invalidQuery("cursor", "is not a cursor of an earlier page");
  }
  return { limit: limit === null ? Math.min(DEFAULT_PAGE, most) : Number(limit), cursor };
}

/** `status`: one of a recipient's, or `remaining`, as the numbers call those that are pending. */
export function parseStatus(query: URLSearchParams): RecipientStatus | null {
  const status = query.get("status");
  if (status === null) return null;
  if (status === "remaining") return "pending";
  const known = RECIPIENT_STATUSES.find((each) => each === status);
  if (known !== undefined) return known;
  throw invalidQuery("status", `has to be one of ${RECIPIENT_STATUSES.join(", ")}, remaining`);
}

/** `email`: an address in any spelling; the recipient has its normal form. */
export function parseEmail(query: URLSearchParams): { address?: Address } {
  const email = query.get("email");
  if (email === null) return {};
  const parsed = parseAddress(email);
  if (parsed.ok) return { address: parsed.value.address };
  throw invalidQuery("email", `is not an address: ${parsed.refusal.detail}`);
}

export function invalidQuery(name: string, detail: string): Refused {
  return new Refused("invalidQuery", `The query parameter \`${name}\` ${detail}.`, {
    errors: [{ path: name, detail }],
  });
}

/** Refuses what the route doesn't know, and what stands there twice: only one could be meant. */
export function checkNames(query: URLSearchParams, known: readonly string[]): void {
  for (const name of new Set(query.keys())) {
    if (!known.includes(name)) throw invalidQuery(name, unknownName(known));
    if (query.getAll(name).length > 1) throw invalidQuery(name, "stands there twice");
  }
}

function unknownName(known: readonly string[]): string {
  return known.length === 0
    ? "is unknown; there are none here"
    : `is unknown; there are ${known.join(", ")}`;
}
