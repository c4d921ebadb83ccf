/**
 * The recipients as a CSV file.
 *
 * A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` as a formula, and names come from
 * strangers. Such a cell gets an apostrophe in front, which a spreadsheet doesn't show; a program
 * that reads the file and needs the bare text takes the JSON list.
 */
import type { RecipientView } from "../../campaign/rpc.ts";
import { EXPORT_PAGE } from "../../domain/limits.ts";
import { csvFile } from "../csv-file.ts";
import type { Call } from "../route.ts";
import { parseStatus } from "../schemas/query.ts";
import { timeText } from "../time.ts";
import { campaignOf, found } from "./named.ts";

const COLUMNS = ["id", "email", "status", "reason", "providerId", "batch", "updatedAt", "data"];

export function exportRecipients(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const status = parseStatus(call.query);
  return csvFile({
    name: `recipients-${campaign.id}`,
    columns: COLUMNS,
    cells,
    read: async (cursor) => {
      const query = { status, limit: EXPORT_PAGE, cursor };
      return found(await campaign.again((object) => object.recipients(query)));
    },
  });
}

function cells(view: RecipientView): string[] {
  return [
    guarded(view.id),
    guarded(view.email),
    view.status,
    guarded(view.reason ?? ""),
    guarded(view.providerId ?? ""),
    view.batch === null ? "" : String(view.batch),
    timeText(view.updatedAt),
    JSON.stringify(view.data),
  ];
}

/** OWASP, "CSV Injection": the characters a formula, or a cell of one, may begin with. */
function guarded(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}
