/** The account's list of addresses that no campaign may mail. */
import type { SuppressionEntry } from "../../campaign/rpc.ts";
import { EXPORT_PAGE } from "../../domain/limits.ts";
import { readJson } from "../body.ts";
import { csvFile } from "../csv-file.ts";
import { askAgain, askOnce } from "../object-call.ts";
import { Refused } from "../problem.ts";
import type { Call } from "../route.ts";
import { expectNoFields } from "../schemas/empty.ts";
import { parsePage } from "../schemas/query.ts";
import { parseSuppressions } from "../schemas/suppression.ts";
import { timeText } from "../time.ts";
import * as wire from "../wire.ts";
import { addressIn } from "./named.ts";

export async function listSuppressions(call: Call): Promise<Response> {
  const { cursor, limit } = parsePage(call.query);
  const entries = await askAgain(() => call.deps.account().suppressions(cursor, limit));
  return wire.page(entries, wire.suppression);
}

/**
 * The whole list, in the columns that an import reads. The cells are bare, since a comparison with
 * another list needs them so, and an address can hold no formula that does anything: none of
 * `( ) " , ;` and no space gets past the address check.
 */
export function exportSuppressions({ deps }: Call): Promise<Response> {
  return csvFile<SuppressionEntry>({
    name: "suppressions",
    columns: ["address", "reason", "at"],
    cells: ({ address, reason, at }) => [address, reason, timeText(at)],
    read: (cursor) => askAgain(() => deps.account().suppressions(cursor, EXPORT_PAGE)),
  });
}

/** Answers when every campaign that may still mail knows of it (SPEC G6). */
export async function putSuppressions(call: Call): Promise<Response> {
  const { addresses, reason } = parseSuppressions(await readJson(call.request));
  const { deps } = call;
  const already = await askAgain(() => deps.account().suppressedAmong(addresses));
  await askAgain(() => deps.account().suppress(addresses, reason));
  const added = addresses.length - already.length;
  return wire.json({ addresses: addresses.length, added, already: already.length });
}

/** 204 when the address may be mailed again; 404 where it was not suppressed. */
export async function deleteSuppression(call: Call): Promise<Response> {
  await expectNoFields(call.request);
  const address = addressIn(call);
  const lifted = await askOnce(() => call.deps.account().allow(address));
  if (!lifted) throw new Refused("suppressionNotFound", "This address is not suppressed.");
  return new Response(null, { status: 204 });
}
