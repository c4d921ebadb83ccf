/**
 * A list as a CSV file (RFC 4180), made page by page as the client takes it: the memory it needs is
 * one page, however long the list is.
 */
import type { Page } from "../campaign/rpc.ts";

export type CsvList<Item> = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly cells: (item: Item) => readonly string[];
  readonly read: (cursor: string | null) => Promise<Page<Item>>;
};

export async function csvFile<Item>(list: CsvList<Item>): Promise<Response> {
  // The first page is read before the answer begins, while it can still be a refusal.
  const first = await list.read(null);
  return new Response(rows(list, first), {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${list.name}.csv"`,
    },
  });
}

/** Reads a page only when the client has taken the last one. A failure breaks the download. */
function rows<Item>(
  { columns, cells, read }: CsvList<Item>,
  first: Page<Item>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Page<Item> | null = first;
  let cursor = first.cursor;
  let text = record(columns);
  return new ReadableStream(
    {
      async pull(controller) {
        // A pull that adds nothing is not repeated, so that empty pages are passed over here.
        do {
          const page: Page<Item> = next ?? (await read(cursor));
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

/** RFC 4180 §2: quoted where it has to be, CR LF at the end. */
function record(fields: readonly string[]): string {
  return `${fields.map((field) => quoted(field)).join(",")}\r\n`;
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
