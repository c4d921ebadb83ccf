/** Who is in a campaign and what became of them: recipients, why, export. */
import { Option } from "@commander-js/extra-typings";
import type { Recipient, StatusFilter } from "../../client/types.ts";
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
      act((session) => {
        const list = recipientsOf(session, campaign, status);
        return tellFile(session, output, list, () =>
          session.client.exportRecipients(campaign, filter(status)),
        );
      }),
    );
};

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
