/**
 * Long lists, told alike: one page with the cursor of the next, or all of it page by page as it
 * comes, so that a million entries need the memory of one page. With `--json` one entry a line where
 * all are wanted, and the page as the API gives it otherwise.
 */
import { Option } from "@commander-js/extra-typings";
import type { Paged } from "../client/paged.ts";
import type { PageQuery } from "../client/types.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../domain/limits.ts";
import { UsageError } from "./exit.ts";
import { writeFile } from "./files.ts";
import { some, table } from "./format.ts";
import type { Session } from "./session.ts";

export const limitOption = () =>
  new Option("--limit <number>", `in one page, at most ${MAX_PAGE}`).default(String(DEFAULT_PAGE));
export const cursorOption = () =>
  new Option("--cursor <cursor>", "the next page, as the one before named it");
export const allOption = () => new Option("--all", "every page");

export type PageFlags = {
  readonly limit: string;
  readonly cursor?: string | undefined;
  readonly all?: boolean | undefined;
};

export type List<Item> = {
  /** What one entry is. */
  readonly noun: string;
  readonly headings: readonly string[];
  readonly row: (item: Item) => readonly string[];
  readonly read: (query: PageQuery) => Paged<Item>;
};

export function tellList<Item>(
  session: Session,
  { limit, cursor, all }: PageFlags,
  list: List<Item>,
): Promise<void> {
  if (all === true) return tellAll(session, list);
  return tellPage(session, list, { limit: pageSize(limit), cursor: cursor ?? null });
}

function pageSize(limit: string): number {
  const size = Number(limit);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_PAGE) return size;
  throw new UsageError(`--limit ${limit}: give a number from 1 to ${MAX_PAGE}.`);
}

async function tellPage<Item>(
  { io, tell }: Session,
  { headings, row, read }: List<Item>,
  query: PageQuery,
): Promise<void> {
  const page = await read(query).page();
  await tell(page, () => table([headings, ...page.items.map(row)]));
  if (page.cursor !== null) io.err(`There are more: --cursor ${page.cursor}, or --all.\n`);
}

export async function tellAll<Item>(
  { io, json }: Session,
  { noun, row, read }: Omit<List<Item>, "headings">,
): Promise<void> {
  let listed = 0;
  for await (const { items } of read({ limit: MAX_PAGE }).pages()) {
    const lines = json
      ? items.map((each) => `${JSON.stringify(each)}\n`).join("")
      : table(items.map(row));
    await io.out(lines);
    listed += items.length;
  }
  if (!json) io.err(`${some(listed, noun)}.\n`);
}

/** The list as JSON where that was asked for, and as the file that the server makes otherwise. */
export async function tellFile<Item>(
  session: Session,
  output: string | undefined,
  list: Omit<List<Item>, "headings">,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<void> {
  const { io, json } = session;
  if (json && output === undefined) return tellAll(session, list);
  if (json) throw new UsageError("--json goes to stdout; leave --output out.");
  const csv = await open();
  if (output === undefined) {
    for await (const chunk of csv) await io.out(chunk);
    return;
  }
  await writeFile(output, csv);
  io.err(`${output} is written.\n`);
}
