/** What is held about one person: person export, person erase. */
import type { Erasure } from "../../client/types.ts";
import { EXIT, UsageError } from "../exit.ts";
import { moment, plain, some } from "../format.ts";
import type { AddCommands } from "../session.ts";

export const addPersonCommands: AddCommands = (program, act) => {
  const person = program.command("person").summary("what is held about one person");

  person
    .command("export")
    .summary("all of it, as JSON")
    .argument("<address>")
    .action((address) =>
      act(async ({ client, tell }) => {
        const held = await client.person(address);
        await tell(held, () => `${JSON.stringify(held, null, 2)}\n`);
      }),
    );

  person
    .command("erase")
    .summary("all of it but that it must not be mailed; can't be undone")
    .argument("<address>")
    .option("--yes", "erase")
    .action((address, { yes }) =>
      act(async ({ client, tell }) => {
        if (yes !== true) {
          throw new UsageError(
            "this can't be undone. Look with `sendonce person export`, and give --yes to erase.",
          );
        }
        const erasure = await client.erasePerson(address);
        await tell(erasure, () => erasureText(erasure));
        return erasure.pending.length > 0 ? EXIT.attention : EXIT.ok;
      }),
    );
};

function erasureText({ address, erased, pending }: Erasure): string {
  const lines = [
    `${plain(address)} is not mailed any more, and erased from ${some(erased, "campaign")}.`,
    ...pending.map(
      ({ campaignId, until }) =>
        `  ${plain(campaignId)}: in a request that may be repeated; ` +
        `erased by itself by ${moment(until)}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}
