/**
 * The recipients as a CSV file (RFC 4180), made page by page as the client takes it: the memory it
 * needs is one page, however many recipients there are.
 *
 * A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` as a formula, and names come from
 * strangers. Such a cell gets an apostrophe in front, which a spreadsheet doesn't show; a program
 * that reads the file and needs the bare text takes the JSON list.
 */
import type { Page, RecipientQuery, RecipientView } from "../../campaign/rpc.ts";
import { EXPORT_PAGE } from "../../domain/limits.ts";
import type { Call } from "../route.ts";
import { parseStatus } from "../schemas/query.ts";
import { timeText } from "../time.ts";
import { campaignOf, found } from "./named.ts";

const COLUMNS = ["id", "email", "status", "reason", "providerId", "batch", "updatedAt", "data"];

export async function exportRecipients(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const status = parseStatus(call.query);
  const read = async (cursor: string | null): Promise<Page<RecipientView>> => {
    const query: RecipientQuery = { status, limit: EXPORT_PAGE, cursor };
    return found(await campaign.again((object) => object.recipients(query)));
  };
  // The first page is read before the answer begins, while it can still be a refusal.
  const first = await read(null);
  return new Response(rows(first, read), {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="recipients-${campaign.id}.csv"`,
    },
  });
}

/** Reads a page only when the client has taken the last one. A failure breaks the download. */
function rows(
  first: Page<RecipientView>,
  read: (cursor: string | null) => Promise<Page<RecipientView>>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Page<RecipientView> | null = first;
  let cursor = first.cursor;
  let text = record(COLUMNS);
  return new ReadableStream(
    {
      async pull(controller) {
        // A pull that adds nothing is not repeated, so that empty pages are passed over here.
        do {
          const page: Page<RecipientView> = next ?? (await read(cursor));
          next = null;
          cursor = page.cursor;
          text += page.items.map((each) => record(cells(each))).join("");
        } while (text === "" && cursor !== null);
        if (text !== "") controller.enqueue(encoder.encode(text));
        text = "";
        if (cursor === null) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
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

/** RFC 4180 §2: quoted where it has to be, CR LF at the end. */
function record(fields: readonly string[]): string {
  return `${fields.map((field) => quoted(field)).join(",")}\r\n`;
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
