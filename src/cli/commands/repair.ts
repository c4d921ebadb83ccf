/** Bringing work back, and settling doubts: replay, resolve, reconcile. */
import { Argument, Option } from "@commander-js/extra-typings";
import type { DeliveryStatus, ReplayReport, ReplayRequest } from "../../client/types.ts";
import { EXIT, UsageError } from "../exit.ts";
import { plain, some } from "../format.ts";
import type { AddCommands } from "../session.ts";
import { statusText } from "../status-text.ts";

const WHOM = ["failed", "deadLettered", "inDoubt"] as const;
type Whom = (typeof WHOM)[number];

export const addRepairCommands: AddCommands = (program, act) => {
  program
    .command("replay")
    .summary("mail recipients after all")
    .description("Puts failed, dead-lettered or doubted recipients back, or those named by --ids.")
    .argument("<campaign>")
    .addArgument(new Argument("[whom]", "all of a kind").choices(WHOM))
    .option("--ids <ids...>", "recipients by id")
    .option("--accept-duplicate-risk", "those in doubt may have been mailed already")
    .action((campaign, whom, { ids, acceptDuplicateRisk }) =>
      act(async ({ client, tell }) => {
        const request = replayRequest(whom, ids, acceptDuplicateRisk === true);
        const report = await client.replay(campaign, request);
        await tell(report, () => replayText(report));
        return report.left.length > 0 ? EXIT.attention : EXIT.ok;
      }),
    );

  program
    .command("resolve")
    .summary("settle recipients in doubt by hand")
    .argument("<campaign>")
    .argument("<ids...>")
    .addOption(
      new Option("--as <outcome>", "what you found at the provider")
        .choices(["sent", "failed"] as const)
        .makeOptionMandatory(),
    )
    .action((campaign, ids, { as }) =>
      act(async ({ client, tell }) => {
        const status = await client.resolve(campaign, { ids, as });
        await tell(status, () => `${some(ids.length, "doubt")} settled.\n${statusText(status)}`);
      }),
    );

  program
    .command("reconcile")
    .summary("ask the provider which of the doubts it has mailed")
    .argument("<campaign>")
    .action((campaign) =>
      act(async ({ client, tell }) => {
        const status = await client.reconcile(campaign);
        await tell(status, () => reconcileText(status));
      }),
    );
};

function replayRequest(
  whom: Whom | undefined,
  ids: readonly string[] | undefined,
  acceptDuplicateRisk: boolean,
): ReplayRequest {
  if (ids !== undefined) {
    if (whom === undefined) return { ids, acceptDuplicateRisk };
    throw new UsageError(`--ids can't stand beside "${whom}".`);
  }
  switch (whom) {
    case undefined:
      throw new UsageError(`say whom to mail: ${WHOM.join(", ")}, or --ids.`);
    case "inDoubt":
      if (acceptDuplicateRisk) return { recipients: whom, acceptDuplicateRisk };
      throw new UsageError(
        "those in doubt may have been mailed already. Settle them with `sendonce resolve`, " +
          "or give --accept-duplicate-risk.",
      );
    case "failed":
    case "deadLettered":
      return { recipients: whom };
  }
}

function reconcileText({ campaignId, stats }: DeliveryStatus): string {
  if (stats.inDoubt === 0) return "Nobody is in doubt.\n";
  return (
    `The provider is asked about ${some(stats.inDoubt, "recipient")} in doubt; what it has is ` +
    `settled as it answers.\n  when that has ended: sendonce events ${campaignId}\n`
  );
}

function replayText({ replayed, reopened, left, status }: ReplayReport): string {
  const lines = [
    `${some(replayed, "recipient")} will be mailed, ` +
      `${some(reopened, "recipient")} again under the old key.`,
    ...left.map((each) => `  ${plain(each.id)} was left as it is: ${each.status}`),
  ];
  return `${lines.join("\n")}\n${statusText(status)}`;
}
