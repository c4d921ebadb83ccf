/** Who is in a campaign and what became of them: recipients, why, export. */
import { Option } from "@commander-js/extra-typings";
import type { SendonceClient } from "../../client/client.ts";
import { SendonceProblem } from "../../client/problem.ts";
import type { Recipient, RecipientStory, StatusFilter } from "../../client/types.ts";
import { moment, plain } from "../format.ts";
import { allOption, cursorOption, limitOption, tellFile, tellList, type List } from "../listing.ts";
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
] as const satisfies readonly StatusFilter[];

const statusOption = () => new Option("--status <status>", "only these").choices(STATUSES);

export const addRecipientCommands: AddCommands = (program, act) => {
  program
    .command("recipients")
    .summary("list recipients")
    .description("One page of recipients, or all of them; with --all --json one a line.")
    .argument("<campaign>")
    .addOption(statusOption())
    .addOption(limitOption())
    .addOption(cursorOption())
    .addOption(allOption())
    .action((campaign, { status, ...flags }) =>
      act((session) => tellList(session, flags, recipientsOf(session, campaign, status))),
    );

  program
    .command("why")
    .summary("the whole story of one recipient")
    .argument("<campaign>")
    .argument("<recipient>", "its id, or its address in any spelling")
    .action((campaign, recipient) =>
      act(async ({ client, tell }) => {
        const story = await storyOf(client, campaign, recipient);
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
      act((session) => {
        const list = recipientsOf(session, campaign, status);
        return tellFile(session, output, list, () =>
          session.client.exportRecipients(campaign, filter(status)),
        );
      }),
    );
};

/** By id first, since that is exact; by address where nobody has that id. */
async function storyOf(
  client: SendonceClient,
  campaign: string,
  wanted: string,
): Promise<RecipientStory> {
  try {
    return await client.recipient(campaign, wanted);
  } catch (error) {
    const isMissing = error instanceof SendonceProblem && error.code === "recipientNotFound";
    if (!isMissing || !wanted.includes("@")) throw error;
    for await (const { id } of client.recipients(campaign, { email: wanted })) {
      return client.recipient(campaign, id);
    }
    throw error;
  }
}

function filter(status: StatusFilter | undefined): { readonly status?: StatusFilter } {
  return status === undefined ? {} : { status };
}

function recipientsOf(
  { client }: Session,
  campaign: string,
  status: StatusFilter | undefined,
): List<Recipient> {
  return {
    noun: "recipient",
    headings: ["ID", "EMAIL", "STATUS", "CHANGED", "REASON"],
    row: ({ id, email, status: now, updatedAt, reason }) => [
      plain(id),
      plain(email),
      now,
      moment(updatedAt),
      plain(reason ?? ""),
    ],
    read: (query) => client.recipients(campaign, { ...filter(status), ...query }),
  };
}
