/** The account's list of addresses that no campaign mails: suppress add, remove, list, export. */
import { Option } from "@commander-js/extra-typings";
import type { Suppression, SuppressionReason } from "../../client/types.ts";
import { MAX_SUPPRESSION_ADDRESSES } from "../../domain/limits.ts";
import { SUPPRESSION_REASONS } from "../../domain/suppression.ts";
import { EXIT, UsageError } from "../exit.ts";
import { openFile } from "../files.ts";
import { count, moment, plain, some } from "../format.ts";
import { tellAll, tellFile, type List } from "../listing.ts";
import { withProgress } from "../progress.ts";
import type { AddCommands, Session } from "../session.ts";

export const addSuppressCommands: AddCommands = (program, act) => {
  const suppress = program.command("suppress").summary("addresses that no campaign mails");

  suppress
    .command("add")
    .summary("never mail these again; holds at once, for running campaigns too")
    .argument("[addresses...]")
    .option("--file <file>", "a CSV with a column address or email; - is stdin")
    .addOption(new Option("--reason <reason>", "none: operator").choices(SUPPRESSION_REASONS))
    .action((addresses, { file, reason }) =>
      act(async (session) => {
        if (file !== undefined && addresses.length > 0) {
          throw new UsageError("give addresses or --file, not both.");
        }
        if (file !== undefined) return addFile(session, file, reason);
        if (addresses.length === 0) throw new UsageError("give at least one address, or --file.");
        await addAddresses(session, addresses, reason);
      }),
    );

  suppress
    .command("remove")
    .summary("let these be mailed again")
    .argument("<addresses...>")
    .action((addresses) =>
      act(async ({ client, tell }) => {
        for (const address of addresses) await client.allow(address);
        await tell({ removed: addresses }, () => `${some(addresses.length, "address")} removed.\n`);
      }),
    );

  suppress
    .command("list")
    .summary("everybody on the list")
    .action(() => act((session) => tellAll(session, suppressionsOf(session))));

  suppress
    .command("export")
    .summary("the list as CSV, as suppress add --file reads it")
    .option("-o, --output <file>", "none: stdout")
    .action(({ output }) =>
      act((session) => {
        const list = suppressionsOf(session);
        return tellFile(session, output, list, () => session.client.exportSuppressions());
      }),
    );
};

async function addAddresses(
  { client, tell }: Session,
  addresses: readonly string[],
  reason: SuppressionReason | undefined,
): Promise<void> {
  const given = reasoned(reason);
  const report = { addresses: 0, added: 0, already: 0 };
  for (let from = 0; from < addresses.length; from += MAX_SUPPRESSION_ADDRESSES) {
    const part = await client.suppress(
      addresses.slice(from, from + MAX_SUPPRESSION_ADDRESSES),
      given,
    );
    report.addresses += part.addresses;
    report.added += part.added;
    report.already += part.already;
  }
  await tell(report, () => addedText(report));
}

async function addFile(
  { client, io, tell }: Session,
  file: string,
  reason: SuppressionReason | undefined,
) {
  const { body, bytes } = openFile(file, io);
  const report = await client.importSuppressions(withProgress(body, bytes, io), reasoned(reason));
  const problems = report.problems.map(
    ({ line, code, detail }) => `  line ${line}: ${plain(detail)} (${code})\n`,
  );
  await tell(report, () => addedText(report) + problems.join(""));
  // Somebody who should not be mailed may be in a line that nobody could read.
  return report.invalid > 0 ? EXIT.attention : EXIT.ok;
}

function reasoned(reason: SuppressionReason | undefined): { readonly reason?: SuppressionReason } {
  return reason === undefined ? {} : { reason };
}

function addedText({ added, already }: { added: number; already: number }): string {
  const before = already > 0 ? `; ${count(already)} on the list already` : "";
  return `${count(added)} added${before}.\n`;
}

function suppressionsOf({ client }: Session): Omit<List<Suppression>, "headings"> {
  return {
    noun: "address",
    row: ({ address, reason, at }) => [plain(address), reason, moment(at)],
    read: (query) => client.suppressions(query),
  };
}
