/** What an author does with a draft as such: create, change, erase. */
import type { Command, OptionValues } from "@commander-js/extra-typings";
import type { CampaignDraft } from "../../client/types.ts";
import { UsageError } from "../exit.ts";
import { readText, readTextOrStdin, STDIN } from "../files.ts";
import { plain } from "../format.ts";
import type { Io } from "../io.ts";
import type { AddCommands } from "../session.ts";
import { jsonObject } from "../settings.ts";

export const addAuthorCommands: AddCommands = (program, act) => {
  addCreate(program, act);
  addChange(program, act);
  addErase(program, act);
};

const addCreate: AddCommands = (program, act) => {
  const command = program
    .command("create")
    .summary("create a draft")
    .description("Creates a draft from a JSON file, from flags, or from both; a flag wins.")
    .argument("[file]", "JSON as of POST /api/campaigns; - is stdin")
    .option("--id <id>", "letters, digits, _ and -; none: one is drawn");
  withFields(command).action((file, { id, ...fields }) =>
    act(async ({ client, io, tell }) => {
      const draft = { ...(await draftOf(file, fields, io)), ...(id === undefined ? {} : { id }) };
      // What is missing or wrong in it the server says by field.
      const campaign = await client.create(draft as unknown as CampaignDraft);
      await tell(
        campaign,
        () => `${campaign.id} is there, in state ${campaign.state}: ${plain(campaign.name)}\n`,
      );
    }),
  );
};

const addChange: AddCommands = (program, act) => {
  const command = program
    .command("change")
    .summary("change a draft, or a campaign that waits for its time")
    .description("Changes what is given, from a JSON file, from flags, or from both; a flag wins.")
    .argument("<campaign>")
    .argument("[file]", "JSON as of PATCH /api/campaigns/:id; - is stdin");
  withFields(command).action((id, file, fields) =>
    act(async ({ client, io, tell }) => {
      const change = await draftOf(file, fields, io);
      if (Object.keys(change).length === 0) {
        throw new UsageError("say what to change: a file, or a flag such as --subject.");
      }
      const campaign = await client.change(id, change);
      await tell(campaign, () => `${campaign.id} is changed: ${plain(campaign.name)}\n`);
    }),
  );
};

const addErase: AddCommands = (program, act) => {
  program
    .command("erase")
    .summary("erase a campaign and everybody in it; can't be undone")
    .argument("<campaign>")
    .option("--yes", "erase")
    .action((campaign, { yes }) =>
      act(async ({ client, tell }) => {
        if (yes !== true) {
          throw new UsageError(
            "this can't be undone, and nothing shows afterwards who was mailed. Keep what you " +
              "need with `sendonce export`, and give --yes to erase.",
          );
        }
        await client.erase(campaign);
        await tell({ campaignId: campaign, erased: true }, () => `${plain(campaign)} is erased.\n`);
      }),
    );
};

/** The flags of a draft's fields, which are the same whether it is made or changed. */
function withFields<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--name <name>", "how the campaign is listed")
    .option("--from <mailbox>", "The Shop <news@shop.example>")
    .option("--reply-to <mailbox>")
    .option("--subject <text>")
    .option("--html <file>", "template of the HTML part")
    .option("--text <file>", "template of the text part")
    .option("--unsubscribe", "the one-click unsubscribe, which is on unless it is switched off")
    .option("--no-unsubscribe", "leave the unsubscribe links out")
    .option("--set <name=value...>", "settings, such as batchSize=50");
}

type Fields = {
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  readonly set?: readonly string[] | undefined;
};

async function draftOf(
  file: string | undefined,
  { html, text, set, ...fields }: Fields,
  io: Io,
): Promise<Record<string, unknown>> {
  const written = file === undefined ? {} : draftIn(file, await readTextOrStdin(file, io));
  return {
    ...written,
    ...fields,
    ...(html === undefined ? {} : { html: readText(html) }),
    ...(text === undefined ? {} : { text: readText(text) }),
    ...(set === undefined ? {} : { settings: settingsOf(set, written["settings"]) }),
  };
}

function draftIn(file: string, text: string): Record<string, unknown> {
  return jsonObject(text, file === STDIN ? "stdin" : file);
}

/** `batchSize=50` over what the file has. Values are JSON, so that null and numbers are themselves. */
function settingsOf(set: readonly string[], written: unknown): Record<string, unknown> {
  const settings: Record<string, unknown> = { ...(written as object | undefined) };
  for (const each of set) {
    const [, name, value] = /^(\w+)=(.+)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(`--set ${each}: give a name and a value, such as batchSize=50.`);
    }
    try {
      settings[name] = JSON.parse(value);
    } catch {
      throw new UsageError(`--set ${each}: the value has to be a number, or null.`);
    }
  }
  return settings;
}
