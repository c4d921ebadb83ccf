/** The list of campaigns. A campaign is entered before it is created and stays until it is erased. */
import type { CampaignId, Instant } from "../domain/ids.ts";
import type { Page } from "../campaign/rpc.ts";
import { all, run, statement, type Storage } from "../ledger/sql.ts";
import type { DirectoryEntry } from "./rpc.ts";

const enter = statement<
  never,
  { id: string; name: string; now: number; requestsPerSecond: number | null }
>(
  "directory.enter",
  `INSERT INTO campaigns (id, name, created_at, requests_per_second)
    VALUES (:id, :name, :now, :requestsPerSecond)
    ON CONFLICT (id) DO UPDATE SET name = :name, requests_per_second = :requestsPerSecond`,
);
const remove = statement<never, { id: string }>(
  "directory.remove",
  "DELETE FROM campaigns WHERE id = :id",
);
type Row = { id: CampaignId; name: string; created_at: Instant };
const page = statement<Row, { at: number; id: string; limit: number }>(
  "directory.page",
  `SELECT id, name, created_at FROM campaigns
    WHERE created_at <= :at AND (created_at, id) < (:at, :id)
    ORDER BY created_at DESC, id DESC LIMIT :limit`,
);
const after = statement<{ id: CampaignId }, { id: string; limit: number }>(
  "directory.after",
  "SELECT id FROM campaigns WHERE id > :id ORDER BY id LIMIT :limit",
);

export function enterCampaign(
  storage: Storage,
  id: CampaignId,
  name: string,
  requestsPerSecond: number | null,
  now: Instant,
): void {
  run(storage, enter, { id, name, now, requestsPerSecond });
}

export function removeCampaign(storage: Storage, id: CampaignId): void {
  run(storage, remove, { id });
}

/** Newest first. @throws RangeError at a cursor that no page has given */
export function campaignPage(
  storage: Storage,
  cursor: string | null,
  limit: number,
): Page<DirectoryEntry> {
  const { at, id } = placeOf(cursor);
  const rows = all(storage, page, { at, id, limit });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    items: rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at })),
    cursor: last === undefined ? null : `${last.created_at}.${last.id}`,
  };
}

function placeOf(cursor: string | null): { at: number; id: string } {
  if (cursor === null) return { at: Number.MAX_SAFE_INTEGER, id: "" };
  const [at = "", id = ""] = cursor.split(".", 2);
  if (!/^\d{1,15}$/.test(at)) throw new RangeError("cursor: not one of this list");
  return { at: Number(at), id };
}

/** The next campaigns by id, for work that visits them all. */
export function campaignsAfter(storage: Storage, id: string, limit: number): CampaignId[] {
  return all(storage, after, { id, limit }).map((row) => row.id);
}
