/** Who is in a campaign and what became of them: recipients, why, export. */
import { createWriteStream } from "node:fs";
import { Writable } from "node:stream";
import { Option } from "@commander-js/extra-typings";
import type { Recipient, RecipientQuery } from "../../client/types.ts";
import { UsageError } from "../exit.ts";
import { moment, plain, some, table } from "../format.ts";
import type { AddCommands, Session } from "../session.ts";
import { storyText } from "../story.ts";

const STATUSES = [
  "remaining",
  "reserved",
  "sent",
  "failed",
  "suppressed",
  "inDoubt",
  "cancelled",
] as const;
const MOST_IN_A_PAGE = 1_000;

const statusOption = () => new Option("--status <status>", "only these").choices(STATUSES);

export const addRecipientCommands: AddCommands = (program, act) => {
  program
    .command("recipients")
    .summary("list recipients")
    .description("One page of recipients, or all of them; with --all --json one a line.")
    .argument("<campaign>")
    .addOption(statusOption())
    .option("--limit <number>", `in one page, at most ${MOST_IN_A_PAGE}`, "100")
    .option("--cursor <cursor>", "the next page, as the one before named it")
    .option("--all", "every page")
    .action((campaign, { status, limit, cursor, all }) =>
      act(async (session) => {
        const query = status === undefined ? {} : { status };
        if (all === true) return listAll(session, campaign, query);
        const page = { ...query, limit: pageSize(limit), cursor: cursor ?? null };
        return listPage(session, campaign, page);
      }),
    );

  program
    .command("why")
    .summary("the whole story of one recipient")
    .argument("<campaign>")
    .argument("<recipient>", "its id; the address where it was enrolled without one")
    .action((campaign, recipient) =>
      act(async ({ client, tell }) => {
        const story = await client.recipient(campaign, recipient);
        await tell(story, () => storyText(campaign, story));
      }),
    );

  program
    .command("export")
    .summary("the recipients as CSV")
    .description("Writes the recipients as CSV; with --json as one JSON object a line.")
    .argument("<campaign>")
    .addOption(statusOption())
    .option("-o, --output <file>", "none: stdout")
    .action((campaign, { status, output }) =>
      act(async (session) => {
        const query = status === undefined ? {} : { status };
        if (session.json && output === undefined) return listAll(session, campaign, query);
        if (session.json) throw new UsageError("--json goes to stdout; leave --output out.");
        const csv = await session.client.exportCsv(campaign, status);
        if (output === undefined) return copyOut(csv, session);
        await csv.pipeTo(fileSink(output));
        session.io.err(`${output} is written.\n`);
      }),
    );
};

/** A bad number is refused by the server, with its bounds. */
function pageSize(limit: string): number {
  const size = Number(limit);
  if (Number.isInteger(size) && size >= 1 && size <= MOST_IN_A_PAGE) return size;
  throw new UsageError(`--limit ${limit}: give a number from 1 to ${MOST_IN_A_PAGE}.`);
}

const HEADINGS = ["ID", "EMAIL", "STATUS", "CHANGED", "REASON"];

function rowOf({ id, email, status, updatedAt, reason }: Recipient): string[] {
  return [plain(id), plain(email), status, moment(updatedAt), plain(reason ?? "")];
}

async function listPage(
  { client, io, tell }: Session,
  campaign: string,
  query: RecipientQuery,
): Promise<void> {
  const page = await client.recipients(campaign, query);
  await tell(page, () => table([HEADINGS, ...page.items.map(rowOf)]));
  if (page.cursor !== null) {
    io.err(`There are more: --cursor ${page.cursor}, or --all.\n`);
  }
}

/** Page by page as it comes, so that a million of them need the memory of one page. */
async function listAll(
  { client, io, json }: Session,
  campaign: string,
  query: RecipientQuery,
): Promise<void> {
  let cursor: string | null = null;
  let listed = 0;
  do {
    const page = await client.recipients(campaign, { ...query, limit: MOST_IN_A_PAGE, cursor });
    const lines = json
      ? page.items.map((each) => `${JSON.stringify(each)}\n`).join("")
      : table(page.items.map(rowOf));
    await io.out(lines);
    listed += page.items.length;
    ({ cursor } = page);
  } while (cursor !== null && !io.interrupted.aborted);
  if (!json) io.err(`${some(listed, "recipient")}.\n`);
}

async function copyOut(csv: ReadableStream<Uint8Array>, { io }: Session): Promise<void> {
  for await (const chunk of csv) await io.out(chunk);
}

function fileSink(file: string): WritableStream<Uint8Array> {
  return Writable.toWeb(createWriteStream(file)) as WritableStream<Uint8Array>;
}
